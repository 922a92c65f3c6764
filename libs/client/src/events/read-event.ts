import { AnyCloudEvent, type EventFamily, type EventFamilyName, EVENTS } from '@svc/contracts';
import type { ConsumedEvent } from './event-types.js';

/** Bytes of an event that are read: a checkpoint with its leaves is the largest. */
export const READ_BYTES_MAX = 1_048_576;

export type ReadEvent =
  | { readonly kind: 'event'; readonly event: ConsumedEvent<EventFamilyName> }
  /** Of a family or a type that is newer than this reader: to be passed over. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'unreadable'; readonly reason: string };

const families = Object.entries(EVENTS) as [EventFamilyName, EventFamily][];
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads what was published under a subject. Bytes of whatever form give a reason, never an exception. */
export function readEvent({
  subject,
  id,
  data,
  delivery,
}: {
  readonly subject: string;
  readonly id: string;
  readonly data: Uint8Array;
  readonly delivery: number;
}): ReadEvent {
  const found = families.find(([, { filter }]) => isOf(filter, subject));
  if (!found) return { kind: 'newer' };
  if (data.length > READ_BYTES_MAX)
    return { kind: 'unreadable', reason: `it has ${data.length} bytes, at most ${READ_BYTES_MAX} are read` };
  const [family, { messages }] = found;
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(data));
  } catch {
    return { kind: 'unreadable', reason: 'it is no JSON' };
  }
  let message = messages.record;
  if (!message) {
    const envelope = AnyCloudEvent.safeParse(value);
    if (!envelope.success) return { kind: 'unreadable', reason: 'it is no CloudEvent' };
    if (!Object.hasOwn(messages, envelope.data.type)) return { kind: 'newer' };
    message = messages[envelope.data.type];
  }
  const parsed = message.schema.safeParse(value);
  if (!parsed.success) {
    const [{ path, message: said }] = parsed.error.issues;
    return { kind: 'unreadable', reason: `${path.join('.') || 'it'}: ${said}` };
  }
  const event = { family, subject, id, delivery, event: parsed.data } as ConsumedEvent<EventFamilyName>;
  return { kind: 'event', event };
}

/** Whether a filter of fixed tokens and `*` covers a subject. */
function isOf(filter: string, subject: string): boolean {
  const [wanted, given] = [filter.split('.'), subject.split('.')];
  return wanted.length === given.length && wanted.every((token, i) => token === '*' || token === given[i]);
}
