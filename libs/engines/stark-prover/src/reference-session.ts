import {
  type BaseField,
  baseToBytes,
  batchInverse,
  evaluateOnCoset,
  type Ext,
  type ExtensionField,
  extToBytes,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  interpolateOnCoset,
  inverseNtt,
  log2Exact,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import {
  deepChallenge,
  FOLDING_FACTOR,
  layerDomain,
  type OutOfDomainPoint,
  type OutOfDomainValues,
  profileOf,
} from '@svc/stark-verifier';
import type { CompositionCommitment, SessionInput } from './backend.js';
import { compositionColumns } from './reference-composition.js';
import { ReferenceStages } from './reference-stages.js';

/** A proof over a multiplicative domain, by the definitions. */
export class ReferenceSession<PublicInputs> extends ReferenceStages<PublicInputs, ExtensionField> {
  /** @param field Goldilocks, or a double of it */
  constructor(input: SessionInput<PublicInputs>, field: BaseField) {
    super(input, field, profileOf(input.parameters.profile).extensionOver(field));
  }

  async commitTrace(): Promise<Uint8Array> {
    const { domainSize, traceLeafBytes } = this.geometry;
    this.coefficients = this.trace.map(column => inverseNtt(this.field, column));
    this.extended = this.coefficients.map(column =>
      evaluateOnCoset(this.field, column, GOLDILOCKS_GENERATOR, domainSize),
    );
    const rows = packCosets(domainSize, row => this.extended.map(column => column[row]));
    return this.commit(baseToBytes(rows), traceLeafBytes, this.masks?.traceSalts);
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment> {
    const { rowCount, domainSize, compositionLeafBytes } = this.geometry;
    const { geometry, coefficients, extended, masks } = this;
    const boundary = this.input.air.boundaryConstraints(publicInputs, rowCount);
    const air = this.input.air as Air;
    this.compositionCoefficients = compositionColumns(this.field, this.extension, {
      air,
      geometry,
      boundary,
      alpha,
      coefficients,
      extended,
      masks,
    });
    this.extendedComposition = this.compositionCoefficients.map(column =>
      evaluateOnCoset(this.extension, column, GOLDILOCKS_GENERATOR, domainSize),
    );
    const rows = packCosets(domainSize, row => this.extendedComposition.map(column => column[row]));
    const cap = this.commit(extToBytes(rows), compositionLeafBytes, masks?.compositionSalts);
    return { cap, overflow: [] };
  }

  async evaluateOutOfDomain([z]: OutOfDomainPoint): Promise<OutOfDomainValues> {
    const { traceLength } = this.geometry;
    const e = this.extension;
    const zNext = e.scale(z, rootOfUnity(log2Exact(traceLength)));
    const zPowers = powers(e, z, traceLength);
    const zNextPowers = powers(e, zNext, traceLength);
    const evaluateColumn = (column: readonly bigint[], xPowers: readonly Ext[]) =>
      column.reduce((sum, c, i) => e.add(sum, e.scale(xPowers[i], c)), e.zero);
    return {
      traceAtZ: this.coefficients.map(column => evaluateColumn(column, zPowers)),
      traceAtZNext: this.coefficients.map(column => evaluateColumn(column, zNextPowers)),
      compositionAtZ: this.compositionCoefficients.map(column =>
        column.reduce((sum, c, i) => e.add(sum, e.mul(c, zPowers[i])), e.zero),
      ),
    };
  }

  async startFri([z]: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void> {
    const e = this.extension;
    const { domainSize, columnCount, compositionColumnCount } = this.geometry;
    const challenge = deepChallenge(e, this.geometry, z, gamma, values);
    const { zNext, gammaPowers, valueAtZ, valueAtZNext } = challenge;
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
      for (let k = 0; k < compositionColumnCount; k++) {
        all = e.add(all, e.mul(gammaPowers[columnCount + k], this.extendedComposition[k][row]));
      }
      const atZ = e.mul(e.sub(all, valueAtZ), inverses[2 * row]);
      const atZNext = e.mul(e.sub(columns, valueAtZNext), inverses[2 * row + 1]);
      return e.add(atZ, e.mul(gammaPowers[columnCount + compositionColumnCount], atZNext));
    });
  }

  async foldLayer(lambda: Ext): Promise<Uint8Array> {
    this.fold(lambda);
    const leaves = packCosets(this.layer.length, row => [this.layer[row]]);
    return this.commit(extToBytes(leaves), this.geometry.layerLeafBytes);
  }

  async foldFinal(lambda: Ext): Promise<readonly Ext[]> {
    this.fold(lambda);
    const { offset } = layerDomain(this.layerIndex, this.geometry.domainSize);
    return interpolateOnCoset(this.extension, this.layer, offset).slice(0, this.geometry.finalLength);
  }

  // Folding by 8 as three folds by 2 with λ, λ², λ⁴: f(x) = even(x²) + x·odd(x²) becomes even + λ·odd.
  private fold(lambda: Ext): void {
    const e = this.extension;
    let challenge = lambda;
    let inversePoints = domainPoints(this.layerIndex, this.geometry.domainSize).map(x =>
      goldilocks.inverse(x),
    );
    for (let width = FOLDING_FACTOR; width > 1; width /= 2) {
      const half = this.layer.length / 2;
      const layer = this.layer;
      const folded: Ext[] = [];
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
