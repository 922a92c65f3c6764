import { z } from 'zod';
import { EVENT_BYTES_MAX } from '../cloud-event.js';
import { type EventFamily, EVENTS } from '../events.contract.js';
import { API_VERSION } from '../gateway.contract.js';
import { ProblemPayload } from '../problem.js';
import { DEPARTMENT_IDS } from '../departments.contract.js';
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
 * The AsyncAPI 3.0 document of the bus: every request/reply subject, every event and the work queues, from the contracts
 * that both of their ends are checked with.
 */
export function asyncApiDocument(): JsonSchema {
  const schemas = new JsonSchemas();
  const channels: Section = {};
  const operations: Section = {};
  for (const each of PROCEDURES) addProcedure(each, schemas, channels, operations);
  for (const [name, family] of Object.entries<EventFamily>(EVENTS))
    addEvents(name, family, schemas, channels, operations);
  addDeadLetters(channels, operations);
  addWorkQueues(channels);
  const problem = schemas.reply(z.object({ problem: ProblemPayload }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'The bus behind the gateway',
      version: API_VERSION,
      description:
        'Subjects and events of the services on NATS, for services of other teams. Schemas only grow: what is unknown is to be passed over. Ids of tasks and jobs open them at the gateway, and are to be kept as secrets are.',
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

/** Work queues: between the instances of one service, and written down so that nobody else takes their subjects. */
function addWorkQueues(channels: Section): void {
  const promise = {
    guarantee: 'at-least-once',
    handedTo: 'one worker of the service at a time, until one of them is done with it',
    order: 'higher priorities first, yet none waits for ever',
    deadLetters: 'after the deliveries that the consumer allows',
  };
  const queue = (key: string, prefix: string, service: string, parameter: string) => {
    channels[`${key}_tasks`] = {
      address: `${prefix}.{queue}.tasks.{priority}`,
      summary: `Work of ${service}, for its own workers alone: what lies here is an id, the work is in its database`,
      parameters: {
        queue: { description: parameter },
        priority: { enum: ['high', 'normal', 'low'] },
      },
      messages: { work: { name: 'work', contentType: 'application/octet-stream', payload: {} } },
      'x-internal': true,
      'x-delivery': promise,
    };
    channels[`${key}_dead`] = {
      address: `${prefix}.{queue}.dead`,
      summary: `Work of ${service} that was put aside`,
      parameters: { queue: { description: parameter } },
      messages: { work: { name: 'work', contentType: 'application/octet-stream', payload: {} } },
      'x-internal': true,
      'x-delivery': { ...promise, deadLetters: 'none: it stays until the service has settled it' },
    };
  };
  queue('work_department', 'dept', 'department', `Id of the desk: ${DEPARTMENT_IDS.join(', ')}`);
  queue('work_prover', 'work.prover', 'prover', 'Name of the queue: proof jobs by their size');
}
