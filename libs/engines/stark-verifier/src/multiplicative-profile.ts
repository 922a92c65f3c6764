import type { ProofParameters } from './proof-parameters.js';
import {
  baseFromBytes,
  type BaseField,
  cubicExtension,
  CubicExtension,
  type ElementWords,
  type Ext,
  type ExtensionField,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  log2Exact,
  power,
  powers,
  quadraticExtension,
  QuadraticExtension,
  rootOfUnity,
  type Transcript,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import type { VerifierBackend } from './backend.js';
import { multiplicativeChunkCount } from './chunk-count.js';
import { evaluateComposition, recombineChunks } from './composition.js';
import type {
  CompositionShape,
  ConstraintCheck,
  FoldStep,
  LeafSlot,
  OpenedRows,
  OutOfDomainPoint,
  OutOfDomainValues,
  Profile,
  ProofGeometry,
} from './profile.js';
import { FOLDING_FACTOR, PROFILE_FACTS, type ProfileFacts } from './profile-facts.js';
import { maskingRowCount } from './trace-length.js';

/** ζ^k for k < 4, ζ a primitive eighth root of unity. */
const EIGHTH_ROOTS = powers(goldilocks, rootOfUnity(3), FOLDING_FACTOR / 2);

/** Profiles 1 and 2: Goldilocks with traces on a multiplicative subgroup (docs/stark-format.md, sections 3 to 9). */
class MultiplicativeProfile implements Profile {
  readonly base = goldilocks;
  readonly valuesPerCompositionColumn = 1;

  constructor(
    readonly facts: ProfileFacts,
    readonly extension: ExtensionField,
    readonly extensionOver: (base: BaseField) => ExtensionField,
  ) {}

  compositionShape(air: Pick<Air, 'constraintDegree'>, parameters: ProofParameters): CompositionShape {
    return {
      chunkCount: multiplicativeChunkCount(air, parameters),
      chunkMaskLength: maskingRowCount(parameters),
      overflowLength: 0,
    };
  }

  readElements(bytes: Uint8Array): BigUint64Array | undefined {
    return baseFromBytes(bytes);
  }

  drawPoint(transcript: Transcript): OutOfDomainPoint {
    return [transcript.drawOutsideBase(this.extension.degree)];
  }

  satisfiesConstraints(
    { air, boundary, geometry, alpha, point: [z], values }: ConstraintCheck,
    backend: VerifierBackend,
  ): boolean {
    const { extension } = this;
    const chunks = values.compositionAtZ.slice(0, geometry.chunkCount);
    const expected = evaluateComposition(extension, air, boundary, geometry, alpha, z, values, backend);
    return extension.equals(expected, recombineChunks(extension, chunks, z, geometry.rowCount));
  }

  deriveLayer0(rows: OpenedRows, backend: VerifierBackend): BigUint64Array {
    const { geometry, point, gamma, values, cosets } = rows;
    const firstPoints = cosetPoints(0, geometry, cosets);
    const points = new BigUint64Array(cosets.length * FOLDING_FACTOR);
    firstPoints.forEach((x, i) => {
      EIGHTH_ROOTS.forEach((root, k) => {
        const point = goldilocks.mul(x, root);
        points[i * FOLDING_FACTOR + k] = point;
        // The roots' other half are their negatives.
        points[i * FOLDING_FACTOR + k + EIGHTH_ROOTS.length] = goldilocks.sub(goldilocks.zero, point);
      });
    });
    const { columnCount, compositionColumnCount } = geometry;
    return backend.deepValues({
      columnCount,
      compositionColumnCount,
      traceRows: rows.traceRows as BigUint64Array,
      compositionRows: rows.compositionRows as BigUint64Array,
      points,
      ...deepChallenge(this.extension, geometry, point[0], gamma, values),
    });
  }

  foldCosets(
    { geometry, layer, cosets, values, lambda }: FoldStep,
    backend: VerifierBackend,
  ): BigUint64Array {
    return backend.foldCosets(values as BigUint64Array, cosetPoints(layer, geometry, cosets), lambda);
  }

  locate(index: number, leafCount: number): LeafSlot {
    return { leaf: index % leafCount, slot: Math.floor(index / leafCount) };
  }

  evaluateFinal(
    geometry: ProofGeometry,
    coefficients: ElementWords,
    indices: readonly number[],
    backend: VerifierBackend,
  ): BigUint64Array {
    const points = cosetPoints(geometry.foldCount, geometry, indices);
    const { degree } = this.extension;
    return backend.evaluatePolynomial({ degree, coefficients: coefficients as BigUint64Array }, points);
  }
}

export const gl3Profile: Profile = new MultiplicativeProfile(PROFILE_FACTS.gl3, cubicExtension, base =>
  base === goldilocks ? cubicExtension : new CubicExtension(base),
);

export const gl2Profile: Profile = new MultiplicativeProfile(PROFILE_FACTS.gl2, quadraticExtension, base =>
  base === goldilocks ? quadraticExtension : new QuadraticExtension(base),
);

/** What the DEEP polynomial is made of besides the opened rows (docs/stark-format.md, section 8). */
export function deepChallenge(
  extension: ExtensionField,
  { traceLength, columnCount, compositionColumnCount }: ProofGeometry,
  z: Ext,
  gamma: Ext,
  { traceAtZ, traceAtZNext, compositionAtZ }: OutOfDomainValues,
) {
  const gammaPowers = powers(extension, gamma, columnCount + compositionColumnCount + 1);
  const weigh = (values: readonly Ext[]) =>
    values.reduce(
      (sum, value, i) => extension.add(sum, extension.mul(gammaPowers[i], value)),
      extension.zero,
    );
  return {
    z,
    zNext: extension.scale(z, rootOfUnity(log2Exact(traceLength))),
    gammaPowers,
    valueAtZ: weigh([...traceAtZ, ...compositionAtZ]),
    valueAtZNext: weigh(traceAtZNext),
  };
}

/** Offset s and generator w of a layer's domain (docs/stark-format.md, section 3). */
export function layerDomain(layer: number, domainSize: number): { offset: bigint; generator: bigint } {
  return {
    offset: LAYER_OFFSETS[layer],
    generator: rootOfUnity(log2Exact(domainSize / FOLDING_FACTOR ** layer)),
  };
}

/** 7^(8^i), for as many layers as any proof has. */
const LAYER_OFFSETS: readonly bigint[] = Array.from({ length: 8 }, (_, layer) =>
  power(goldilocks, GOLDILOCKS_GENERATOR, BigInt(FOLDING_FACTOR) ** BigInt(layer)),
);

// The first point s·w^q of each coset q of a layer. The powers w^(2^i) are the roots of unity of smaller order.
function cosetPoints(
  layer: number,
  { domainSize }: ProofGeometry,
  cosets: readonly number[],
): BigUint64Array {
  const log2Order = log2Exact(domainSize / FOLDING_FACTOR ** layer);
  return BigUint64Array.from(cosets, q => {
    let point = LAYER_OFFSETS[layer];
    for (let bits = q, order = log2Order; bits > 0; bits >>= 1, order--) {
      if (bits & 1) point = goldilocks.mul(point, rootOfUnity(order));
    }
    return point;
  });
}
