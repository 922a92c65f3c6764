import { ActiveInferenceRequest, MODEL_ENTRIES_MAX } from '@svc/contracts';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { RefusedInput } from '../compute/input-problem.js';
import { digestOf } from '../compute/request-faults.js';
import { readInferenceRequest } from './inference-request.js';

const MODEL = ActiveInferenceRequest.meta()!.example as Record<string, unknown>;

const refusalOf = (text: string): RefusedInput['payload'] | undefined => {
  try {
    readInferenceRequest(deflateRawSync(text));
    return undefined;
  } catch (error) {
    if (error instanceof RefusedInput) return error.payload;
    throw error;
  }
};

const wrong = fc.constantFrom<unknown>(-1, 1.5, 65, 257, 2_000, -2_000, '1', null, [], {}, true, [[]], [0.5]);
const rarely = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: wrong });
const probability = rarely(fc.double({ min: 0, max: 1, noNaN: true }));
const listOf = (item: fc.Arbitrary<unknown>) => rarely(fc.array(item, { minLength: 1, maxLength: 3 }));
const requests = fc.record(
  {
    A: listOf(listOf(probability)),
    B: listOf(listOf(listOf(probability))),
    C: listOf(rarely(fc.double({ min: -1_000, max: 1_000, noNaN: true }))),
    D: rarely(fc.array(probability, { minLength: 1, maxLength: 300 })),
    E: listOf(probability),
    observations: rarely(fc.array(rarely(fc.nat(255)), { minLength: 1, maxLength: 70 })),
    policyLength: rarely(fc.integer({ min: 1, max: 8 })),
    gamma: rarely(fc.double({ min: 0, max: 1_000, noNaN: true })),
    alpha: rarely(fc.double({ min: 0, max: 1_000, noNaN: true })),
    extra: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wrong }),
  },
  { requiredKeys: ['A', 'B', 'C', 'D', 'observations'] },
);

const topsOf = (paths: readonly string[]) => [...new Set(paths.map(path => path.split(/[.[]/)[0]))].sort();

it('takes and refuses what the published schema does, at the same places, and fills in the same defaults', () => {
  let taken = 0;
  fc.assert(
    fc.property(requests, request => {
      const text = JSON.stringify(request);
      const parsed = ActiveInferenceRequest.safeParse(JSON.parse(text));
      if (parsed.success) {
        taken++;
        expect(readInferenceRequest(deflateRawSync(text))).toEqual(parsed.data);
        return;
      }
      const refusal = refusalOf(text)!;
      expect(refusal.code).toBe('VALIDATION_FAILED');
      const places = parsed.error.issues.flatMap(issue =>
        issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])],
      );
      // Thirty-two faults are named at most.
      if (refusal.errors!.length < 32) {
        expect(topsOf(refusal.errors!.map(({ path }) => path))).toEqual(topsOf(places));
      }
    }),
    { numRuns: 500, seed: 20_261_122 },
  );
  expect(taken).toBeGreaterThan(25);
});

it.each([
  ['a negative probability', { D: [0.5, -0.5, 1] }, 'D[1]', 0, -0.5],
  ['a probability beyond 1', { A: [[1, 1.5]] }, 'A[0][1]', 1, 1.5],
  ['a text for a number', { B: [[['x']]] }, 'B[0][0][0]', 'number', 'x'],
  ['a model without priors', { D: undefined }, 'D', 'array', undefined],
  ['an empty list', { C: [] }, 'C', 1, 'array of 0'],
  ['too many states', { D: Array(257).fill(0) }, 'D', 256, 'array of 257'],
  ['half an observation', { observations: [0.5] }, 'observations[0]', 'int', 0.5],
  ['a null for a precision', { gamma: null }, 'gamma', 'number', null],
  ['an unknown field', { states: 5 }, 'states', undefined, 5],
])('%s: names field, bound and value', (_name, changed, path, bound, got) => {
  const [fault] = refusalOf(JSON.stringify({ ...MODEL, ...changed }))!.errors!;
  expect([fault.path, fault.bound, fault.got]).toEqual([path, bound, got]);
});

it('refuses a model of too many numbers by their number, wherever they lie', () => {
  const B = Array(64).fill(Array(13).fill(Array(256).fill(0))) as number[][][];
  for (const changed of [{ B }, { A: undefined, B }, { A: [0, ...B[0]], B }]) {
    expect(refusalOf(JSON.stringify({ ...MODEL, ...changed }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'B', bound: MODEL_ENTRIES_MAX, got: 'array of 64' }],
    });
  }
});

it.each([
  ['values', `{"C":[${'0,'.repeat(270_000)}0]}`, 262_144],
  ['arrays and objects', `{"C":[${'[],'.repeat(70_000)}0]}`, 65_536],
])('refuses a text of more %s than any body has before it makes them', (what, text, bound) => {
  expect(refusalOf(text)).toEqual({
    code: 'BODY_TOO_LARGE',
    detail: `The body holds more than ${bound} ${what}`,
    errors: [{ path: '', message: `holds too many ${what}`, bound }],
  });
});

it('refuses a number that no double holds, at its place', () => {
  const refusal = refusalOf(JSON.stringify({ ...MODEL, gamma: 7 }).replace('"gamma":7', '"gamma":1e400'));
  expect(refusal).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ path: 'gamma', bound: Number.MAX_VALUE, got: 'Infinity' }],
  });
});

it('has one digest of a request, however its members are ordered and spaced, with its defaults', () => {
  const text = '{ "observations":[0], "D":[1],"C":[-0],"B":[[[1.0]]],"A":[[1e0]]}';
  const canonical =
    '{"A":[[1]],"B":[[[1]]],"C":[0],"D":[1],"alpha":16,"gamma":16,"observations":[0],"policyLength":1}';
  const digest = digestOf({ ...readInferenceRequest(deflateRawSync(text)) });
  expect(Buffer.from(digest)).toEqual(createHash('sha256').update(canonical).digest());
});
