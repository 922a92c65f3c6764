import {
  type BaseField,
  baseToBytes,
  batchInverse,
  type Cubic,
  CubicExtension,
  cubicToBytes,
  evaluateOnCoset,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  grind,
  interpolateOnCoset,
  inverseNtt,
  log2Exact,
  MerkleTree,
  power,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { BoundaryConstraint } from '@svc/stark-air';
import {
  deepChallenge,
  FOLDING_FACTOR,
  layerDomain,
  openedLeaves,
  type OutOfDomainValues,
  type ProofGeometry,
  proofGeometry,
} from '@svc/stark-verifier';
import type { ProverBackend, ProverSession, SessionInput, TreeOpening } from './backend.js';
import { quotientTables } from './quotient-tables.js';

/**
 * The prover in plain TypeScript: slow, and the definition that faster backends match byte for byte.
 * @param field counts operations if it is a CountingField. Tables that depend on the parameters alone (twiddles, domain points,
 * periodic columns, the transition divisor) are made with plain arithmetic and so are not counted.
 */
export function referenceProverBackend(field: BaseField = goldilocks): ProverBackend {
  return {
    name: 'reference',
    begin: async input => new ReferenceSession(input, field),
  };
}

class ReferenceSession<PublicInputs> implements ProverSession<PublicInputs> {
  private readonly geometry: ProofGeometry;
  private readonly extension: CubicExtension;
  private trace: readonly BigUint64Array[] = [];
  private coefficients: readonly (readonly bigint[])[] = [];
  private extended: readonly (readonly bigint[])[] = [];
  private chunkCoefficients: readonly (readonly Cubic[])[] = [];
  private extendedChunks: readonly (readonly Cubic[])[] = [];
  private layer: readonly Cubic[] = [];
  private layerIndex = 0;
  /** Trace, composition, FRI layers 1 … r − 1. */
  private readonly trees: MerkleTree[] = [];

  constructor(
    private readonly input: SessionInput<PublicInputs>,
    private readonly field: BaseField,
  ) {
    this.geometry = proofGeometry(input.parameters, input.air);
    this.extension = new CubicExtension(field);
  }

  async execute(): Promise<PublicInputs> {
    const { air, witness, parameters } = this.input;
    const { columns, publicInputs } = air.execute(this.field, witness, parameters.traceLength);
    this.trace = columns;
    return publicInputs;
  }

  async commitTrace(): Promise<Uint8Array> {
    const { domainSize, traceLeafBytes } = this.geometry;
    this.coefficients = this.trace.map(column => inverseNtt(this.field, [...column]));
    this.extended = this.coefficients.map(column =>
      evaluateOnCoset(this.field, column, GOLDILOCKS_GENERATOR, domainSize),
    );
    const leaves = packCosets(domainSize, row => this.extended.map(column => column[row]));
    return this.commit(baseToBytes(leaves), traceLeafBytes);
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Cubic): Promise<Uint8Array> {
    const { traceLength, domainSize, chunkCount, compositionLeafBytes } = this.geometry;
    const { air } = this.input;
    const boundary = air.boundaryConstraints(publicInputs, traceLength);
    const evaluations = this.evaluateConstraints(boundary, alpha);
    const composition = interpolateOnCoset(this.extension, evaluations, GOLDILOCKS_GENERATOR);
    this.chunkCoefficients = Array.from({ length: chunkCount }, (_, k) =>
      composition.slice(k * traceLength, (k + 1) * traceLength),
    );
    this.extendedChunks = this.chunkCoefficients.map(chunk =>
      evaluateOnCoset(this.extension, chunk, GOLDILOCKS_GENERATOR, domainSize),
    );
    const leaves = packCosets(domainSize, row => this.extendedChunks.map(chunk => chunk[row]));
    return this.commit(cubicToBytes(leaves), compositionLeafBytes);
  }

  async evaluateOutOfDomain(z: Cubic): Promise<OutOfDomainValues> {
    const { traceLength } = this.geometry;
    const e = this.extension;
    const zNext = e.scale(z, rootOfUnity(log2Exact(traceLength)));
    const zPowers = powers(e, z, traceLength);
    const zNextPowers = powers(e, zNext, traceLength);
    const evaluateColumn = (column: readonly bigint[], xPowers: readonly Cubic[]) =>
      column.reduce((sum, c, i) => e.add(sum, e.scale(xPowers[i], c)), e.zero);
    return {
      traceAtZ: this.coefficients.map(column => evaluateColumn(column, zPowers)),
      traceAtZNext: this.coefficients.map(column => evaluateColumn(column, zNextPowers)),
      chunksAtZ: this.chunkCoefficients.map(chunk =>
        chunk.reduce((sum, c, i) => e.add(sum, e.mul(c, zPowers[i])), e.zero),
      ),
    };
  }

  async startFri(z: Cubic, gamma: Cubic, values: OutOfDomainValues): Promise<void> {
    const e = this.extension;
    const { domainSize, columnCount, chunkCount } = this.geometry;
    const { zNext, gammaPowers, valueAtZ, valueAtZNext } = deepChallenge(this.geometry, z, gamma, values, e);
    const points = domainPoints(0, domainSize);
    const inverses = batchInverse(
      e,
      points.flatMap(x => [e.sub(e.fromBase(x), z), e.sub(e.fromBase(x), zNext)]),
    );
    this.layer = points.map((_, row) => {
      let columns = e.zero;
      for (let i = 0; i < columnCount; i++) {
        columns = e.add(columns, e.scale(gammaPowers[i], this.extended[i][row]));
      }
      let all = columns;
      for (let k = 0; k < chunkCount; k++) {
        all = e.add(all, e.mul(gammaPowers[columnCount + k], this.extendedChunks[k][row]));
      }
      const atZ = e.mul(e.sub(all, valueAtZ), inverses[2 * row]);
      const atZNext = e.mul(e.sub(columns, valueAtZNext), inverses[2 * row + 1]);
      return e.add(atZ, e.mul(gammaPowers[columnCount + chunkCount], atZNext));
    });
  }

  async foldLayer(lambda: Cubic): Promise<Uint8Array> {
    this.fold(lambda);
    const leaves = packCosets(this.layer.length, row => [this.layer[row]]);
    return this.commit(cubicToBytes(leaves), this.geometry.layerLeafBytes);
  }

  async foldFinal(lambda: Cubic): Promise<readonly Cubic[]> {
    this.fold(lambda);
    const { offset } = layerDomain(this.layerIndex, this.geometry.domainSize);
    return interpolateOnCoset(this.extension, this.layer, offset).slice(0, this.geometry.finalLength);
  }

  async grind(seed: Uint8Array, grindingBits: number): Promise<bigint> {
    return grind(seed, grindingBits);
  }

  async open(positions: readonly number[]): Promise<readonly TreeOpening[]> {
    const leaves = openedLeaves(this.geometry, positions);
    return this.trees.map((tree, i) => tree.open(leaves[Math.max(0, i - 1)]));
  }

  async dispose(): Promise<void> {}

  private commit(leaves: Uint8Array, leafBytes: number): Uint8Array {
    const tree = new MerkleTree(leaves, leafBytes);
    this.trees.push(tree);
    return tree.cap;
  }

  // The composition polynomial on the coset 7·⟨ω⟩ of K·N points (K a power of two), every (n / K·N)-th row of the extension.
  private evaluateConstraints(boundary: readonly BoundaryConstraint[], alpha: Cubic): Cubic[] {
    const { air } = this.input;
    const { field, extension: e } = this;
    const { traceLength, domainSize } = this.geometry;
    const { size, points, periodic, transitionDivisors } = quotientTables(air, this.geometry);
    const stride = domainSize / size;
    const weights = powers(e, alpha, air.transitionNames.length + boundary.length);
    const groups = groupByRow(boundary, weights.slice(air.transitionNames.length)).map(group => {
      const rowPoint = power(goldilocks, rootOfUnity(log2Exact(traceLength)), BigInt(group.row));
      return {
        ...group,
        inverses: batchInverse(
          field,
          points.map(x => field.sub(x, rowPoint)),
        ),
      };
    });

    const rowAt = (i: number) => this.extended.map(column => column[(i % size) * stride]);
    return points.map((_, i) => {
      const current = rowAt(i);
      const next = rowAt(i + size / traceLength);
      const values = air.evaluateTransition(field, {
        current,
        next,
        periodic: periodic.map(p => p[i % p.length]),
      });
      let sum = e.zero;
      for (let c = 0; c < values.length; c++) sum = e.add(sum, e.scale(weights[c], values[c]));
      sum = e.scale(sum, transitionDivisors[i]);
      for (const { terms, inverses } of groups) {
        let numerator = e.zero;
        for (const { column, value, weight } of terms) {
          numerator = e.add(numerator, e.scale(weight, field.sub(current[column], value)));
        }
        sum = e.add(sum, e.scale(numerator, inverses[i]));
      }
      return sum;
    });
  }

  // Folding by 8 as three folds by 2 with λ, λ², λ⁴: f(x) = even(x²) + x·odd(x²) becomes even + λ·odd.
  private fold(lambda: Cubic): void {
    const e = this.extension;
    let challenge = lambda;
    let inversePoints = domainPoints(this.layerIndex, this.geometry.domainSize).map(x =>
      goldilocks.inverse(x),
    );
    for (let width = FOLDING_FACTOR; width > 1; width /= 2) {
      const half = this.layer.length / 2;
      const layer = this.layer;
      const folded: Cubic[] = [];
      for (let i = 0; i < half; i++) {
        const sum = e.add(layer[i], layer[i + half]);
        const difference = e.sub(layer[i], layer[i + half]);
        const odd = e.mul(challenge, e.scale(difference, inversePoints[i]));
        folded.push(e.scale(e.add(sum, odd), HALF));
      }
      this.layer = folded;
      inversePoints = inversePoints.slice(0, half / 2).map(x => goldilocks.mul(x, x));
      if (width > 2) challenge = e.mul(challenge, challenge);
    }
    this.layerIndex++;
  }
}

const HALF = goldilocks.inverse(2n);

interface BoundaryGroup {
  readonly row: number;
  readonly terms: readonly { readonly column: number; readonly value: bigint; readonly weight: Cubic }[];
}

function groupByRow(boundary: readonly BoundaryConstraint[], weights: readonly Cubic[]): BoundaryGroup[] {
  const rows = [...new Set(boundary.map(({ row }) => row))];
  const terms = boundary.map((constraint, j) => ({ ...constraint, weight: weights[j] }));
  return rows.map(row => ({ row, terms: terms.filter(term => term.row === row) }));
}

// Elements in leaf order: coset by coset, its 8 rows, each row's elements.
function packCosets<T>(domainSize: number, rowElements: (row: number) => readonly T[]): T[] {
  const leafCount = domainSize / FOLDING_FACTOR;
  const elements: T[] = [];
  for (let q = 0; q < leafCount; q++) {
    for (let k = 0; k < FOLDING_FACTOR; k++) elements.push(...rowElements(q + k * leafCount));
  }
  return elements;
}

function domainPoints(layer: number, domainSize: number): bigint[] {
  const { offset, generator } = layerDomain(layer, domainSize);
  return powers(goldilocks, generator, domainSize / FOLDING_FACTOR ** layer).map(x =>
    goldilocks.mul(x, offset),
  );
}
