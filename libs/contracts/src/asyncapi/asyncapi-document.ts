import { z } from 'zod';
import { EVENT_BYTES_MAX } from '../cloud-event.js';
import { type EventFamily, EVENTS } from '../events.contract.js';
import { API_VERSION } from '../gateway.contract.js';
import { ProblemPayload } from '../problem.js';
import type { Procedure } from '../procedure.js';
import { type JsonSchema, JsonSchemas } from './json-schemas.js';
import { PROCEDURES } from './procedures.js';

/** Form of a request and of a reply: see docs/events.md. */
export const ENVELOPE_MEDIA_TYPE = 'application/vnd.svc.envelope';
const CLOUD_EVENT_MEDIA_TYPE = 'application/cloudevents+json';

type Section = Record<string, JsonSchema>;

const TRACED: JsonSchema = {
  type: 'object',
  properties: { traceparent: { type: 'string', description: 'W3C trace context' } },
};
const STORED: JsonSchema = {
  type: 'object',
  properties: { 'Nats-Msg-Id': { type: 'string', description: 'Id of the event' } },
  required: ['Nats-Msg-Id'],
};

/** What is promised of events, in words and as members. */
const EVENT_DELIVERY: JsonSchema = {
  guarantee: 'at-least-once',
  written: 'in the transaction of the change that it tells of',
  order: 'of one subject, as it happened',
  knownAgainBy: 'Nats-Msg-Id: stored once within ten minutes at the least, and the same after that',
  stream: 'EVENTS',
  keptAtMost: 'seven days, and EVENTS_BYTES_MAX bytes',
  bytesMax: EVENT_BYTES_MAX,
};

/**
 * The AsyncAPI 3.0 document of the bus: the events, and the request/reply subjects that are marked as public, from the
 * contracts that both of their ends are checked with.
 */
export function asyncApiDocument(): JsonSchema {
  const schemas = new JsonSchemas();
  const channels: Section = {};
  const operations: Section = {};
  for (const each of PROCEDURES.filter(({ isPublic }) => isPublic))
    addProcedure(each, schemas, channels, operations);
  for (const [name, family] of Object.entries<EventFamily>(EVENTS))
    addEvents(name, family, schemas, channels, operations);
  addDeadLetters(channels, operations);
  const problem = schemas.reply(z.object({ problem: ProblemPayload }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'The bus behind the gateway',
      version: API_VERSION,
      description:
        'Subjects and events that services of other teams may use on NATS; all others are internal. Schemas only grow: what is unknown is to be passed over. Ids of tasks and jobs open them at the gateway, and are to be kept as secrets are.',
    },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: {
      messages: {
        problem: {
          name: 'problem',
          title: 'A problem in the place of a reply',
          contentType: ENVELOPE_MEDIA_TYPE,
          payload: problem,
        },
      },
      schemas: schemas.components(),
    },
  };
}

/** A name as keys of the document may have it. */
const keyOf = (subject: string): string => subject.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/_$/, '');

function addProcedure(
  { subject, service, request, reply, timeoutMs }: Procedure,
  schemas: JsonSchemas,
  channels: Section,
  operations: Section,
): void {
  const key = keyOf(subject);
  channels[key] = {
    address: subject,
    summary: `Requests to ${service}, of which each goes to one of its instances`,
    messages: {
      request: {
        name: `${subject} request`,
        contentType: ENVELOPE_MEDIA_TYPE,
        headers: TRACED,
        payload: schemas.request(request),
      },
    },
  };
  channels[`${key}_reply`] = {
    address: null,
    summary: 'The inbox that the request names',
    messages: {
      reply: {
        name: `${subject} reply`,
        contentType: ENVELOPE_MEDIA_TYPE,
        payload: {
          type: 'object',
          properties: { value: schemas.reply(reply) },
          required: ['value'],
        },
      },
      problem: { $ref: '#/components/messages/problem' },
    },
  };
  operations[key] = {
    action: 'receive',
    channel: { $ref: `#/channels/${key}` },
    summary: `Answered by ${service} within ${timeoutMs} ms, or not any more`,
    messages: [{ $ref: `#/channels/${key}/messages/request` }],
    bindings: { nats: { queue: service, bindingVersion: '0.1.0' } },
    reply: {
      address: { location: '$message.header#/reply-to', description: 'The reply subject of NATS' },
      channel: { $ref: `#/channels/${key}_reply` },
      messages: ['reply', 'problem'].map(name => ({ $ref: `#/channels/${key}_reply/messages/${name}` })),
    },
    'x-timeout-ms': timeoutMs,
    'x-delivery': { guarantee: 'at-most-once', answer: 'a caller without one does not know what was done' },
  };
}

function addEvents(
  name: string,
  family: EventFamily,
  schemas: JsonSchemas,
  channels: Section,
  operations: Section,
): void {
  const key = `events_${name}`;
  const messages = Object.entries(family.messages).map(([type, { summary, schema }]) => {
    const bare = type === 'record';
    return [
      keyOf(type),
      {
        name: type,
        summary,
        contentType: bare ? 'application/json' : CLOUD_EVENT_MEDIA_TYPE,
        headers: STORED,
        payload: schemas.reply(schema),
      },
    ] as const;
  });
  const parameters = Object.fromEntries(
    Object.entries(family.parameters).map(([parameter, description]) => [parameter, { description }]),
  );
  channels[key] = {
    address: family.address,
    summary: family.description,
    messages: Object.fromEntries(messages),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  operations[key] = {
    action: 'send',
    channel: { $ref: `#/channels/${key}` },
    summary: `Published by ${family.service}`,
    messages: messages.map(([message]) => ({ $ref: `#/channels/${key}/messages/${message}` })),
    'x-filter': family.filter,
    'x-delivery': { ...EVENT_DELIVERY, ids: family.ids },
  };
}

function addDeadLetters(channels: Section, operations: Section): void {
  channels.events_dead = {
    address: 'events.dead.{consumer}.{rest}',
    summary: 'What a consumer could not handle after its deliveries, as it was published',
    parameters: {
      consumer: { description: 'Name of the durable consumer' },
      rest: { description: 'The subject of the event without its first token: one token or more' },
    },
    messages: { event: { name: 'dead letter', headers: STORED, payload: {} } },
  };
  operations.events_dead = {
    action: 'send',
    channel: { $ref: '#/channels/events_dead' },
    summary: 'Published by the consumer',
    'x-filter': 'events.dead.*.>',
    'x-delivery': { ...EVENT_DELIVERY, written: 'by the consumer', ids: 'dead:<consumer>:<id>' },
  };
}
