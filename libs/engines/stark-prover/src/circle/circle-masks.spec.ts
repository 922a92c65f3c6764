import {
  addPoints,
  circleBasis,
  type CirclePoint,
  circlePointAt,
  evaluateOnCircle,
  type Ext,
  inverseCircleFft,
  m31,
  nextRowStep,
  qm31,
  Transcript,
  traceRowAt,
} from '@svc/kernels';
import { type Air, findAir } from '@svc/stark-air';
import { maskingRowCount, type ProofParameters, profileOf, proofGeometry } from '@svc/stark-verifier';
import { seededRandomSource } from '../../testing/seeded-random.js';
import { drawMasks, type ZeroKnowledgeMasks } from '../masks.js';
import { prove } from '../prove.js';
import { maskChunks } from './circle-composition.js';
import { CircleReferenceSession } from './circle-session.js';

const QUERIES = 2;
/** 8 rows a query, and the point z or z', worth four base elements. */
const OPENED = 8 * QUERIES;
const EXTENSION_DEGREE = 4;
const WITNESS = { inputs: { input: ['1', '2', '3', '4', '5', '6', '7', '8'] } };

const air = findAir('raw/cubic8/v1', 'm31') as Air;
const witness = air.witnessFromJson?.(WITNESS);
const parameters: ProofParameters = {
  profile: 'm31',
  traceLength: 2048,
  blowupFactor: 2,
  queryCount: QUERIES,
  grindingBits: 0,
  zeroKnowledge: true,
};
const geometry = proofGeometry(parameters, air);
const { traceLength, rowCount, domainSize, columnCount } = geometry;
const maskCount = traceLength - rowCount;

// Sets of opened leaves: anywhere, neighbours, and two of which one is half the other's next rows.
const CASES: readonly (readonly number[])[] = [
  [77, 401],
  [8, 9],
  [0, 511],
];

function pointFor(seed: number): CirclePoint<Ext> {
  const transcript = new Transcript(m31);
  transcript.absorb(seed, new Uint8Array());
  const [x, y] = profileOf('m31').drawPoint(transcript, geometry);
  return { x, y };
}

/** The rank of a matrix over M31. */
function rankOf(rows: readonly (readonly bigint[])[]): number {
  const matrix = rows.map(row => [...row]);
  let rank = 0;
  for (let column = 0; column < matrix[0].length && rank < matrix.length; column++) {
    const pivot = matrix.findIndex((row, i) => i >= rank && row[column] !== 0n);
    if (pivot < 0) continue;
    [matrix[rank], matrix[pivot]] = [matrix[pivot], matrix[rank]];
    const inverse = m31.inverse(matrix[rank][column]);
    for (let i = rank + 1; i < matrix.length; i++) {
      const factor = m31.mul(matrix[i][column], inverse);
      if (factor === 0n) continue;
      matrix[i] = matrix[i].map((value, j) => m31.sub(value, m31.mul(factor, matrix[rank][j])));
    }
    rank++;
  }
  return rank;
}

function noMasks(): ZeroKnowledgeMasks {
  const drawn = drawMasks(geometry, seededRandomSource('salts')) as ZeroKnowledgeMasks;
  return { ...drawn, traceRows: new Uint32Array(drawn.traceRows.length) };
}

type Session = CircleReferenceSession<unknown>;

async function committed(masks: ZeroKnowledgeMasks): Promise<Session> {
  const session = new CircleReferenceSession({ air, witness, parameters }, m31);
  await session.execute(masks);
  await session.commitTrace();
  return session;
}

/** What a proof opens of each column: the rows of the leaves, then z and z'. */
async function openingsOf(session: Session, leaves: readonly number[], z: CirclePoint<Ext>) {
  const [{ leaves: bytes }] = await session.open(leaves);
  const values = await session.evaluateOutOfDomain([z.x, z.y]);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: columnCount }, (_, column) => [
    ...leaves.flatMap((_, i) =>
      Array.from({ length: 8 }, (_, row) => {
        const offset = i * geometry.traceLeafBytes + 4 * (row * columnCount + column);
        return BigInt(view.getUint32(offset, true));
      }),
    ),
    ...values.traceAtZ[column],
    ...values.traceAtZNext[column],
  ]);
}

/** Traces without masks, and with one mask in each column: they are the same whatever is opened of them. */
let unmasked: Session;
const probes: Session[] = [];
beforeAll(async () => {
  unmasked = await committed(noMasks());
  for (let first = 0; first < maskCount; first += columnCount) {
    const masks = noMasks();
    // Column c is probed with mask first + c.
    for (let c = 0; c < columnCount && first + c < maskCount; c++)
      masks.traceRows[c * maskCount + first + c] = 1;
    probes.push(await committed(masks));
  }
});

/** The map from a column's masks to its openings: a row for each mask, from the prover itself. */
async function maskMap(leaves: readonly number[], z: CirclePoint<Ext>): Promise<bigint[][]> {
  const base = await openingsOf(unmasked, leaves, z);
  const rows: bigint[][] = [];
  for (const [probe, session] of probes.entries()) {
    const first = probe * columnCount;
    const probed = await openingsOf(session, leaves, z);
    for (let c = 0; c < columnCount && first + c < maskCount; c++) {
      rows.push(probed[c].map((value, i) => m31.sub(value, base[c][i])));
    }
  }
  return rows;
}

/** Of the polynomial that is one at a mask's row and nought at all others; in the order of the masks. */
const MASK_COEFFICIENTS = Array.from({ length: maskCount }, (_, mask) => {
  const onTrace = Array.from({ length: traceLength }, (_, position) =>
    traceRowAt(traceLength, position) === rowCount + mask ? 1n : 0n,
  );
  return inverseCircleFft(m31, onTrace);
});

/** What the composition tells besides, once every chunk is opened: a column at the rows after the opened ones. */
function nextRowMap(leaves: readonly number[]): bigint[][] {
  const opened = leaves.flatMap(leaf =>
    Array.from({ length: 8 }, (_, slot) => circlePointAt(domainSize, 8 * leaf + slot)),
  );
  const points = opened
    .map(point => addPoints(m31, point, nextRowStep(traceLength)))
    .filter(({ x, y }) => !opened.some(other => other.x === x && other.y === y));
  const bases = points.map(point => circleBasis(m31, point, traceLength));
  return MASK_COEFFICIENTS.map(coefficients =>
    bases.map(basis => basis.reduce((sum, b, j) => (sum + b * coefficients[j]) % m31.modulus, 0n)),
  );
}

/**
 * The coefficient of the highest basis function. The quotients of the random polynomial span all of what FRI is shown but
 * one dimension, so that layers and final polynomial tell this one coefficient of the columns, combined.
 */
const highestCoefficientMap = (): bigint[] =>
  MASK_COEFFICIENTS.map(coefficients => coefficients[traceLength - 1]);

it('has as many masking rows as the openings, the rows after them and the highest coefficient need', () => {
  expect(maskCount).toBe(maskingRowCount(parameters));
  expect(maskCount).toBeGreaterThanOrEqual(2 * (OPENED + EXTENSION_DEGREE) + 1);
});

describe.each(CASES)('the masks of a trace column opened at leaves %i and %i', (...leaves) => {
  const needed = OPENED + 2 * EXTENSION_DEGREE;

  it('make every opening uniform: their map is of full rank, and so with the rows after and the highest coefficient', async () => {
    const map = await maskMap(leaves, pointFor(leaves[0]));
    expect(rankOf(map)).toBe(needed);
    const further = nextRowMap(leaves);
    const highest = highestCoefficientMap();
    const whole = map.map((row, mask) => [...row, ...further[mask], highest[mask]]);
    const neededInAll = needed + further[0].length + 1;
    expect(rankOf(whole)).toBe(neededInAll);
    // With fewer masks than openings something would show.
    expect(rankOf(whole.slice(0, neededInAll - 1))).toBeLessThan(neededInAll);
    expect(rankOf(map.slice(0, OPENED - 1))).toBeLessThan(needed);
  });
});

describe.each([2, 3])('the masks of %i chunks', chunkCount => {
  /** Chunks of nothing under each group of masks, and their values on the domain: the same whatever is opened. */
  const probed: { coordinates: number; chunks: readonly Ext[][]; extended: readonly Ext[][] }[] = [];
  beforeAll(() => {
    const length = geometry.chunkMaskLength;
    const none = Array.from({ length: chunkCount }, () => new Array<Ext>(traceLength).fill(qm31.zero));
    for (let k = 0; k + 1 < chunkCount; k++) {
      for (let j = 0; j < length; j += EXTENSION_DEGREE) {
        // Coordinate c is probed with coefficient j + c of r_k.
        const masks = Array.from({ length: chunkCount - 1 }, () => new Array<Ext>(length).fill(qm31.zero));
        const coordinates = Math.min(EXTENSION_DEGREE, length - j);
        for (let c = 0; c < coordinates; c++) masks[k][j + c] = [0, 1, 2, 3].map(i => (i === c ? 1n : 0n));
        const chunks = maskChunks(qm31, none, masks);
        const extended = chunks.map(chunk => evaluateOnCircle(qm31, chunk, domainSize));
        probed.push({ coordinates, chunks, extended });
      }
    }
  });

  it.each(CASES)('make the openings of all but one uniform at leaves %i and %i', (...leaves) => {
    const z = pointFor(leaves[1]);
    const basis = circleBasis(qm31, z, traceLength);
    const map: bigint[][] = [];
    for (const { coordinates, chunks, extended } of probed) {
      for (let c = 0; c < coordinates; c++) {
        map.push(
          chunks.flatMap((chunk, i) => [
            ...leaves.flatMap(leaf => extended[i].slice(8 * leaf, 8 * leaf + 8).map(value => value[c])),
            ...chunk.reduce(
              (sum, value, m) => (value[c] === 0n ? sum : qm31.add(sum, qm31.scale(basis[m], value[c]))),
              qm31.zero,
            ),
          ]),
        );
      }
    }
    const each = OPENED + EXTENSION_DEGREE;
    expect(rankOf(map)).toBe((chunkCount - 1) * each);
    for (let left = 0; left < chunkCount; left++) {
      // Any chunks but one are uniform together; the last follows from them and from the composition.
      const others = map.map(row => row.filter((_, i) => Math.floor(i / each) !== left));
      expect(rankOf(others)).toBe((chunkCount - 1) * each);
    }
  });
});

it('gives two proofs of the same witness nothing in common but their header', async () => {
  const fibonacci = findAir('raw/fibonacci/v1', 'm31') as Air;
  const attempt = () =>
    prove({
      air: fibonacci,
      witness: fibonacci.witnessFromJson?.({ inputs: { first: '1', second: '1' } }),
      parameters,
    });
  const [first, second] = [await attempt(), await attempt()];
  expect(first.publicInputs).toEqual(second.publicInputs);
  expect(first.starkRootCommitment).not.toBe(second.starkRootCommitment);
  const blocks = (proof: Uint8Array) =>
    new Set(
      Array.from({ length: (proof.length - 20) >> 4 }, (_, i) =>
        proof.slice(20 + 16 * i, 36 + 16 * i).join(),
      ),
    );
  const others = blocks(second.proof);
  const shared = [...blocks(first.proof)].filter(block => others.has(block));
  expect(shared).toEqual([]);
});
