import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DEPARTMENT_IDS, TASK_STATUSES } from '../departments.contract.js';
import { cloudEventOf } from '../cloud-event.js';
import { EVENTS, taskEvent } from '../events.contract.js';
import * as contracts from '../index.js';
import { asyncApiDocument } from './asyncapi-document.js';
import type { JsonSchema } from './json-schemas.js';
import { PROCEDURES, proceduresOf } from './procedures.js';

type Sections = Record<'channels' | 'operations', Record<string, JsonSchema>>;

const document = asyncApiDocument() as JsonSchema & Sections;
/** JSON Schema of AsyncAPI 3.0.0, as published with the specification. */
const official = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json'),
    'utf8',
  ),
) as object;

/** What moves money, decides whether a call is let in, does the bidding of the gateway or of operators: see ADR 0083. */
const INTERNAL: readonly [what: string, subject: RegExp][] = [
  ['claims and counts', /^payments\.(claim|deliver|release|renew|count|uncount)$|-of-claim$/],
  ['admissions', /\.admit(-|$)/],
  ['calls of tools', /\.(call|revoke)-tool$|\.tool-(of|outcome|progress)$/],
  ['operators', /\.admin-/],
  ['keys of accounts', /^payments\.(authenticate|create-key|rotate-key|revoke-key)$/],
  ['what a payment is handed to', /\.(submit-task|start-job|execute|open-coi-batch|attest)$/],
  ['whose surface it is', /-(puf|slab)$/],
  ['pings', /\.ping$/],
];

describe('the AsyncAPI document', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(official);

  it('is valid by the published schema of AsyncAPI 3.0, which refuses others', () => {
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    const wrong = structuredClone(document);
    Object.values(wrong.operations)[0].action = 'answer';
    expect(validate(wrong)).toBe(false);
    expect(validate({ ...document, asyncapi: '2.6.0' })).toBe(false);
  });

  it('is docs/asyncapi.json: npm run generate:asyncapi writes it anew', () => {
    const written: unknown = JSON.parse(
      readFileSync(new URL('../../../../docs/asyncapi.json', import.meta.url), 'utf8'),
    );
    expect(written).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('has every public procedure of every contract, each with its queue group and its wait', () => {
    const all = Object.entries(contracts)
      .filter(([name]) => /[a-z]Contract$/.test(name))
      .flatMap(([, contract]) => proceduresOf(contract as object));
    expect(all.length).toBeGreaterThan(80);
    expect(new Set(PROCEDURES.map(({ subject }) => subject)).size).toBe(PROCEDURES.length);
    const known = new Set(PROCEDURES.map(({ subject }) => subject));
    expect(all.filter(({ subject }) => !known.has(subject))).toEqual([]);
    const marked = PROCEDURES.filter(({ isPublic }) => isPublic);
    expect(marked.length).toBeGreaterThan(30);
    for (const { subject, service, timeoutMs } of marked) {
      const [key] = Object.entries(document.channels).find(([, channel]) => channel.address === subject)!;
      expect(document.operations[key]).toMatchObject({
        action: 'receive',
        bindings: { nats: { queue: service } },
        'x-timeout-ms': timeoutMs,
      });
    }
  });

  it('has no internal one, and no work queue', () => {
    const addresses = Object.values(document.channels).flatMap(({ address }) => address ?? []);
    const expected = [
      ...PROCEDURES.filter(({ isPublic }) => isPublic).map(({ subject }) => subject),
      ...[...Object.values(EVENTS).map(({ address }) => address), 'events.dead.{consumer}.{rest}'],
    ];
    expect(new Set(addresses)).toEqual(new Set(expected));
  });

  it.each(INTERNAL)('is silent on %s', (_what, subject) => {
    const found = PROCEDURES.filter(procedure => subject.test(procedure.subject));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ isPublic }) => isPublic)).toEqual([]);
  });

  it('has every event with what is promised of it', () => {
    for (const [name, { address, filter, messages }] of Object.entries(EVENTS)) {
      const channel = document.channels[`events_${name}`];
      expect(channel.address).toBe(address);
      expect(Object.keys(channel.messages as object).length).toBe(Object.keys(messages).length);
      expect(document.operations[`events_${name}`]).toMatchObject({
        action: 'send',
        'x-filter': filter,
        'x-delivery': { guarantee: 'at-least-once' },
      });
    }
  });

  it('leads nowhere with no reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to);
    expect(references.length).toBeGreaterThan(150);
    for (const reference of new Set(references)) {
      const path = reference.replace(/^#\//, '').split('/');
      const target = path.reduce<unknown>((value, key) => (value as JsonSchema | undefined)?.[key], document);
      expect({ reference, found: target !== undefined }).toEqual({ reference, found: true });
    }
  });

  it('describes the events that are made, whatever is in them', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', ...document });
    fc.assert(
      fc.property(
        fc.record(
          {
            deptId: fc.constantFrom(...DEPARTMENT_IDS),
            status: fc.constantFrom(...TASK_STATUSES),
            capability: fc.string({ maxLength: 128 }),
            seq: fc.integer({ min: 1 }),
            progress: fc.double({ min: 0, max: 1, noNaN: true }),
            stage: fc.string({ maxLength: 64 }),
            problemCode: fc.constantFrom('INTERNAL' as const, 'EXPIRED' as const),
          },
          { requiredKeys: ['deptId', 'status', 'capability', 'seq'] },
        ),
        given => {
          const taskId = `tsk_${'a'.repeat(22)}`;
          const event = taskEvent({ ...given, taskId, at: '2026-01-02T03:04:05.678Z' });
          const key = event.type.replaceAll('.', '_');
          const check = ajv.getSchema(`doc#/channels/events_task/messages/${key}/payload`)!;
          const sent: unknown = JSON.parse(JSON.stringify(cloudEventOf(event)));
          expect(check(sent) ? [] : check.errors).toEqual([]);
        },
      ),
      { numRuns: 100, seed: 20261122 },
    );
  });
});
