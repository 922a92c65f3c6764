import { z } from 'zod';
import type { ServiceName } from './procedure.js';

/** Bytes of an event as it is published, at most: an event says what happened and where to ask, and carries no answers. */
export const EVENT_BYTES_MAX = 65_536;

/** A type name: what happened to what, and the version of what is said of it. */
export type EventType = `svc.${string}.v${number}`;

/** An event before it is published: what is written beside the change that it tells of. */
export interface OutgoingEvent {
  /** Where it is published: `events.` and at least one more token. */
  readonly subject: string;
  /** The same however often it is sent; at most 256 visible characters. */
  readonly id: string;
  readonly type: EventType;
  readonly service: ServiceName;
  /** Id of what it is about. */
  readonly about: string;
  /** When it happened; now where it is not said. */
  readonly time?: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The form of an event: CloudEvents 1.0, structured content mode, JSON. */
export const cloudEvent = <Type extends EventType, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    specversion: z.literal('1.0'),
    id: z.string().min(1).max(256).meta({ description: 'The same however often it is delivered' }),
    source: z.string().max(64).meta({ description: 'The service that it comes from: `/payments`' }),
    type: z.literal(type),
    subject: z.string().max(256).meta({ description: 'Id of what it is about' }),
    time: z.iso.datetime().meta({ description: 'When it happened' }),
    datacontenttype: z.literal('application/json'),
    data,
  });

/** What of an event is the same whatever its type: enough to pass over a type that is newer than its reader. */
export const AnyCloudEvent = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string().min(1).max(256),
  source: z.string().max(64),
  type: z.string().max(128),
  subject: z.string().max(256),
  time: z.iso.datetime(),
});

/** An event in its form on the wire. */
export function cloudEventOf({ id, type, service, about, time = new Date(), data }: OutgoingEvent) {
  return {
    specversion: '1.0',
    id,
    source: `/${service}`,
    type,
    subject: about,
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data,
  } as const;
}
