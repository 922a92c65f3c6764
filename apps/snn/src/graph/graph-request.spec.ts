import { SolveGraphRequest } from '@svc/contracts';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { RefusedInput } from '../compute/input-problem.js';
import { type GraphRequest, readGraphRequest } from './graph-request.js';

const read = (value: unknown): GraphRequest => readGraphRequest(deflateRawSync(JSON.stringify(value)));
const refusalOf = (value: unknown): RefusedInput['payload'] | undefined => {
  try {
    read(value);
    return undefined;
  } catch (error) {
    if (error instanceof RefusedInput) return error.payload;
    throw error;
  }
};

const edge = (wrong: fc.Arbitrary<unknown>) =>
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.tuple(fc.nat(99_999), fc.nat(99_999), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
    },
    { weight: 1, arbitrary: fc.tuple(wrong, fc.nat(9), fc.integer()) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(9), wrong, wrong) },
    { weight: 1, arbitrary: wrong },
  );
const wrong = fc.constantFrom<unknown>(-1, 1.5, 100_000, 2e9, -2e9, '1', null, [], {}, true, 2 ** 32);
const member = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong });
const requests = fc.record(
  {
    problem: member(fc.constantFrom('sssp', 'maxcut', 'mis', 'coloring', 'hopfield')),
    nodes: member(fc.integer({ min: 1, max: 100_000 })),
    edges: fc.oneof(
      { weight: 12, arbitrary: fc.array(edge(wrong), { maxLength: 4 }) },
      { weight: 1, arbitrary: wrong },
    ),
    source: member(fc.nat(99_999)),
    target: member(fc.nat(99_999)),
    seed: member(fc.nat(2 ** 32 - 1)),
    steps: member(fc.integer({ min: 1, max: 1_000_000 })),
    restarts: member(fc.integer({ min: 1, max: 1_000 })),
    extra: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wrong }),
  },
  { requiredKeys: ['problem', 'nodes', 'edges'] },
);

it('takes and refuses what the published schema takes and refuses, at the same places', () => {
  let taken = 0;
  fc.assert(
    fc.property(requests, request => {
      const sent: unknown = JSON.parse(JSON.stringify(request));
      const parsed = SolveGraphRequest.safeParse(sent);
      const refusal = refusalOf(sent);
      expect(refusal === undefined).toBe(parsed.success);
      if (parsed.success) return void taken++;
      expect(refusal!.code).toBe('VALIDATION_FAILED');
      const places = parsed.error.issues.flatMap(({ code, path, ...issue }) =>
        code === 'unrecognized_keys' ? (issue as unknown as { keys: string[] }).keys : [topOf(path)],
      );
      // The schema stops at a tuple of another length; which members are at fault is the same.
      const topsOf = (paths: readonly string[]) =>
        [...new Set(paths.map(path => path.split(/[.[]/)[0]))].sort();
      expect(topsOf(refusal!.errors!.map(({ path }) => path))).toEqual(topsOf(places));
    }),
    { numRuns: 500, seed: 20_261_122 },
  );
  expect(taken).toBeGreaterThan(50);
});

const topOf = (path: readonly PropertyKey[]) => String(path[0] ?? '');

it('has the edges in columns, and the digest of the request however its members are ordered and spaced', () => {
  const text = '{ "nodes": 3, "problem":"maxcut","edges":[[0,1,0.5],[2, 1, -1e1]] }';
  const { problem, requestDigest } = readGraphRequest(deflateRawSync(text));
  expect([...problem.u, ...problem.v, ...problem.w]).toEqual([0, 2, 1, 1, 0.5, -10]);
  const canonical = '{"edges":[[0,1,0.5],[2,1,-10]],"nodes":3,"problem":"maxcut"}';
  expect(Buffer.from(requestDigest)).toEqual(createHash('sha256').update(canonical).digest());
  expect(problem.u.buffer).toBeInstanceOf(SharedArrayBuffer);
});

it('refuses more edges than it takes by their number alone', () => {
  const edges = Array.from({ length: 1_000_001 }, () => 0);
  expect(refusalOf({ problem: 'mis', nodes: 2, edges })).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ path: 'edges', bound: 1_000_000, got: 'array of 1000001' }],
  });
});

/** A text that packs to some kilobytes, and that a parser would fill its heap with. */
const textOf = (edge: string, count: number) =>
  deflateRawSync(`{"problem":"mis","nodes":2,"edges":[${`${edge},`.repeat(count)}[0,1,1]]}`);

it.each([
  ['arrays within arrays', textOf('['.repeat(60) + ']'.repeat(60), 25_000)],
  ['empty objects', textOf('{}', 1_300_000)],
  ['numbers', textOf('0.1', 4_100_000)],
])('refuses more %s than any graph has before it makes them', (_, bytes) => {
  let refused: unknown;
  try {
    readGraphRequest(bytes);
  } catch (error) {
    refused = (error as { payload: unknown }).payload;
  }
  // What was made would be told of by what was got.
  const message = 'Too big: expected array to have <=1000000 items';
  expect(refused).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ path: 'edges', message, bound: 1_000_000 }],
  });
  expect(refused).not.toMatchObject({ errors: [{ got: expect.anything() }] });
});

it('refuses an object of more members than any request has before it makes it', () => {
  const members = Array.from({ length: 20_000 }, (_, at) => `"m${at}":1`).join();
  expect(() => readGraphRequest(deflateRawSync(`{${members}}`))).toThrow('at most 10000 members');
});
