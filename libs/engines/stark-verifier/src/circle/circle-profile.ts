import type { ProofParameters } from '../proof-parameters.js';
import {
  type BaseField,
  type CirclePoint,
  cm31,
  type ElementWords,
  type Ext,
  imaginaryPart,
  m31,
  M31_MODULUS,
  nextRowStep,
  powers,
  qm31,
  QM31Extension,
  realPart,
  translatePoint,
  type Transcript,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import type { VerifierBackend } from '../backend.js';
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
} from '../profile.js';
import { FOLDING_FACTOR, PROFILE_FACTS } from '../profile-facts.js';
import { maskingRowCount } from '../trace-length.js';
import { evaluateCircleComposition, OVERFLOW_LENGTH, recombineCircleChunks } from './circle-composition.js';
import type { ConjugateLine } from './circle-kernels.js';

const P = Number(M31_MODULUS);
/** Base elements in an extension element: each coordinate of a composition column is opened by itself. */
const COORDINATES = 4;

/** Profile 3: M31 with traces on the circle x² + y² = 1 (docs/stark-format.md). */
class CircleProfile implements Profile {
  readonly facts = PROFILE_FACTS.m31;
  readonly base = m31;
  readonly extension = qm31;
  readonly valuesPerCompositionColumn = COORDINATES;

  extensionOver(base: BaseField): QM31Extension {
    return new QM31Extension(base);
  }

  compositionShape(
    { constraintDegree }: Pick<Air, 'constraintDegree'>,
    parameters: ProofParameters,
  ): CompositionShape {
    const { zeroKnowledge } = parameters;
    return {
      chunkCount: zeroKnowledge ? Math.max(2, constraintDegree) : Math.max(1, constraintDegree - 1),
      chunkMaskLength: maskingRowCount(parameters),
      overflowLength: zeroKnowledge ? 0 : OVERFLOW_LENGTH,
    };
  }

  readElements(bytes: Uint8Array): Uint32Array | undefined {
    if (bytes.length % m31.elementBytes !== 0) return undefined;
    // A copy is aligned and the whole of its buffer, as a Buffer's slice would not be; every host is little-endian.
    const elements = new Uint32Array(new Uint8Array(bytes).buffer);
    for (let i = 0; i < elements.length; i++) if (elements[i] >= P) return undefined;
    return elements;
  }

  drawPoint(transcript: Transcript, { traceLength }: ProofGeometry): OutOfDomainPoint {
    for (;;) {
      const point = rationalPoint(transcript.drawExtension(qm31.degree));
      if (!point) continue;
      const { y: nextY } = translatePoint(qm31, point, nextRowStep(traceLength));
      const isVertical = [point.y, nextY].some(y => cm31.equals(imaginaryPart(y), cm31.zero));
      if (!isVertical) return [point.x, point.y];
    }
  }

  satisfiesConstraints(check: ConstraintCheck): boolean {
    const { air, boundary, geometry, alpha, point, values, overflow } = check;
    const z = toPoint(point);
    const expected = evaluateCircleComposition(air, boundary, geometry, alpha, z, values);
    const chunks = Array.from({ length: geometry.chunkCount }, (_, k) =>
      joinCoordinates(values.compositionAtZ.slice(COORDINATES * k, COORDINATES * (k + 1))),
    );
    return qm31.equals(expected, recombineCircleChunks(geometry, z, chunks, overflow));
  }

  deriveLayer0(rows: OpenedRows, backend: VerifierBackend): Uint32Array {
    const { geometry, point, gamma, values, cosets } = rows;
    const { columnCount, compositionColumnCount, domainSize } = geometry;
    return backend.circle.deepValues({
      columnCount,
      compositionColumnCount,
      traceRows: rows.traceRows as Uint32Array,
      compositionRows: rows.compositionRows as Uint32Array,
      domainSize,
      leaves: cosets,
      ...circleDeepChallenge(qm31, geometry, point, gamma, values),
    });
  }

  foldCosets({ geometry, layer, cosets, values, lambda }: FoldStep, backend: VerifierBackend): ElementWords {
    const layerSize = geometry.leafCounts[layer] * FOLDING_FACTOR;
    return backend.circle.foldLeaves(values as Uint32Array, { layer, layerSize, leaves: cosets }, lambda);
  }

  // In circle order the eight positions of a leaf are neighbours, and its fold stands at the leaf's own number.
  locate(index: number): LeafSlot {
    return { leaf: Math.floor(index / FOLDING_FACTOR), slot: index % FOLDING_FACTOR };
  }

  evaluateFinal(
    { domainSize, foldCount }: ProofGeometry,
    coefficients: ElementWords,
    indices: readonly number[],
    backend: VerifierBackend,
  ): Uint32Array {
    const lineSize = domainSize / FOLDING_FACTOR ** foldCount;
    return backend.circle.lineValues(coefficients as Uint32Array, lineSize, indices);
  }
}

export const circleProfile: Profile = new CircleProfile();

/** The point of the circle that the line of slope τ through (−1, 0) meets, or undefined where that is none (τ² = −1). */
function rationalPoint(slope: Ext): CirclePoint<Ext> | undefined {
  const square = qm31.mul(slope, slope);
  const denominator = qm31.add(qm31.one, square);
  if (qm31.equals(denominator, qm31.zero)) return undefined;
  const inverse = qm31.inverse(denominator);
  return {
    x: qm31.mul(qm31.sub(qm31.one, square), inverse),
    y: qm31.mul(qm31.add(slope, slope), inverse),
  };
}

/** An extension element from the values of its four coordinate polynomials, which lie in the extension too. */
export function joinCoordinates([a, b, c, d]: readonly Ext[]): Ext {
  const withI = qm31.add(a, qm31.mul(b, [0n, 1n, 0n, 0n]));
  const timesU = qm31.add(qm31.mul(c, [0n, 0n, 1n, 0n]), qm31.mul(d, [0n, 0n, 0n, 1n]));
  return qm31.add(withI, timesU);
}

/** What the DEEP polynomial is made of besides the opened rows (docs/stark-format.md). */
export function circleDeepChallenge(
  extension: QM31Extension,
  { traceLength, columnCount, compositionColumnCount }: ProofGeometry,
  point: OutOfDomainPoint,
  gamma: Ext,
  { traceAtZ, traceAtZNext, compositionAtZ }: OutOfDomainValues,
) {
  const z = toPoint(point);
  const zNext = translatePoint(extension, z, nextRowStep(traceLength));
  const gammaPowers = powers(extension, gamma, columnCount + COORDINATES * compositionColumnCount + 1);
  return {
    gammaPowers,
    current: conjugateLine(extension, z, gammaPowers, [...traceAtZ, ...compositionAtZ]),
    next: conjugateLine(extension, zNext, gammaPowers, traceAtZNext),
  };
}

// For a value w at ζ the line is α + β·y with β = Im w / Im ζ_y and α = Re w − β·Re ζ_y, both in CM31.
function conjugateLine(
  extension: QM31Extension,
  point: CirclePoint<Ext>,
  weights: readonly Ext[],
  values: readonly Ext[],
): ConjugateLine {
  const { complex } = extension;
  const inverse = complex.inverse(imaginaryPart(point.y));
  let constant = extension.zero;
  let slope = extension.zero;
  values.forEach((value, i) => {
    const beta = complex.mul(imaginaryPart(value), inverse);
    const alpha = complex.sub(realPart(value), complex.mul(beta, realPart(point.y)));
    constant = extension.add(constant, extension.scaleComplex(weights[i], alpha));
    slope = extension.add(slope, extension.scaleComplex(weights[i], beta));
  });
  return { point, constant, slope };
}

function toPoint([x, y]: OutOfDomainPoint): CirclePoint<Ext> {
  return { x, y };
}
