import { readFileSync } from 'node:fs';
import { preimageDigest } from '@svc/stark-verifier';
import { statement, type Term } from '../air/index.js';
import type { ProvePath } from '../client.js';
import { askedStatement } from './asked-statement.js';
import { verifyBought } from './verify-bought.js';

type JsonObject = Record<string, unknown>;

interface Bought {
  readonly name: string;
  readonly path: ProvePath;
  readonly request: JsonObject;
  readonly answer: JsonObject;
}

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../testing/fixtures/${name}.json`, import.meta.url), 'utf8'));
/** Recorded answers of the product, each with the request that it is of. */
const RECORDED: readonly Bought[] = [
  {
    name: 'chain',
    path: '/v1/zk/prove',
    request: { traceData: 'hello', degree: 64, friBlowup: 32 },
    answer: fixture('answer') as JsonObject,
  },
  ...(fixture('statements') as Bought[]),
  // Sold before: version 2 of the proof format, and the first version of binding and preimage.
  ...(fixture('earlier-statements') as Bought[]),
];

function recorded(name: string): Bought {
  const found = RECORDED.find(bought => bought.name === name);
  if (found === undefined) throw new Error(`no answer is recorded of ${name}`);
  return found;
}

/** The answer with everything that it states made what was asked for; the proof stays as it is. */
function lying({ path, answer }: Bought, request: JsonObject): JsonObject {
  const asked = askedStatement(path, request, answer['opening'], answer['airId']);
  const { airId, contextDomain, parameterSet, parameters } = asked;
  const publicInputs = { ...(answer['publicInputs'] as JsonObject), ...asked.publicInputs };
  const { traceLength, blowupFactor: friBlowup, zeroKnowledge } = parameters;
  const stated = { airId, contextDomain, parameterSet, publicInputs, traceLength, friBlowup, zeroKnowledge };
  return { ...answer, ...stated };
}

const NEURON = recorded('neuron-m31').request['inputs'] as JsonObject;

/**
 * What was asked for where a proxy made another request of it, so that the answer is true but of something else: the first
 * member that tells, and what tells where the answer is made to state what was asked for.
 */
const REWRITTEN: readonly (readonly [
  name: string,
  asked: JsonObject,
  member: string,
  whereTheAnswerLies: string,
])[] = [
  ['chain', { degree: 128 }, 'traceLength: 128 was asked for, the answer has 64', 'trace-length-mismatch'],
  ['chain', { degree: undefined }, 'traceLength: 65536', 'trace-length-mismatch'],
  ['chain', { friBlowup: 16 }, 'friBlowup: 16 was asked for, the answer has 32', 'friBlowup'],
  ['chain', { friBlowup: undefined }, 'friBlowup: 8', 'friBlowup'],
  ['chain', { traceData: 'hellp' }, 'publicInputs.inputDigest', 'composition|constraints'],
  ['chain', { traceData: 'hello!' }, 'publicInputs.length: 6', 'composition|constraints'],
  ['chain', { traceData: '0x68656c6c6f' }, 'publicInputs.domain: "hex"', 'composition|constraints'],
  ...['binding', 'binding-m31', 'earlier binding'].flatMap(
    name =>
      [
        [name, { publicInputs: ['43'] }, 'publicInputs.publicInputs: ["0x2b"]', 'constraints'],
        [name, { privateWitness: ['8'] }, 'publicInputs.commitment', 'constraints'],
        [name, { contextDomain: 'other' }, 'contextDomain: "other"', 'constraints'],
        [name, { contextDomain: undefined }, 'contextDomain: "" was asked for', 'constraints'],
        [name, { friBlowup: 16 }, 'friBlowup: 16', 'friBlowup'],
        [
          name,
          { statement: 'raw', publicInputs: undefined, privateWitness: undefined, ...counter({}) },
          'airId: "raw/counter/v1"',
          '.',
        ],
      ] as const,
  ),
  [
    'preimage',
    { publicInputs: preimageDigest('goldilocks', '', ['8']), privateWitness: ['8'] },
    'publicInputs.digest',
    'constraints',
  ],
  ...['counter', 'counter-m31'].flatMap(
    name =>
      [
        [name, counter({ start: '6' }), 'publicInputs.start: "0x', 'constraints'],
        [name, counter({ step: '4' }), 'publicInputs.step: "0x', 'constraints'],
        [name, counter({ rows: 10 }), 'publicInputs.rows: 10 was asked for, the answer has 9', 'constraints'],
        [name, counter({ rows: undefined }), 'publicInputs.rows: 64', 'constraints'],
        [name, { degree: 128 }, 'traceLength: 128', 'trace-length-mismatch'],
        [name, { zeroKnowledge: true }, 'traceLength: ', 'trace-length-mismatch'],
        [name, { contextDomain: 'other' }, 'contextDomain: "other"', 'constraints'],
      ] as const,
  ),
  [
    'counter-long',
    { zeroKnowledge: true },
    'zeroKnowledge: true was asked for, the answer has false',
    'zeroKnowledge: true was asked for, the proof has false',
  ],
  ['counter', { parameterSet: 'P128' }, 'parameterSet: "P128"', 'parameterSet: "P128"'],
  [
    'counter-conjectured96',
    { parameterSet: undefined },
    'parameterSet: "P100" was asked for, the answer has "conjectured96"',
    'insufficient-security',
  ],
  ['counter-conjectured96', { parameterSet: 'P100' }, 'parameterSet: "P100"', 'parameterSet: "P100"'],
  ['counter-m31-fast', { parameterSet: undefined }, 'parameterSet: "m31"', 'insufficient-security'],
  ['counter-m31-fast', { parameterSet: 'm31' }, 'parameterSet: "m31"', 'parameterSet: "m31"'],
  [
    'trace',
    {
      trace: [
        ['1', '2', '3'],
        ['2', '3', '5'],
      ],
    },
    'publicInputs.second',
    'constraints',
  ],
  ...['own', 'own-m31'].flatMap(
    name =>
      [
        [name, { public: { k: 2 } }, 'publicInputs.k: "0x', 'constraints'],
        [name, { start: { x: 3 } }, 'publicInputs.start: "0x', 'constraints'],
        [name, { rows: 6 }, 'publicInputs.rows: 6 was asked for, the answer has 5', 'constraints'],
        [name, { zeroKnowledge: undefined }, 'traceLength: ', 'trace-length-mismatch'],
        [name, { air: renamed(name) }, 'airId: "air/sha256:', 'constraints'],
      ] as const,
  ),
  ['neuron-m31', { inputs: { ...NEURON, decay: 3901 } }, 'publicInputs.decay: 3901', 'constraints'],
  ['neuron-m31', { inputs: { ...NEURON, currents: [1, 2] } }, 'publicInputs.finalPotential', 'constraints'],
];

/** The definition of a recorded request with another name, so that it is another statement. */
function renamed(name: string): JsonObject {
  const air = recorded(name).request['air'] as JsonObject;
  return { ...air, constraints: [{ ...(air['constraints'] as JsonObject[])[0], name: 'other' }] };
}

function counter(change: JsonObject): JsonObject {
  return { airId: 'raw/counter/v1', inputs: { start: '5', step: '3', rows: 9, ...change } };
}

/** As JSON carries it: without the members that are undefined. */
const asSent = (request: JsonObject) => JSON.parse(JSON.stringify(request)) as JsonObject;

describe('a proof that was bought', () => {
  test.each(RECORDED.map(({ name }) => name))('holds of what was asked for: %s', name => {
    expect(verifyBought(recorded(name))).toMatchObject({ valid: true });
  });

  test('of a statement that another has replaced holds still, and as one under a definition says what it leaves open', () => {
    for (const { name } of RECORDED) {
      const { airId, doesNotProve } = verifyBought(recorded(name)) as {
        airId: string;
        doesNotProve?: string;
      };
      const saysSo = airId === 'binding/v1' || airId === 'preimage/v1' || airId.startsWith('air/');
      expect([name, doesNotProve !== undefined]).toEqual([name, saysSo]);
    }
    const bought = recorded('earlier preimage');
    for (const airId of [undefined, 'preimage/v2']) {
      const answer = { ...bought.answer, airId };
      expect(verifyBought({ ...bought, answer })).toMatchObject({ valid: false, airId: 'preimage/v2' });
    }
  });

  test.each(REWRITTEN)('of %s does not hold where %j was asked for', (name, asked, member, lie) => {
    const bought = recorded(name);
    const request = asSent({ ...bought.request, ...asked });
    const verdict = verifyBought({ ...bought, request });
    expect(verdict).toMatchObject({ valid: false, reason: 'statement-mismatch' });
    expect((verdict as { detail: string }).detail).toContain(member);
    const lied = verifyBought({ ...bought, request, answer: lying(bought, request) });
    expect(lied.valid).toBe(false);
    const { reason, detail } = lied as { reason: string; detail?: string };
    expect(`${reason}: ${detail ?? ''}`).toMatch(new RegExp(lie));
  });

  test('of a long trace under a definition is held to what the request gives', () => {
    const s = statement('goldilocks');
    const x = s.column('x');
    let value: Term = x;
    for (let i = 0n; i < 40n; i++) value = value.add(x.mul(s.constant(i + 7n)));
    s.require('step', x.next.sub(value.add(s.public('k'))));
    s.first(x, s.public('start'));
    s.at(x, 5, s.public('sixth'));
    s.last(x, s.public('end'));
    const request = { statement: 'own', air: s.json(), start: { x: 2 }, public: { k: 1 } };
    const inputsOf = (rows: number) =>
      Object.keys(askedStatement('/v1/stark/prove-goldilocks', { ...request, rows }).publicInputs);
    expect(inputsOf(100)).toEqual(['rows', 'k', 'start', 'sixth', 'end']);
    expect(inputsOf(65_536)).toEqual(['rows', 'k', 'start']);
  });

  test('has the rows that the published rules give it, whatever the answer says of its degree', () => {
    const { path, answer } = recorded('chain');
    const request = { traceData: 'hello', degree: 8, friBlowup: 32 };
    expect(verifyBought({ path, request, answer: { ...answer, degree: 8 } })).toMatchObject({ valid: true });
  });

  test.each(['binding', 'binding-m31'])('of %s does not hold with another salt, or without one', name => {
    const bought = recorded(name);
    const { opening: _opening, ...bare } = bought.answer;
    const opening = { salt: `0x${'5a'.repeat(24)}` };
    expect(verifyBought({ ...bought, answer: { ...bare, opening } })).toMatchObject({
      reason: 'statement-mismatch',
      detail: expect.stringContaining('publicInputs.commitment'),
    });
    for (const answer of [bare, { ...bare, opening: null }, { ...bare, opening: { salt: '0x' } }])
      expect(verifyBought({ ...bought, answer })).toMatchObject({
        reason: 'statement-unknown',
        detail: expect.stringContaining('salt'),
      });
  });

  test.each([
    ['counter', { contextDomain: 'other' }],
    ['counter', { degree: 128 }],
    ['counter', { friBlowup: 16 }],
    ['counter-long', { zeroKnowledge: true }],
    ['counter', { parameterSet: 'P128' }],
  ])('of %s does not hold where %j was asked for and the answer says nothing of it', (name, asked) => {
    const bought = recorded(name);
    const { proof, publicInputs } = bought.answer;
    const answer = { proof, publicInputs };
    expect(verifyBought({ ...bought, answer })).toMatchObject({ valid: true });
    const request = { ...bought.request, ...asked };
    expect(verifyBought({ ...bought, request, answer })).toMatchObject({ valid: false });
  });

  test('does not hold of a request that the published rules refuse', () => {
    const bought = recorded('counter');
    for (const change of [{ friBlowup: 3 }, { more: 1 }, { airId: 'raw/other/v1' }, { inputs: {} }]) {
      const verdict = verifyBought({ ...bought, request: { ...bought.request, ...change } });
      expect(verdict).toMatchObject({ valid: false, reason: 'statement-unknown' });
    }
  });

  test('of a set below the default is taken where its name was asked for, unless more is wanted', () => {
    const bought = recorded('counter-m31-fast');
    expect(verifyBought(bought)).toMatchObject({ valid: true, securityBits: 60 });
    expect(verifyBought({ ...bought, securityBitsMin: 61 })).toMatchObject({
      reason: 'insufficient-security',
    });
  });

  test('does not hold where the answer has no public inputs, or none that the AIR reads', () => {
    const bought = recorded('counter');
    for (const publicInputs of [undefined, null, 'x', [], {}, { start: '5' }])
      expect(verifyBought({ ...bought, answer: { ...bought.answer, publicInputs } }).valid).toBe(false);
  });
});
