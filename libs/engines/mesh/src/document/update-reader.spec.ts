import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { DOCUMENT_BOUNDS } from './document-bounds.js';
import { writeUpdateOf, type WrittenStruct } from './testing/write-update.js';
import { readUpdate, type ReadUpdate } from './update-reader.js';
import { type UpdateFault, UpdateRefused } from './update-refused.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 300_000 : 3_000;

function faultOf(update: Uint8Array): UpdateFault | undefined {
  try {
    readUpdate(update, DOCUMENT_BOUNDS);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(UpdateRefused);
    return (error as UpdateRefused).code;
  }
}

const entry = (content: WrittenStruct['content'], rest: Partial<WrittenStruct> = {}) =>
  writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [{ key: 'k', content, ...rest }] }] });
const values = (...all: encoding.AnyEncodable[]) => entry({ kind: 'values', values: all });
const raw = (ref: number, ...bytes: number[]) => entry({ kind: 'raw', ref, bytes: Uint8Array.from(bytes) });
const varuints = (...all: number[]) =>
  encoding.encode(encoder => all.forEach(value => encoding.writeVarUint(encoder, value)));

/** An update with some of everything that an editor makes. */
function realUpdate(): Uint8Array {
  const document = Object.assign(new Y.Doc(), { clientID: 7 });
  const shared = document.getMap('shared');
  shared.set('values', { a: [1, -2.5, 1e300, 'ä\u{1f600}', null, true, false], b: {} });
  shared.set('list', new Y.Array()).push([1, 2, 3]);
  (shared.get('list') as Y.Array<unknown>).insert(1, [new Y.Map(), new Y.Text('text')]);
  (shared.get('list') as Y.Array<unknown>).delete(0);
  shared.set('gone', new Y.Map()).set('inner', 1);
  shared.delete('gone');
  return Y.encodeStateAsUpdate(document);
}

/** What Yjs reads, in the words of this reader. It keeps gaps as structs, which it passes over where it merges them. */
function asYjsReads(update: Uint8Array): unknown {
  const { structs, ds } = Y.decodeUpdate(update);
  return {
    structs: structs
      .filter(struct => !(struct instanceof Y.Skip))
      .map(struct => [struct.id.client, struct.id.clock, struct.length, struct instanceof Y.Item]),
    deleted: [...ds.clients].map(([client, ranges]) => [
      client,
      ranges.map(({ clock, len }) => [clock, len]),
    ]),
  };
}

const asRead = ({ structs, deleted }: ReadUpdate) => ({
  structs: [...structs].flatMap(([client, list]) =>
    list.map(({ clock, length, item }) => [client, clock, length, item !== undefined]),
  ),
  deleted: [...deleted].map(([client, ranges]) => [
    client,
    ranges.map(({ clock, length }) => [clock, length]),
  ]),
});

it('reads what an editor writes as Yjs does', () => {
  const update = realUpdate();
  expect(asRead(readUpdate(update, DOCUMENT_BOUNDS))).toEqual(asYjsReads(update));
  const [, list] = [...readUpdate(update, DOCUMENT_BOUNDS).structs][0];
  expect(list[0].item).toMatchObject({
    parent: 'shared',
    key: 'values',
    content: { kind: 'values', nesting: 2 },
  });
});

it('reads a gap as nothing that is there, as Yjs does where it merges it, also at the end', () => {
  const gap: WrittenStruct = { content: { kind: 'skip', length: 2 } };
  const set: WrittenStruct = { key: 'k', content: { kind: 'values', values: [1] } };
  for (const [structs, clocks] of [
    [[set, gap], [0]],
    [[gap, set], [2]],
    [
      [set, gap, set, gap],
      [0, 3],
    ],
  ] as const) {
    const update = writeUpdateOf({ clients: [{ client: 1, clock: 0, structs }] });
    const read = readUpdate(update, DOCUMENT_BOUNDS);
    expect(read.structs.get(1)?.map(({ clock }) => clock)).toEqual(clocks);
    expect(asRead(read)).toEqual(asYjsReads(update));
  }
  const real = realUpdate();
  // Before its deletions, the place of what an item held that was deleted.
  const place = real.length - 9;
  expect([...real.slice(place, place + 2)]).toEqual([0, 1]);
  real[place] = 10;
  expect(asRead(readUpdate(real, DOCUMENT_BOUNDS))).toEqual(asYjsReads(real));
  const ended = new Y.Doc();
  Y.applyUpdate(ended, writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [set, gap] }] }));
  expect(Y.decodeStateVector(Y.encodeStateVector(ended)).get(1)).toBe(1);
  expect(ended.store.pendingStructs).toBeNull();
});

it('gives one of its refusals, or what Yjs reads, for any bytes', () => {
  const update = realUpdate();
  const changed = fc
    .array(fc.tuple(fc.nat(update.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map(changes => {
      const copy = update.slice();
      for (const [at, byte] of changes) copy[at] = byte;
      return copy;
    });
  const cut = fc.nat(update.length - 1).map(end => update.slice(0, end));
  const any = fc.oneof(fc.uint8Array({ maxLength: 64 }), changed, cut);
  let read = 0;
  const property = fc.property(any, bytes => {
    if (faultOf(bytes)) return;
    read += 1;
    expect(asRead(readUpdate(bytes, DOCUMENT_BOUNDS))).toEqual(asYjsReads(bytes));
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
  expect(read).toBeGreaterThan(RUNS / 50);
});

it('refuses every cut of a real update, and a byte after it', () => {
  const update = realUpdate();
  for (let end = 0; end < update.length; end++) expect(faultOf(update.slice(0, end))).toBe('MALFORMED');
  expect(faultOf(Uint8Array.of(...update, 0))).toBe('MALFORMED');
});

describe('counts that are claimed', () => {
  const huge = 2 ** 50;

  it.each([
    ['clients', varuints(huge)],
    ['structs', varuints(1, huge, 1, 0)],
    ['values', varuints(1, 1, 1, 0, 8 | 0x80, 1, 0, huge)],
    [
      'elements of an array',
      Uint8Array.of(...varuints(1, 1, 1, 0, 8 | 0x80, 1, 0, 1), 117, ...varuints(huge)),
    ],
    [
      'members of an object',
      Uint8Array.of(...varuints(1, 1, 1, 0, 8 | 0x80, 1, 0, 1), 118, ...varuints(huge)),
    ],
    ['bytes of a text', varuints(1, 1, 1, 0, 4 | 0x80, 1, 0, huge)],
    ['clients with deletions', varuints(0, huge)],
    ['deletions', varuints(0, 1, 1, huge)],
    ['an integer without an end', new Uint8Array(100).fill(255)],
    ['a client of 2^56 − 1', Uint8Array.of(1, 1, ...[255, 255, 255, 255, 255, 255, 255, 127], 0, 0, 1, 0)],
  ])('are read no further than the bytes go: %s', (_, bytes) => {
    expect(faultOf(bytes)).toBe('MALFORMED');
  });

  it('make no clock that a number cannot tell from its neighbours', () => {
    const max = Number.MAX_SAFE_INTEGER;
    const gc = (clock: number, length: number) =>
      writeUpdateOf({ clients: [{ client: 1, clock, structs: [{ content: { kind: 'gc', length } }] }] });
    expect(faultOf(gc(max - 1, 1))).toBeUndefined();
    expect(faultOf(gc(max - 1, 2))).toBe('MALFORMED');
    expect(faultOf(writeUpdateOf({ deleted: [{ client: 1, ranges: [[max, 1]] }] }))).toBe('MALFORMED');
  });
});

it('goes no deeper than the bound, whatever the bytes nest', () => {
  const arrays = Uint8Array.from({ length: 200_001 }, (_, i) => (i % 2 === 0 ? 1 : 117));
  expect(faultOf(entry({ kind: 'raw', ref: 8, bytes: arrays }))).toBe('TOO_LARGE');
});

describe('content', () => {
  it.each<[string, Uint8Array, UpdateFault]>([
    ['undefined', values(undefined), 'NOT_JSON'],
    ['a big integer', values(1n as unknown as number), 'NOT_JSON'],
    ['bytes among values', values(Uint8Array.of(1)), 'NOT_JSON'],
    ['NaN', values(NaN), 'NOT_JSON'],
    ['Infinity', values([{ a: Infinity }]), 'NOT_JSON'],
    ['NaN of 32 bits', raw(8, 1, 124, 0x7f, 0xc0, 0, 0), 'NOT_JSON'],
    [
      'a key that objects do not keep',
      entry({ kind: 'values', values: [1] }, { key: '__proto__' }),
      'NOT_JSON',
    ],
    ['the same within a value', raw(8, 1, 118, 1, 9, ...Buffer.from('__proto__'), 120), 'NOT_JSON'],
    ['half a surrogate pair', raw(4, 3, 0xed, 0xa0, 0x80), 'MALFORMED'],
    ['half a surrogate pair among values', raw(8, 1, 119, 3, 0xed, 0xa0, 0x80), 'MALFORMED'],
    ['a value of no kind', raw(8, 1, 115), 'MALFORMED'],
    ['JSON text', raw(2, 1, 4, ...Buffer.from('null')), 'NOT_JSON'],
    ['bytes', raw(3, 1, 0), 'NOT_JSON'],
    ['an embedded object', raw(5, 2, ...Buffer.from('{}')), 'NOT_JSON'],
    ['a format', raw(6, 1, 97, 1, 49), 'NOT_JSON'],
    ['a subdocument', raw(9, 1, 97, 118, 0), 'NOT_JSON'],
    ['XML', entry({ kind: 'type', ref: 4 }), 'NOT_JSON'],
    ['a type of no kind', entry({ kind: 'type', ref: 7 }), 'NOT_JSON'],
    ['content of no kind', raw(11), 'MALFORMED'],
    ['a gap with flags', raw(10, 1), 'MALFORMED'],
    ['no values', values(), 'MALFORMED'],
    ['no characters', entry({ kind: 'characters', text: '' }), 'MALFORMED'],
    ['nothing deleted', entry({ kind: 'deleted', length: 0 }), 'MALFORMED'],
    ['a root of another name', entry({ kind: 'values', values: [1] }, { parent: 'Shared' }), 'UNKNOWN_ROOT'],
    ['no root', entry({ kind: 'values', values: [1] }, { parent: '' }), 'UNKNOWN_ROOT'],
  ])('is refused that the document may not hold: %s', (_, update, fault) => {
    expect(faultOf(update)).toBe(fault);
  });

  it('is as deep as the deepest of it', () => {
    const [[{ item }]] = [...readUpdate(values({ a: [[1], 2], b: 3 }, 4), DOCUMENT_BOUNDS).structs.values()];
    expect(item?.content).toEqual({ kind: 'values', nesting: 3 });
  });

  it('is nested as deep as its bound, and has keys as long as theirs', () => {
    const { nestingMax, keyCharsMax } = DOCUMENT_BOUNDS;
    const nested = (depth: number) => values(JSON.parse('['.repeat(depth) + ']'.repeat(depth)));
    expect(faultOf(nested(nestingMax))).toBeUndefined();
    expect(faultOf(nested(nestingMax + 1))).toBe('TOO_LARGE');
    for (const [length, fault] of [
      [keyCharsMax, undefined],
      [keyCharsMax + 1, 'TOO_LARGE'],
    ] as const) {
      const key = 'ä'.repeat(length);
      expect(faultOf(entry({ kind: 'values', values: [1] }, { key }))).toBe(fault);
      expect(faultOf(values({ [key]: 1 }))).toBe(fault);
    }
  });
});

describe('lists', () => {
  const gc = { content: { kind: 'gc', length: 1 } } as const;

  it.each([
    ['a client twice', { clients: [1, 1].map(client => ({ client, clock: 0, structs: [gc] })) }],
    ['a client without operations', { clients: [{ client: 1, clock: 0, structs: [] }] }],
    [
      'deletions of a client twice',
      { deleted: [1, 1].map(client => ({ client, ranges: [[0, 1]] as const })) },
    ],
    [
      'deletions that overlap',
      {
        deleted: [
          {
            client: 1,
            ranges: [
              [0, 3],
              [2, 2],
            ] as const,
          },
        ],
      },
    ],
    [
      'deletions that go back',
      {
        deleted: [
          {
            client: 1,
            ranges: [
              [5, 1],
              [0, 1],
            ] as const,
          },
        ],
      },
    ],
    ['a deletion of nothing', { deleted: [{ client: 1, ranges: [[0, 0]] as const }] }],
  ])('are refused that Yjs would read otherwise, or over and over: %s', (_, update) => {
    expect(faultOf(writeUpdateOf(update))).toBe('MALFORMED');
  });

  it('may have deletions side by side', () => {
    expect(
      faultOf(
        writeUpdateOf({
          deleted: [
            {
              client: 1,
              ranges: [
                [0, 1],
                [1, 1],
              ],
            },
          ],
        }),
      ),
    ).toBeUndefined();
  });
});
