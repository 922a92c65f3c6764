import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { presenceJson, presenceNamesOf } from './presence-key.js';
import { newRecord, readRecord, revisionOf, sequenceOf } from './presence-record.js';

const MARK = '01234567-89ab-cdef-0123-456789abcdef';
const bytes = (text: string) => Buffer.from(text);

describe('records of presence', () => {
  it('are read as they were written, each with a mark of its own', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const json = presenceJson(value);
        const record = newRecord(json);
        expect(newRecord(json).mark).not.toBe(record.mark);
        expect(readRecord(record.bytes)).toEqual({ mark: record.mark, json });
        expect(sequenceOf(revisionOf(7, record))).toBe(7);
      }),
    );
  });

  it('are told from anything else, without an error', () => {
    const wrong = [
      '',
      '1',
      'null',
      '[]',
      '{}',
      '{',
      `{"mark":"${MARK}"}`,
      '{"value":1}',
      '{"mark":1,"value":1}',
    ];
    const marks = [MARK.slice(1), `${MARK}0`, MARK.toUpperCase(), `${MARK} `].map(
      mark => `{"mark":"${mark}","value":1}`,
    );
    for (const text of [...wrong, ...marks]) expect(readRecord(bytes(text))).toBeUndefined();
    expect(readRecord(bytes(`{"mark":"${MARK}","value":null}`))).toEqual({ mark: MARK, json: 'null' });
    // Bytes that are no UTF-8 would be replaced otherwise.
    const text = bytes(`{"mark":"${MARK}","value":"x"}`);
    text[text.length - 3] = 0xff;
    expect(readRecord(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), noise => {
        expect(readRecord(noise)).toBeUndefined();
      }),
    );
  });

  it('are not parsed where they are longer than a record can be', () => {
    const largest = newRecord(presenceJson('x'.repeat(8_190)));
    expect(readRecord(largest.bytes)?.json.length).toBe(8_192);
    const padded = (length: number) => bytes(`{"mark":"${MARK}","value":1}`.padEnd(length, ' '));
    expect(readRecord(padded(16 * 1024))).toBeDefined();
    expect(readRecord(padded(16 * 1024 + 1))).toBeUndefined();
    expect(readRecord(bytes('['.repeat(8_000)))).toBeUndefined();
    const parse = jest.spyOn(JSON, 'parse');
    try {
      expect(readRecord(Buffer.alloc(64 * 1024 * 1024, '['))).toBeUndefined();
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });
});

describe('revisions of presence', () => {
  it('are a sequence and a mark, and nothing near it', () => {
    expect(revisionOf(12, { mark: MARK })).toBe(`12.${MARK}`);
    const wrong = [
      '',
      '.',
      '12',
      `.${MARK}`,
      `0.${MARK}`,
      `012.${MARK}`,
      `-1.${MARK}`,
      `1e3.${MARK}`,
      `12.${MARK}0`,
    ];
    for (const each of [...wrong, ` 12.${MARK}`, `12.${MARK}\n`, `12345678901234567.${MARK}`, `12-${MARK}`])
      expect(sequenceOf(each)).toBeUndefined();
  });
});

describe('names of presence on NATS', () => {
  it('are those of a bucket of the service', () => {
    expect(presenceNamesOf('mesh-signalling')).toEqual({
      bucket: 'mesh-signalling-presence',
      stream: 'KV_mesh-signalling-presence',
      subjects: '$KV.mesh-signalling-presence.>',
    });
  });
});
