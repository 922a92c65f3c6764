import {
  addPoints,
  type CirclePoint,
  circleVanishing,
  CIRCLE_LOG2_ORDER,
  doublePointTimes,
  doubleX,
  type Ext,
  m31,
  multiplyPoint,
  negatePoint,
  powers,
  reverseBits,
  translatePoint,
} from '@svc/kernels';
import { cubicM31 as E } from './cubic-m31.js';
import { verifyPlonky3Openings } from './plonky3-merkle.js';
import { DecodeError, decodePlonky3Proof, type Plonky3CircleProof } from './plonky3-proof.js';
import { Plonky3Transcript } from './plonky3-transcript.js';

/** Fibonacci over M31: the first row is (first, second), the last one ends in `result`. */
export interface FibonacciStatement {
  readonly logRows: number;
  readonly first: bigint;
  readonly second: bigint;
  readonly result: bigint;
}

const QUERY_COUNT = 40;
const GRINDING_BITS = 8;
const LOG_BLOWUP = 1;
const COLUMN_COUNT = 2;

/** Plonky3's generator of the circle group; ours is another one. */
const GENERATOR: CirclePoint<bigint> = { x: 311_014_874n, y: 1_584_694_829n };
const generatorOf = (log2: number) => doublePointTimes(m31, GENERATOR, CIRCLE_LOG2_ORDER - log2);

/** The point at a position of the standard coset of 2^log2 points: our circle order, on Plonky3's generator. */
export function pointAt(log2: number, position: number): CirclePoint<bigint> {
  const steps = multiplyPoint(generatorOf(log2 - 1), reverseBits(position >> 1, log2 - 1));
  const point = addPoints(m31, generatorOf(log2 + 1), steps);
  return position % 2 === 0 ? point : negatePoint(m31, point);
}

/** What a proof is rejected for. */
export type Rejection =
  | 'decode'
  | 'constraints'
  | 'grinding'
  | 'trace-opening'
  | 'quotient-opening'
  | 'first-layer-opening'
  | 'layer-opening'
  | 'final-polynomial';

/** @returns why Plonky3's proof is rejected, or undefined */
export function rejectionOfPlonky3Proof(
  bytes: Uint8Array,
  statement: FibonacciStatement,
): Rejection | undefined {
  try {
    const { logRows } = statement;
    // The quotient has twice as many rows as the trace; the first fold leaves logRows rounds by 2.
    const shape = { columnCount: COLUMN_COUNT, queryCount: QUERY_COUNT, roundCount: logRows, logRows };
    return check(decodePlonky3Proof(bytes, shape), statement);
  } catch (error) {
    if (error instanceof DecodeError) return 'decode';
    throw error;
  }
}

interface Challenges {
  readonly zeta: CirclePoint<Ext>;
  readonly zetaNext: CirclePoint<Ext>;
  readonly alpha: Ext;
  readonly batching: Ext;
  readonly bivariate: Ext;
  readonly betas: readonly Ext[];
  readonly indices: readonly number[];
}

function check(proof: Plonky3CircleProof, statement: FibonacciStatement): Rejection | undefined {
  const challenges = drawChallenges(proof, statement);
  if (!challenges) return 'grinding';
  if (!satisfiesConstraints(proof, statement, challenges)) return 'constraints';
  return checkOpenings(proof, statement.logRows, challenges);
}

// Replays the transcript; undefined if the witness misses the grinding.
function drawChallenges(
  proof: Plonky3CircleProof,
  { logRows, first, second, result }: FibonacciStatement,
): Challenges | undefined {
  const transcript = new Plonky3Transcript();
  transcript.observeElements([BigInt(logRows), BigInt(logRows), 0n]);
  transcript.observeBytes(proof.traceCommitment);
  transcript.observeElements([first, second, result]);
  const alpha = transcript.sampleExtension();
  transcript.observeBytes(proof.quotientCommitment);
  const slope = transcript.sampleExtension();
  const square = E.mul(slope, slope);
  const inverse = E.inverse(E.add(E.one, square));
  const zeta = { x: E.mul(E.sub(E.one, square), inverse), y: E.mul(E.add(slope, slope), inverse) };
  for (const values of [proof.traceLocal, proof.traceNext, proof.quotientChunk]) {
    transcript.observeExtensions(values);
  }
  const batching = transcript.sampleExtension();
  transcript.observeBytes(proof.firstLayerCommitment);
  const bivariate = transcript.sampleExtension();
  const betas = proof.layerCommitments.map(commitment => {
    transcript.observeBytes(commitment);
    return transcript.sampleExtension();
  });
  transcript.observeExtensions([proof.finalPolynomial]);
  transcript.observeElements([proof.powWitness]);
  if (transcript.sampleBits(GRINDING_BITS) !== 0) return undefined;
  const indices = Array.from({ length: QUERY_COUNT }, () => transcript.sampleBits(logRows + 1 + LOG_BLOWUP));
  const zetaNext = translatePoint(E, zeta, generatorOf(logRows));
  return { zeta, zetaNext, alpha, batching, bivariate, betas, indices };
}

function satisfiesConstraints(
  { traceLocal: [left, right], traceNext: [nextLeft, nextRight], quotientChunk }: Plonky3CircleProof,
  { logRows, first, second, result }: FibonacciStatement,
  { zeta, alpha }: Challenges,
): boolean {
  const vanishing = circleVanishing(E, zeta.x, 2 ** logRows);
  const start = generatorOf(logRows + 1);
  // ṽ(ζ − P) = y/(1 + x) vanishes at P alone; over it the vanishing polynomial selects P's row.
  const selector = (row: CirclePoint<bigint>) => {
    const { x, y } = translatePoint(E, zeta, negatePoint(m31, row));
    return E.mul(E.mul(vanishing, E.add(x, E.one)), E.inverse(y));
  };
  const last = negatePoint(m31, start);
  const isFirst = selector(start);
  const isLast = selector(last);
  const isTransition = E.sub(E.one, E.scale(isLast, m31.inverse(selectorAtItsRow(last, logRows))));
  const constraints = [
    E.mul(isFirst, E.sub(left, E.fromBase(first))),
    E.mul(isFirst, E.sub(right, E.fromBase(second))),
    E.mul(isTransition, E.sub(right, nextLeft)),
    E.mul(isTransition, E.sub(E.add(left, right), nextRight)),
    E.mul(isLast, E.sub(right, E.fromBase(result))),
  ];
  const folded = constraints.reduce((sum, value) => E.add(E.mul(sum, alpha), value), E.zero);
  // The chunk's three base-field columns are the coordinates of the quotient.
  const quotient = quotientChunk.reduce(
    (sum, value, i) =>
      E.add(
        sum,
        E.mul(
          value,
          [0, 1, 2].map(c => (c === i ? 1n : 0n)),
        ),
      ),
    E.zero,
  );
  return E.equals(folded, E.mul(quotient, vanishing));
}

// The selector's value at its own row: −2^(2·log − 1)·y·x·π(x)·…·π^(log − 2)(x).
function selectorAtItsRow({ x, y }: CirclePoint<bigint>, log2: number): bigint {
  let product = m31.mul(y, 2n ** BigInt(2 * log2 - 1));
  for (let k = 1, factor = x; k < log2; k++, factor = doubleX(m31, factor))
    product = m31.mul(product, factor);
  return m31.sub(0n, product);
}

// The quotient's matrix is twice as tall as the trace's: it enters folding one round before.
function checkOpenings(
  proof: Plonky3CircleProof,
  logRows: number,
  challenges: Challenges,
): Rejection | undefined {
  const { indices, betas } = challenges;
  const [traceLog, quotientLog] = [logRows + LOG_BLOWUP, logRows + 1 + LOG_BLOWUP];
  const traceRows = proof.trace.rows.map(([row]) => row);
  const quotientRows = proof.quotient.rows.map(([row]) => row);
  const traceIndices = indices.map(index => index >> 1);
  const opened = (height: number, rows: readonly (readonly bigint[])[]) => [{ height, rows }];
  if (
    !verifyPlonky3Openings(
      proof.traceCommitment,
      opened(2 ** traceLog, traceRows),
      traceIndices,
      proof.trace.siblings,
    )
  ) {
    return 'trace-opening';
  }
  if (
    !verifyPlonky3Openings(
      proof.quotientCommitment,
      opened(2 ** quotientLog, quotientRows),
      indices,
      proof.quotient.siblings,
    )
  ) {
    return 'quotient-opening';
  }

  const trace = firstFolds(proof, challenges, 0, traceLog);
  const quotient = firstFolds(proof, challenges, 1, quotientLog);
  const firstLayer = [
    { height: 2 ** (traceLog - 1), rows: trace.map(({ pair }) => pair.flat()) },
    { height: 2 ** (quotientLog - 1), rows: quotient.map(({ pair }) => pair.flat()) },
  ];
  if (!verifyPlonky3Openings(proof.firstLayerCommitment, firstLayer, traceIndices, proof.firstLayerHashes)) {
    return 'first-layer-opening';
  }

  let values = quotient.map(({ folded }) => folded);
  let positions = traceIndices;
  for (const [round, { siblings, siblingHashes }] of proof.rounds.entries()) {
    if (round === 1) values = values.map((value, query) => E.add(value, trace[query].folded));
    const lineLog = quotientLog - 1 - round;
    const pairs = values.map((value, query) => placed(value, siblings[query], positions[query]));
    const leaves = [{ height: 2 ** (lineLog - 1), rows: pairs.map(pair => pair.flat()) }];
    positions = positions.map(position => position >> 1);
    if (!verifyPlonky3Openings(proof.layerCommitments[round], leaves, positions, siblingHashes)) {
      return 'layer-opening';
    }
    values = pairs.map((pair, query) => foldPair(pair, lineTwiddle(lineLog, positions[query]), betas[round]));
  }
  return values.every(value => E.equals(value, proof.finalPolynomial)) ? undefined : 'final-polynomial';
}

interface FirstFold {
  /** The first layer's leaf: the value at the query, and its sibling. */
  readonly pair: readonly Ext[];
  readonly folded: Ext;
}

// DEEP at each query from the opened rows of one matrix, its v_n part taken off, folded along y. @param matrix 0 trace, 1 quotient
function firstFolds(
  proof: Plonky3CircleProof,
  { zeta, zetaNext, batching, bivariate, indices }: Challenges,
  matrix: number,
  log2: number,
): FirstFold[] {
  const openings =
    matrix === 0
      ? [
          { at: zeta, values: proof.traceLocal },
          { at: zetaNext, values: proof.traceNext },
        ]
      : [{ at: zeta, values: proof.quotientChunk }];
  const { rows } = matrix === 0 ? proof.trace : proof.quotient;
  return indices.map((index, query) => {
    const position = matrix === 0 ? index >> 1 : index;
    const point = pointAt(log2, position);
    let [value, weight] = [E.zero, E.one];
    for (const { at, values } of openings) {
      const [quotient, step] = deepQuotient(point, at, rows[query][0], values, batching);
      value = E.add(value, E.mul(weight, quotient));
      weight = E.mul(weight, step);
    }
    const vanishing = circleVanishing(m31, point.x, 2 ** (log2 - LOG_BLOWUP));
    const corrected = E.sub(value, E.scale(proof.lambdas[matrix], vanishing));
    const pair = placed(corrected, proof.firstLayerSiblings[query][matrix], position);
    return { pair, folded: foldPair(pair, pointAt(log2, position & ~1).y, bivariate) };
  });
}

// Real and imaginary part of the quotient at ζ (ePrint 2024/278, section 6), weighed by 1 and γ^width; and γ^(2·width).
function deepQuotient(
  point: CirclePoint<bigint>,
  zeta: CirclePoint<Ext>,
  row: readonly bigint[],
  values: readonly Ext[],
  gamma: Ext,
): [quotient: Ext, step: Ext] {
  const weights = powers(E, gamma, row.length + 1);
  const { x, y } = translatePoint(E, negatePoint(E, zeta), point);
  const [real, imaginary] = [E.sub(E.one, x), E.sub(E.zero, y)];
  const numerator = E.sub(real, E.mul(weights[row.length], imaginary));
  const norm = E.add(E.mul(real, real), E.mul(imaginary, imaginary));
  const difference = row.reduce(
    (sum, value, i) => E.add(sum, E.mul(weights[i], E.sub(E.fromBase(value), values[i]))),
    E.zero,
  );
  const quotient = E.mul(E.mul(numerator, E.inverse(norm)), difference);
  return [quotient, E.mul(weights[row.length], weights[row.length])];
}

function placed(value: Ext, sibling: Ext, position: number): Ext[] {
  return position % 2 === 0 ? [value, sibling] : [sibling, value];
}

const HALF = m31.inverse(2n);

// (v + v')/2 + β·(v − v')/(2·twiddle).
function foldPair([left, right]: readonly Ext[], twiddle: bigint, beta: Ext): Ext {
  const odd = E.mul(beta, E.scale(E.sub(left, right), m31.inverse(twiddle)));
  return E.scale(E.add(E.add(left, right), odd), HALF);
}

// x at the first position of a pair of a line of 2^log2 points: the line of the circle of twice as many.
function lineTwiddle(log2: number, pair: number): bigint {
  return pointAt(log2 + 1, 4 * pair).x;
}
