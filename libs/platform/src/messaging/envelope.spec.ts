import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import {
  copyOfPlain,
  decodeEnvelope,
  encodeEnvelope,
  ENVELOPE_BYTES_MAX,
  ENVELOPE_DEPTH_MAX,
  ENVELOPE_JSON_BYTES_MAX,
  EnvelopeEncodeError,
} from './envelope.js';

const roundTrip = (value: unknown) => {
  const decoded = decodeEnvelope(encodeEnvelope(value));
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
};

/** An envelope by hand: any JSON text, any raw bytes. */
function envelope(json: string | Uint8Array, raw: number[] = [], claimedBytes?: number): Uint8Array {
  const text = typeof json === 'string' ? new TextEncoder().encode(json) : json;
  const bytes = new Uint8Array(4 + text.length + raw.length);
  new DataView(bytes.buffer).setUint32(0, claimedBytes ?? text.length, true);
  bytes.set(text, 4);
  bytes.set(raw, 4 + text.length);
  return bytes;
}

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 40 }),
);
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('$bytes', '$', '$$bytes', '__proto__', 'toString', '0', 'constructor'),
);
const { value: anyValue } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(entries => Object.fromEntries(entries)),
}));

describe('envelope', () => {
  it('brings back every plain value and every Uint8Array at any depth, whatever its keys', () => {
    fc.assert(
      fc.property(anyValue, value => {
        expect(roundTrip(value)).toEqual(value);
      }),
      { numRuns: 2_000 },
    );
  });

  it('copies without an envelope what one would carry, and the same', () => {
    const almost = fc.letrec(tie => ({
      any: fc.oneof(
        { depthSize: 'small' },
        ...[anyValue, fc.constantFrom(-0, NaN, undefined, 1n, new Date(0), new Map(), Buffer.from('b'))],
        ...[fc.array(tie('any'), { maxLength: 4 }), fc.dictionary(key, tie('any'), { maxKeys: 4 })],
      ),
    })).any;
    fc.assert(
      fc.property(almost, value => {
        const copy = copyOfPlain(value);
        if (!copy) return expect(() => encodeEnvelope(value)).toThrow(EnvelopeEncodeError);
        return expect(isDeepStrictEqual(copy.value, roundTrip(value))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('copies nothing that might not fit, and shares no bytes', () => {
    const bytes = Buffer.from('bytes');
    const copy = copyOfPlain({ bytes })!.value as { bytes: Uint8Array };
    bytes.fill(0);
    expect(copy.bytes).toStrictEqual(new Uint8Array(Buffer.from('bytes')));
    for (const large of ['x'.repeat(700_000), new Uint8Array(4_200_000), Array(140_000).fill(0)])
      expect(copyOfPlain({ large })).toBeUndefined();
  });

  it('answers any bytes with a value or a reason and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        const decoded = decodeEnvelope(bytes);
        expect(decoded.ok || decoded.reason.length > 0).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('survives any single change of a valid envelope', () => {
    const valid = encodeEnvelope({ a: [1, new Uint8Array([1, 2, 3])], b: { c: new Uint8Array([4]) } });
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = valid.slice();
        changed[at] = byte;
        const decoded = decodeEnvelope(changed);
        expect(typeof decoded.ok).toBe('boolean');
      }),
      { numRuns: 3_000 },
    );
  });

  it('has the published form: length, JSON with a marker, raw bytes', () => {
    const bytes = encodeEnvelope({ proof: new Uint8Array([7, 8]), $x: 1 });
    const json = '{"proof":{"$bytes":[0,2]},"$$x":1}';
    expect(Buffer.from(bytes)).toEqual(Buffer.from(envelope(json, [7, 8])));
  });

  it('costs a message of bytes no more than a header beside the bytes', () => {
    expect(encodeEnvelope({ proof: new Uint8Array(1_000_000) }).length).toBeLessThan(1_000_050);
  });

  it('gives bytes that share nothing with the sender or the message', () => {
    const sent = new Uint8Array([1, 2, 3]);
    const message = encodeEnvelope({ sent });
    const decoded = decodeEnvelope(message) as { ok: true; value: { sent: Uint8Array } };
    sent.fill(9);
    message.fill(9);
    expect(decoded.value.sent).toEqual(new Uint8Array([1, 2, 3]));
    expect(decoded.value.sent.byteOffset).toBe(0);
  });

  it('gives a key named __proto__ as a member and changes no prototype', () => {
    const value = roundTrip(JSON.parse('{"__proto__":{"polluted":true},"b":[]}')) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('leaves undefined members out, as JSON does', () => {
    expect(roundTrip({ a: undefined, b: 1 })).toEqual({ b: 1 });
    expect(roundTrip(undefined)).toBeNull();
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  it.each([
    ['NaN', { a: [Number.NaN] }, 'a[0]'],
    ['an infinity', { a: Infinity }, 'a'],
    ['a bigint', { a: { b: 1n } }, 'a.b'],
    ['a Date', { when: new Date(0) }, 'when'],
    ['a Map', { m: new Map() }, 'm'],
    ['a class instance', { u: new URL('http://a.example') }, 'u'],
    ['a Float64Array', { f: new Float64Array(2) }, 'f'],
    ['a function', { f: () => 1 }, 'f'],
    ['undefined in an array', { a: [undefined] }, 'a[0]'],
    ['an object with toJSON', { t: { toJSON: () => 1 } }, 't'],
  ])('refuses to send %s and names where it is', (_name, value, path) => {
    expect(() => encodeEnvelope(value)).toThrow(
      expect.objectContaining({ name: 'EnvelopeEncodeError', path }),
    );
  });

  it('refuses to send a cycle', () => {
    expect(() => encodeEnvelope(cycle)).toThrow(EnvelopeEncodeError);
    expect(copyOfPlain(cycle)).toBeUndefined();
  });

  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  it.each([
    ['no header', new Uint8Array(3), /header alone has 4/],
    ['a JSON length beyond the end', envelope('{}', [], 3), /should have 3 bytes, only 2 follow/],
    ['a JSON length of four gigabytes', envelope('{}', [], 0xffff_ffff), /at most/],
    ['more JSON than is read', envelope(new Uint8Array(ENVELOPE_JSON_BYTES_MAX + 1)), /its JSON has/],
    ['more bytes than are read', new Uint8Array(ENVELOPE_BYTES_MAX + 1), /at most/],
    ['broken JSON', envelope('{'), /does not parse/],
    ['no UTF-8', envelope(new Uint8Array([0x22, 0xff, 0x22])), /not UTF-8/],
    ['nesting beyond the bound', envelope(deep(ENVELOPE_DEPTH_MAX + 1)), /nested deeper/],
    ['nesting by the million', envelope(deep(1_000_000)), /nested deeper/],
    ['raw bytes of nobody', envelope('{}', [1]), /1 raw bytes belong to no value/],
    ['a marker beyond the raw part', envelope('{"a":{"$bytes":[0,2]}}', [1]), /raw part has 1/],
    ['a marker with a gap', envelope('{"a":{"$bytes":[1,1]}}', [1, 2]), /but 0 is next/],
    ['overlapping markers', envelope('[{"$bytes":[0,2]},{"$bytes":[1,1]}]', [1, 2]), /but 2 is next/],
    ['a negative marker', envelope('{"$bytes":[0,-1]}'), /not \[offset, length\]/],
    ['a marker that is text', envelope('{"$bytes":"0,1"}'), /not \[offset, length\]/],
    ['a reserved key', envelope('{"$other":1}'), /reserved/],
  ])('refuses %s', (_name, bytes, reason) => {
    const decoded = decodeEnvelope(bytes);
    expect(decoded).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});
