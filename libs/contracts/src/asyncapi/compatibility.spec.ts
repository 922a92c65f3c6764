import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { asyncApiDocument } from './asyncapi-document.js';
import { EVENTS } from '../events.contract.js';
import { breakingChanges } from './compatibility.js';
import type { JsonSchema } from './json-schemas.js';
import { PROCEDURES } from './procedures.js';

const RELEASED = new URL('../../released/', import.meta.url);
const numbersOf = (file: string) =>
  file
    .replace(/^asyncapi-|\.json$/g, '')
    .split('.')
    .map(Number);
const released = readdirSync(RELEASED)
  .filter(file => file.endsWith('.json'))
  .sort((a, b) => {
    const [left, right] = [numbersOf(a), numbersOf(b)];
    return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
  });

describe('the contracts of the bus', () => {
  const last = JSON.parse(readFileSync(new URL(released.at(-1)!, RELEASED), 'utf8')) as JsonSchema;
  const channels = Object.entries(last.channels as Record<string, JsonSchema>);
  const now = asyncApiDocument() as Record<string, Record<string, JsonSchema>>;

  it('break nobody who was written for the last release', () => {
    expect(channels.length).toBeGreaterThan(60);
    expect(breakingChanges(last, now)).toEqual([]);
  });

  it.each(channels)('cannot lose %s', (key, { address }) => {
    const { [key]: _lost, ...rest } = now.channels;
    // Of the others nothing is asked here: they were compared above.
    const alone = { ...last, channels: { [key]: (last.channels as JsonSchema)[key] } };
    expect(breakingChanges(alone, { ...now, channels: rest })).toContain(
      `${(address as string | null) ?? key}: it is gone`,
    );
  });

  it('were released as far as they are public', () => {
    const released = channels.flatMap(([, { address }]) => (typeof address === 'string' ? [address] : []));
    const internal = PROCEDURES.filter(({ isPublic }) => !isPublic).map(({ subject }) => subject);
    expect(internal.filter(subject => released.includes(subject))).toEqual([]);
    expect(Object.values(EVENTS).filter(({ address }) => !released.includes(address))).toEqual([]);
  });
});

/** A document with one procedure and one event, whose schemas are given. */
const documentOf = (request: JsonSchema, event: JsonSchema = request, more: JsonSchema = {}): JsonSchema => ({
  channels: {
    ask: { address: 'prover.ask', messages: { request: { contentType: 'a', payload: request } } },
    tell: { address: 'events.tell', messages: { told: { contentType: 'a', payload: event } } },
  },
  operations: {
    ask: { action: 'receive', bindings: { nats: { queue: 'prover' } } },
    tell: { action: 'send' },
  },
  components: { schemas: more },
});
const object = (properties: JsonSchema, required: string[] = [], more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const text: JsonSchema = { type: 'string' };

/** What is said of a change of the request, and of the same change of the event. */
function verdicts(before: JsonSchema, after: JsonSchema) {
  const all = breakingChanges(documentOf(before), documentOf(after));
  return {
    request: all.some(line => line.startsWith('prover.ask')),
    event: all.some(line => line.startsWith('events.tell')),
  };
}

describe('a change of a schema', () => {
  it.each<[string, JsonSchema, JsonSchema, { request: boolean; event: boolean }]>([
    ['none', object({ a: text }, ['a']), object({ a: text }, ['a']), { request: false, event: false }],
    [
      'a new optional field',
      object({ a: text }),
      object({ a: text, b: text }),
      { request: false, event: false },
    ],
    [
      'a new required field',
      object({ a: text }),
      object({ a: text, b: text }, ['b']),
      { request: true, event: false },
    ],
    [
      'a field that is gone',
      object({ a: text, b: text }),
      object({ a: text }),
      { request: true, event: true },
    ],
    [
      'a field that may be missing now',
      object({ a: text }, ['a']),
      object({ a: text }),
      { request: false, event: true },
    ],
    ['another type', object({ a: text }), object({ a: { type: 'number' } }), { request: true, event: true }],
    [
      'whole numbers alone',
      object({ a: { type: 'number' } }),
      object({ a: { type: 'integer' } }),
      { request: true, event: false },
    ],
    [
      'a second type',
      object({ a: text }),
      object({ a: { type: ['string', 'null'] } }),
      { request: false, event: true },
    ],
    ['no type any more', object({ a: text }), object({ a: {} }), { request: false, event: true }],
    [
      'a value more',
      { type: 'string', enum: ['a'] },
      { type: 'string', enum: ['a', 'b'] },
      { request: false, event: false },
    ],
    [
      'a value fewer',
      { type: 'string', enum: ['a', 'b'] },
      { type: 'string', enum: ['a'] },
      { request: true, event: false },
    ],
    ['a list of values', text, { type: 'string', enum: ['a'] }, { request: true, event: false }],
    ['no list of values', { type: 'string', enum: ['a'] }, text, { request: false, event: true }],
    [
      'another constant',
      { type: 'string', const: 'v1' },
      { type: 'string', const: 'v2' },
      { request: true, event: true },
    ],
    [
      'a lower maximum',
      { type: 'number', maximum: 9 },
      { type: 'number', maximum: 8 },
      { request: true, event: false },
    ],
    [
      'a higher maximum',
      { type: 'number', maximum: 8 },
      { type: 'number', maximum: 9 },
      { request: false, event: false },
    ],
    ['a first minimum', { type: 'number' }, { type: 'number', minimum: 0 }, { request: true, event: false }],
    [
      'a lower minimum',
      { type: 'number', minimum: 1 },
      { type: 'number', minimum: 0 },
      { request: false, event: false },
    ],
    ['a shorter text', { ...text, maxLength: 9 }, { ...text, maxLength: 8 }, { request: true, event: false }],
    [
      'another pattern',
      { ...text, pattern: 'a' },
      { ...text, pattern: 'b' },
      { request: true, event: false },
    ],
    ['no pattern', { ...text, pattern: 'a' }, text, { request: false, event: false }],
    [
      'other members refused',
      object({ a: text }),
      object({ a: text }, [], { additionalProperties: false }),
      { request: true, event: false },
    ],
    [
      'members of another type',
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: { type: 'number' } },
      { request: true, event: true },
    ],
    [
      'elements of another type',
      { type: 'array', items: text },
      { type: 'array', items: { type: 'number' } },
      { request: true, event: true },
    ],
    [
      'a shorter tuple',
      { type: 'array', items: [text, text] },
      { type: 'array', items: [text] },
      { request: true, event: true },
    ],
    [
      'an alternative more',
      { anyOf: [object({ a: text }, ['a'])] },
      { anyOf: [object({ a: text }, ['a']), { type: 'number' }] },
      { request: false, event: true },
    ],
    [
      'alternatives beside the form that there was',
      { ...text, pattern: '^a' },
      {
        anyOf: [
          { ...text, pattern: '^a' },
          { ...text, pattern: '^b' },
        ],
      },
      { request: false, event: true },
    ],
    [
      'alternatives instead of the form that there was',
      { ...text, pattern: '^a' },
      {
        anyOf: [
          { ...text, pattern: '^aa' },
          { ...text, pattern: '^b' },
        ],
      },
      { request: true, event: true },
    ],
    [
      'all of several forms, of which the one that there was is one',
      { ...text, pattern: '^a' },
      {
        allOf: [
          { ...text, pattern: '^a' },
          { ...text, pattern: '^b' },
        ],
      },
      { request: true, event: true },
    ],
    [
      'just one of several forms, of which the one that there was is one',
      { ...text, pattern: '^a' },
      {
        oneOf: [
          { ...text, pattern: '^a' },
          { ...text, pattern: '^b' },
        ],
      },
      { request: true, event: true },
    ],
    [
      'an alternative fewer',
      { anyOf: [text, { type: 'number' }] },
      { anyOf: [text] },
      { request: true, event: true },
    ],
    [
      'alternatives in another order',
      { anyOf: [text, { type: 'number' }] },
      { anyOf: [{ type: 'number' }, text] },
      { request: false, event: false },
    ],
    [
      'a change deep below',
      object({ a: { type: 'array', items: object({ b: object({ c: text }) }) } }),
      object({ a: { type: 'array', items: object({ b: object({}) }) } }),
      { request: true, event: true },
    ],
  ])('%s', (_name, before, after, broken) => {
    expect(verdicts(before, after)).toEqual(broken);
  });

  it('is found behind references, also of a schema that refers to itself', () => {
    const node = (leaf: JsonSchema) => ({
      Node: object({ leaf, next: { $ref: '#/components/schemas/Node' } }),
    });
    const root = { $ref: '#/components/schemas/Node' };
    const documents = (leaf: JsonSchema) => documentOf(root, root, node(leaf));
    expect(breakingChanges(documents(text), documents(text))).toEqual([]);
    expect(breakingChanges(documents(text), documents({ type: 'number' }))).toEqual([
      expect.stringMatching(/^prover\.ask request\.leaf: its type is/),
      expect.stringMatching(/^events\.tell told\.leaf: its type is/),
    ]);
  });
});

describe('a change of a subject', () => {
  const before = documentOf(text);
  const changed = (change: (document: Record<string, Record<string, JsonSchema>>) => void) => {
    const after = structuredClone(before) as Record<string, Record<string, JsonSchema>>;
    change(after);
    return breakingChanges(before, after);
  };

  it.each<[string, (document: Record<string, Record<string, JsonSchema>>) => void, RegExp]>([
    ['removed', ({ channels }) => delete channels.tell, /^events\.tell: it is gone/],
    ['renamed', ({ channels }) => (channels.ask.address = 'prover.asked'), /its subject is prover\.asked/],
    ['without a message', ({ channels }) => (channels.tell.messages = {}), /^events\.tell told: it is gone/],
    [
      'of another form',
      ({ channels }) => (channels.tell.messages = { told: { contentType: 'b', payload: text } }),
      /its form is another/,
    ],
    ['that nobody answers', ({ operations }) => delete operations.ask, /^ask: its operation is gone/],
    [
      'of another queue group',
      ({ operations }) => (operations.ask.bindings = { nats: { queue: 'other' } }),
      /^ask: its action or its queue group/,
    ],
  ])('%s breaks', (_name, change, said) => {
    expect(changed(change)).toEqual(expect.arrayContaining([expect.stringMatching(said)]));
  });

  it('breaks nobody where it is added', () => {
    expect(changed(({ channels }) => (channels.more = { address: 'events.more', messages: {} }))).toEqual([]);
  });
});
