import {
  batchInverse,
  type Ext,
  type ExtensionField,
  extFromWords,
  evaluatePolynomial,
  type Field,
  goldilocks,
  powers,
  Transcript,
} from '@svc/kernels';
import { type Air, fibonacciAir } from '@svc/stark-air';
import {
  FOLDING_FACTOR,
  layerDomain,
  maskingRowCount,
  type ProofGeometry,
  proofGeometry,
  type ProofParameters,
  verify,
} from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { seededRandomSource } from '../testing/seeded-random.js';
import { drawMasks, type ZeroKnowledgeMasks } from './masks.js';
import { prove } from './prove.js';
import { maskChunks } from './reference-composition.js';
import { ReferenceSession } from './reference-session.js';

const parametersOf = (profile: 'gl2' | 'gl3', queryCount: number): ProofParameters => ({
  profile,
  traceLength: 2048,
  blowupFactor: 2,
  queryCount,
  grindingBits: 0,
  zeroKnowledge: true,
});

/** Number of linearly independent rows. */
function rankOf<E>(field: Field<E>, rows: readonly (readonly E[])[]): number {
  const left = rows.map(row => [...row]);
  let rank = 0;
  for (let column = 0; column < (left[0]?.length ?? 0); column++) {
    const pivot = left.findIndex((row, i) => i >= rank && !field.equals(row[column], field.zero));
    if (pivot < 0) continue;
    [left[rank], left[pivot]] = [left[pivot], left[rank]];
    const [inverse] = batchInverse(field, [left[rank][column]]);
    for (let i = rank + 1; i < left.length; i++) {
      const factor = field.mul(left[i][column], inverse);
      if (field.equals(factor, field.zero)) continue;
      for (let j = column; j < left[i].length; j++) {
        left[i][j] = field.sub(left[i][j], field.mul(factor, left[rank][j]));
      }
    }
    rank++;
  }
  return rank;
}

const transpose = <T>(rows: readonly (readonly T[])[]): T[][] =>
  rows[0].map((_, i) => rows.map(row => row[i]));

/** An AIR of `columnCount` columns of zeros that demands nothing of them: what is opened are the masks alone. */
function blankAir(columnCount: number): Air<null, null> {
  return {
    id: 'test/blank/v1',
    field: 'goldilocks',
    zeroKnowledge: 'always',
    columnCount,
    constraintDegree: 1,
    transitionNames: ['nothing'],
    traceLengthMin: 64,
    periodicColumns: [],
    transitionOperations: { additions: 0, multiplications: 0 },
    evaluateTransition: field => [field.zero],
    boundaryConstraints: () => [],
    publicInputElements: () => [],
    publicInputsFromJson: () => null,
    publicInputsToJson: () => ({}),
    rowsNeeded: () => 2,
    execute: (_field, _witness, rowCount) => ({
      columns: Array.from({ length: columnCount }, () => new BigUint64Array(rowCount)),
      publicInputs: null,
    }),
    executionOperations: () => ({ additions: 0, multiplications: 0 }),
  };
}

/**
 * The map from the masks of one column to what a proof tells of the column, read off the reference prover: column j of a
 * blank trace has a one in mask row j, so that its openings are the images of that unit vector.
 */
async function traceOpenings(parameters: ProofParameters, positions: readonly number[]) {
  const key = JSON.stringify(parameters);
  const trace = blankTraces.get(key) ?? blankTrace(parameters);
  blankTraces.set(key, trace);
  return openingsOf(await trace, positions);
}

/** By parameters: a trace is the same whatever is opened of it. */
const blankTraces = new Map<string, ReturnType<typeof blankTrace>>();

async function blankTrace(parameters: ProofParameters) {
  const maskCount = maskingRowCount(parameters);
  const air = blankAir(maskCount);
  const geometry = proofGeometry(parameters, air);
  const traceRows = new BigUint64Array(maskCount * maskCount);
  for (let j = 0; j < maskCount; j++) traceRows[j * maskCount + j] = 1n;
  const masks = { ...(drawMasks(geometry, seededRandomSource('rank')) as ZeroKnowledgeMasks), traceRows };
  const session = new ReferenceSession({ air, witness: null, parameters }, goldilocks);
  await session.execute(masks);
  await session.commitTrace();
  return { parameters, maskCount, geometry, session };
}

async function openingsOf(
  { parameters, maskCount, geometry, session }: Awaited<ReturnType<typeof blankTrace>>,
  positions: readonly number[],
) {
  const transcript = new Transcript();
  transcript.absorb(0, Uint8Array.from(positions.map(q => q & 255)));
  const point = geometry.profile.drawPoint(transcript, geometry);
  const { traceAtZ, traceAtZNext } = await session.evaluateOutOfDomain(point);
  // One row a coordinate of f(z) and of f(h·z), one entry a mask.
  const outOfDomain = [...transpose(traceAtZ), ...transpose(traceAtZNext)];
  /** One row for each of the 8 values of each coset. */
  const opened = async (cosets: readonly number[]) => {
    const ascending = [...new Set(cosets)].sort((a, b) => a - b);
    const [{ leaves }] = await session.open(ascending);
    return ascending.flatMap((_, i) => {
      const rows = leaves.subarray(i * geometry.traceLeafBytes, (i + 1) * geometry.traceLeafBytes);
      const words = new BigUint64Array(rows.slice(0, rows.length - geometry.saltBytes).buffer);
      return Array.from({ length: FOLDING_FACTOR }, (_, k) => [
        ...words.subarray(k * maskCount, (k + 1) * maskCount),
      ]);
    });
  };
  const leafCount = geometry.leafCounts[0];
  const nextCosets = positions.map(q => (q + parameters.blowupFactor) % leafCount);
  return {
    geometry,
    openings: [...(await opened(positions)), ...outOfDomain],
    withNextRows: [...(await opened([...positions, ...nextCosets])), ...outOfDomain],
  };
}

// Neighbours, a wrap past the last coset, far apart; no set holds a coset and its next row's, which would be told once.
const POSITION_SETS: Readonly<Record<number, readonly (readonly number[])[]>> = {
  1: [[0], [511], [37]],
  2: [
    [0, 1],
    [510, 511],
    [100, 301],
  ],
  3: [[7, 200, 401]],
};

describe.each([
  ['gl2', 2],
  ['gl3', 2],
  ['gl2', 3],
] as const)('the masks of a column over %s with %i queries', (profile, queryCount) => {
  const parameters = parametersOf(profile, queryCount);
  const opened = FOLDING_FACTOR * queryCount;

  it.each(POSITION_SETS[queryCount].map(positions => [positions]))(
    'make all that is opened at cosets %p uniform: rank 8q + 2e, and 16q + 2e with the next rows that the composition tells of',
    async positions => {
      const { geometry, openings, withNextRows } = await traceOpenings(parameters, positions);
      const { degree } = geometry.profile.extension;
      expect(rankOf(goldilocks, openings)).toBe(opened + 2 * degree);
      expect(rankOf(goldilocks, withNextRows)).toBe(2 * opened + 2 * degree);

      // With fewer masks something is told: too few to fill the opened values, and too few for the next rows.
      const withMasks = (rows: readonly bigint[][], count: number) => rows.map(row => row.slice(0, count));
      expect(rankOf(goldilocks, withMasks(openings, opened - 1))).toBeLessThan(opened + 2 * degree);
      expect(rankOf(goldilocks, withMasks(openings, opened + 2 * degree - 1))).toBeLessThan(
        opened + 2 * degree,
      );
      const enoughForOpeningsAlone = opened + 2 * degree + 16;
      expect(rankOf(goldilocks, withMasks(withNextRows, enoughForOpeningsAlone))).toBe(
        Math.min(enoughForOpeningsAlone, 2 * opened + 2 * degree),
      );
    },
  );
});

it('would not hide the next rows with 8q + 2e + 16 masks, once there are more than two queries', async () => {
  const parameters = parametersOf('gl2', 3);
  const { withNextRows } = await traceOpenings(parameters, POSITION_SETS[3][0]);
  const fewer = withNextRows.map(row => row.slice(0, 8 * 3 + 2 * 2 + 16));
  expect(rankOf(goldilocks, fewer)).toBeLessThan(16 * 3 + 2 * 2);
});

// Of many queries two cosets are looked at: the masks of one chunk are a Vandermonde matrix at any number of points.
describe.each([
  ['gl2', 2, 2, 3],
  ['gl3', 1, 1, 3],
  ['gl2', 42, 2, 4],
  ['gl3', 57, 1, 5],
] as const)('the masks of the chunks over %s with %i queries', (profile, queryCount, cosetCount, chunks) => {
  const parameters = parametersOf(profile, queryCount);
  const geometry = proofGeometry(parameters, { columnCount: 1, constraintDegree: 3 });
  const extension = geometry.profile.extension;
  const points = openedPoints(geometry, POSITION_SETS[cosetCount][1]);
  const openingCount = points.length;

  it(`hide ${chunks} chunks, in as many coefficients as are opened anywhere`, () => {
    expect(geometry.chunkCount).toBe(chunks);
    expect(geometry.chunkMaskLength).toBeGreaterThan(8 * queryCount + 1);
  });

  /** For each mask coefficient, the values of each chunk at the opened points and at z. */
  const images = chunkMaskImages(extension, geometry, points);
  const chunkValues = (chunk: number) => images.map(values => values[chunk]);

  it('make each chunk uniform where it is opened: rank 8q + 1 over the extension, e·(8q + 1) over the base field', () => {
    expect(openingCount).toBe(8 * cosetCount + 1);
    for (let chunk = 0; chunk < geometry.chunkCount; chunk++) {
      expect(rankOf(extension, chunkValues(chunk))).toBe(openingCount);
    }
  });

  it('make all chunks but one independent, and cancel in their sum', () => {
    expect(
      rankOf(
        extension,
        images.map(values => values.flat()),
      ),
    ).toBe((geometry.chunkCount - 1) * openingCount);
    for (const values of images) {
      points.forEach((x, i) => {
        const step = powers(extension, x, geometry.rowCount + 1)[geometry.rowCount];
        const sum = evaluatePolynomial(
          extension,
          values.map(chunk => chunk[i]),
          step,
        );
        expect(sum).toEqual(extension.zero);
      });
    }
  });

  it('would leave a chunk deficient if they were fewer than it is opened at', () => {
    const fewer = chunkMaskImages(extension, geometry, points, openingCount - 1);
    expect(
      rankOf(
        extension,
        fewer.map(values => values[0]),
      ),
    ).toBeLessThan(openingCount);
  });
});

function openedPoints(
  { domainSize, profile, leafCounts }: ProofGeometry,
  positions: readonly number[],
): Ext[] {
  const { offset, generator } = layerDomain(0, domainSize);
  const domain = powers(goldilocks, generator, domainSize);
  const rows = positions.flatMap(q =>
    Array.from({ length: FOLDING_FACTOR }, (_, k) => q + k * leafCounts[0]),
  );
  const z = Array.from({ length: profile.extension.degree }, (_, c) => BigInt(3 + c));
  return [...rows.map(row => profile.extension.fromBase(goldilocks.mul(offset, domain[row]))), z];
}

function chunkMaskImages(
  extension: ExtensionField,
  { chunkCount, rowCount, chunkMaskLength }: ProofGeometry,
  points: readonly Ext[],
  maskLength = Math.min(chunkMaskLength, points.length + 4),
): Ext[][][] {
  // The values of a masked chunk by linearity: coefficient i of the chunk stands for x^i.
  const zero = Array.from({ length: rowCount }, () => extension.zero);
  const noMasks = () =>
    Array.from({ length: chunkCount - 1 }, () => Array.from({ length: maskLength }, () => extension.zero));
  const tables = points.map(x => powers(extension, x, rowCount + maskLength));
  const images: Ext[][][] = [];
  for (let mask = 0; mask < chunkCount - 1; mask++) {
    for (let i = 0; i < maskLength; i++) {
      const masks = noMasks();
      masks[mask][i] = extension.one;
      const masked = maskChunks(
        extension,
        Array.from({ length: chunkCount }, () => zero),
        masks,
      );
      images.push(
        masked.map(chunk =>
          tables.map(table =>
            chunk.reduce(
              (sum, c, k) =>
                extension.equals(c, extension.zero) ? sum : extension.add(sum, extension.mul(c, table[k])),
              extension.zero,
            ),
          ),
        ),
      );
    }
  }
  return images;
}

describe('a proof in zero knowledge', () => {
  const air = fibonacciAir as Air;
  const witness = { first: 1n, second: 1n };
  const parameters = parametersOf('gl2', 2);

  const proofs = () => Promise.all([0, 1].map(() => prove({ air, witness, parameters })));
  let drawn: Awaited<ReturnType<typeof proofs>>;
  beforeAll(async () => {
    drawn = await proofs();
  });

  it('of the same witness is another proof each time, and both are accepted', () => {
    expect(drawn[0].starkRootCommitment).not.toBe(drawn[1].starkRootCommitment);
    expect(Buffer.compare(drawn[0].proof, drawn[1].proof)).not.toBe(0);
    for (const { proof, airId, publicInputs } of drawn) {
      const claim = { proof, airId, publicInputs: air.publicInputsToJson(publicInputs) };
      expect(verify(claim, laxPolicy(parameters)).valid).toBe(true);
    }
  });

  it('of the same witness and the same randomness is the same proof', async () => {
    const [a, b] = await Promise.all(
      ['same', 'same'].map(seed => prove({ air, witness, parameters, random: seededRandomSource(seed) })),
    );
    expect(Buffer.compare(a.proof, b.proof)).toBe(0);
    expect(Buffer.compare(a.proof, drawn[0].proof)).not.toBe(0);
  });

  it('opens nothing but masked values: each of its rows changes with the masks', async () => {
    const seeds = ['one', 'two'];
    const geometry = proofGeometry(parameters, air);
    const rows = await Promise.all(
      seeds.map(async seed => {
        const session = new ReferenceSession({ air, witness, parameters }, goldilocks);
        await session.execute(drawMasks(geometry, seededRandomSource(seed)));
        await session.commitTrace();
        const [{ leaves }] = await session.open([3, 77]);
        return extFromWords(new BigUint64Array(leaves.slice(0, 8 * 8 * air.columnCount).buffer), 1);
      }),
    );
    expect(rows[0].every(([value], i) => value !== rows[1][i][0])).toBe(true);
  });
});
