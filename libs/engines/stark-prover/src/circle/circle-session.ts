import {
  type BaseField,
  baseToBytes,
  batchInverse,
  circleBasis,
  circlePoints,
  evaluateOnCircle,
  type Ext,
  extToBytes,
  inverseCircleFft,
  linePointAt,
  m31,
  nextRowStep,
  QM31Extension,
  translatePoint,
  traceRowAt,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import {
  circleDeepChallenge,
  type ConjugateLine,
  conjugateVanishing,
  type OutOfDomainPoint,
  type OutOfDomainValues,
} from '@svc/stark-verifier';
import type { CompositionCommitment, SessionInput } from '../backend.js';
import { ReferenceStages } from '../reference-stages.js';
import { circleComposition } from './circle-composition.js';

/** A proof of profile 3 by the definitions: slow, and what faster backends match byte for byte. */
export class CircleReferenceSession<PublicInputs> extends ReferenceStages<PublicInputs, QM31Extension> {
  /** @param field M31, or a double of it */
  constructor(input: SessionInput<PublicInputs>, field: BaseField) {
    super(input, field, new QM31Extension(field));
  }

  async commitTrace(): Promise<Uint8Array> {
    const { traceLength, domainSize, traceLeafBytes } = this.geometry;
    this.coefficients = this.trace.map(column =>
      inverseCircleFft(
        this.field,
        column.map((_, position) => column[traceRowAt(traceLength, position)]),
      ),
    );
    this.extended = this.coefficients.map(column => evaluateOnCircle(this.field, column, domainSize));
    const rows = interleave(this.extended);
    return this.commit(baseToBytes(rows, m31), traceLeafBytes, this.masks?.traceSalts);
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment> {
    const { geometry, coefficients, masks } = this;
    const air = this.input.air as Air;
    const boundary = air.boundaryConstraints(publicInputs, geometry.rowCount);
    const { columns, overflow } = circleComposition(this.field, this.extension, {
      air,
      geometry,
      boundary,
      alpha,
      coefficients,
      masks,
    });
    this.compositionCoefficients = columns;
    this.extendedComposition = columns.map(column =>
      evaluateOnCircle(this.extension, column, geometry.domainSize),
    );
    const rows = interleave(this.extendedComposition);
    const leafBytes = geometry.compositionLeafBytes;
    return { cap: this.commit(extToBytes(rows, m31), leafBytes, masks?.compositionSalts), overflow };
  }

  async evaluateOutOfDomain([x, y]: OutOfDomainPoint): Promise<OutOfDomainValues> {
    const { traceLength } = this.geometry;
    const e = this.extension;
    const basis = circleBasis(e, { x, y }, traceLength);
    const nextBasis = circleBasis(e, translatePoint(e, { x, y }, nextRowStep(traceLength)), traceLength);
    const evaluate = (column: readonly bigint[], at: readonly Ext[]) =>
      column.reduce((sum, c, j) => e.add(sum, e.scale(at[j], c)), e.zero);
    return {
      traceAtZ: this.coefficients.map(column => evaluate(column, basis)),
      traceAtZNext: this.coefficients.map(column => evaluate(column, nextBasis)),
      compositionAtZ: this.compositionCoefficients.flatMap(column =>
        [0, 1, 2, 3].map(coordinate =>
          evaluate(
            column.map(c => c[coordinate]),
            basis,
          ),
        ),
      ),
    };
  }

  async startFri(point: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void> {
    const e = this.extension;
    const { domainSize } = this.geometry;
    const { gammaPowers, current, next } = circleDeepChallenge(e, this.geometry, point, gamma, values);
    const points = circlePoints(domainSize);
    const inverses = batchInverse(
      e.complex,
      points.flatMap(at => [
        conjugateVanishing(e.complex, at, current.point),
        conjugateVanishing(e.complex, at, next.point),
      ]),
    );
    const lineAt = ({ constant, slope }: ConjugateLine, y: bigint) => e.add(constant, e.scale(slope, y));
    this.layer = points.map(({ y }, position) => {
      let columns = e.zero;
      let weight = 0;
      for (const column of this.extended) {
        columns = e.add(columns, e.scale(gammaPowers[weight++], column[position]));
      }
      let all = columns;
      for (const column of this.extendedComposition) {
        for (const c of column[position]) all = e.add(all, e.scale(gammaPowers[weight++], c));
      }
      const atZ = e.scaleComplex(e.sub(all, lineAt(current, y)), inverses[2 * position]);
      const atZNext = e.scaleComplex(e.sub(columns, lineAt(next, y)), inverses[2 * position + 1]);
      return e.add(atZ, e.mul(gammaPowers[weight], atZNext));
    });
  }

  async foldLayer(lambda: Ext): Promise<Uint8Array> {
    this.fold(lambda);
    return this.commit(extToBytes(this.layer, m31), this.geometry.layerLeafBytes);
  }

  async foldFinal(lambda: Ext): Promise<readonly Ext[]> {
    this.fold(lambda);
    // A line's polynomial is one of the circle above it that does not depend on y.
    const onCircle = this.layer.flatMap(value => [value, value]);
    const coefficients = inverseCircleFft(this.extension, onCircle).filter((_, j) => j % 2 === 0);
    return coefficients.slice(0, this.geometry.finalLength);
  }

  // Three halvings by λ, λ², λ⁴: f = even + t·odd becomes even + λ·odd, t the coordinate that the halving is along.
  private fold(lambda: Ext): void {
    const e = this.extension;
    let challenge = lambda;
    for (let halving = 0; halving < 3; halving++) {
      const inverses = inverseTwiddles(this.layer.length, this.layerIndex === 0 && halving === 0);
      const folded: Ext[] = [];
      for (let i = 0; i < this.layer.length / 2; i++) {
        const [left, right] = [this.layer[2 * i], this.layer[2 * i + 1]];
        const odd = e.mul(challenge, e.scale(e.sub(left, right), inverses[i]));
        folded.push(e.scale(e.add(e.add(left, right), odd), HALF));
      }
      this.layer = folded;
      if (halving < 2) challenge = e.mul(challenge, challenge);
    }
    this.layerIndex++;
  }
}

const HALF = m31.inverse(2n);

// 1/y at every second position of a circle, or 1/x at every second position of a line.
function inverseTwiddles(size: number, isCircle: boolean): bigint[] {
  const twiddles = isCircle
    ? circlePoints(size).map(({ y }) => y)
    : Array.from({ length: size }, (_, position) => linePointAt(size, position).x);
  return batchInverse(
    m31,
    twiddles.filter((_, position) => position % 2 === 0),
  );
}

// Row by row: position 0 of every column, then position 1 …
function interleave<T>(columns: readonly (readonly T[])[]): T[] {
  return columns[0].flatMap((_, position) => columns.map(column => column[position]));
}
