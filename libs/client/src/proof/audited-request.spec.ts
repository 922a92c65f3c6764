import { readFileSync } from 'node:fs';
import { auditedRequest, privateMembersOf } from './audited-request.js';
import { verifyAuditedAnswer } from './verify-audit.js';

type JsonObject = Record<string, unknown>;

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../testing/fixtures/${name}.json`, import.meta.url), 'utf8'));
const CHAIN = fixture('answer') as JsonObject;
const STATEMENTS = fixture('statements') as { name: string; request: JsonObject; answer: JsonObject }[];
const BINDING = { airId: 'binding/v1', statement: 'binding', fieldPrimeHex: '0xffffffff00000001' };
const STATED = { traceLength: 64, friBlowup: 32, parameterSet: 'conjectured96' };

describe('a request as its evidence has it', () => {
  test('gets the published defaults, not what the answer states, and loses what is private', () => {
    expect(auditedRequest({ traceData: 'hello' }, { airId: 'hash-chain/v1', ...STATED })).toEqual({
      traceData: 'hello',
      degree: 65_536,
      friBlowup: 8,
    });
    const sent = { publicInputs: ['1'], privateWitness: ['2'], contextDomain: 'demo' };
    const shown = { publicInputs: ['1'], contextDomain: 'demo', statement: 'binding', friBlowup: 8 };
    expect(auditedRequest(sent, { ...BINDING, ...STATED })).toEqual({ ...shown, parameterSet: 'P100' });
    const m31 = { ...BINDING, ...STATED, fieldPrimeHex: '0x7fffffff' };
    expect(auditedRequest(sent, m31)).toEqual({ ...shown, parameterSet: 'm31' });
    const raw = { airId: 'raw/counter/v1', statement: 'raw', friBlowup: 8, parameterSet: 'P100' };
    expect(
      auditedRequest({ airId: raw.airId, statement: 'raw', trace: [['1']], inputs: {} }, { ...m31, ...raw }),
    ).toEqual({ ...raw, parameterSet: 'm31' });
    const box = { coordinates: [1, 2], altitude: 3, traceData: 'x' };
    expect(auditedRequest(box, { airId: 'spatial-box/v1' })).toEqual({ traceData: 'x' });
    for (const airId of ['binding/v2', 'binding/v1']) {
      expect(privateMembersOf({ airId })).toContain('privateWitness');
    }
    expect(privateMembersOf(BINDING)).toContain('privateWitness');
    expect(privateMembersOf({ airId: 'hash-chain/v1' })).toEqual([]);
  });

  test('that is so already, or of an operation that is not known, stays as it is', () => {
    const whole = { traceData: 'hello', degree: 128, friBlowup: 16 };
    expect(auditedRequest(whole, CHAIN)).toEqual(whole);
    const shown = { statement: 'preimage', friBlowup: 4, parameterSet: 'P128' };
    expect(auditedRequest(shown, BINDING)).toEqual(shown);
    expect(auditedRequest({ any: 1 }, { airId: 'other/v1' })).toEqual({ any: 1 });
    expect(auditedRequest({ any: 1 }, { ...BINDING, fieldPrimeHex: '0x0' })).toEqual({ any: 1 });
  });
});

/** The check of the request comes before that of the proof, which none of these brings. */
const faultOf = (answer: JsonObject, request: JsonObject) =>
  verifyAuditedAnswer({ answer, request, proof: new Uint8Array(), keys: [] }).reason;
const named = (name: string) => STATEMENTS.find(statement => statement.name === name)!;

describe('recorded evidence', () => {
  test('is of the request that was sent', () => {
    expect(faultOf(CHAIN, { traceData: 'hello', degree: 64, friBlowup: 32 })).toBe('stark-invalid');
    for (const { request, answer } of STATEMENTS) expect(faultOf(answer, request)).toBe('stark-invalid');
  });

  test.each([
    ['a degree', { traceData: 'hello', friBlowup: 32 }],
    ['a blowup factor', { traceData: 'hello', degree: 64 }],
    ['both', { traceData: 'hello' }],
    ['nothing but another degree', { traceData: 'hello', degree: 128, friBlowup: 32 }],
    ['nothing but other data', { traceData: 'hellp', degree: 64, friBlowup: 32 }],
  ])('of a chain is not of a request that leaves out %s', (_, request) => {
    expect(faultOf(CHAIN, request)).toBe('request-mismatch');
  });

  test.each([
    ['counter-conjectured96', { parameterSet: undefined }],
    ['counter-m31-fast', { parameterSet: undefined }],
    ['counter', { parameterSet: 'P128' }],
    ['counter', { friBlowup: undefined }],
    ['counter-long', { degree: undefined }],
    ['counter', { zeroKnowledge: true }],
    ['binding', { statement: 'preimage' }],
    ['binding', { publicInputs: ['43'] }],
    ['binding', { contextDomain: undefined }],
  ])('of %s is not of a request with %j', (name, change) => {
    const { request, answer } = named(name);
    const other = JSON.parse(JSON.stringify({ ...request, ...change })) as JsonObject;
    expect(faultOf(answer, other)).toBe('request-mismatch');
  });
});
