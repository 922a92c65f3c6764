import type { EventSubscriptionOptions, StreamEvent } from './event-stream.js';

/** Subjects of events begin with it. */
export const EVENT_SUBJECTS = 'events.';
/** Where what a consumer could not handle is put: `events.dead.<durable>.<rest of its subject>`. */
export const DEAD_SUBJECTS = 'events.dead.';

const SUBJECT = /^events(\.[A-Za-z0-9_-]+)+$/;
const FILTER = /^events(\.([A-Za-z0-9_-]+|\*))*(\.>)?$/;
const DURABLE = /^[A-Za-z0-9_-]{1,64}$/;
const ID = /^[\x21-\x7e]{1,256}$/;
const SUBJECT_CHARS_MAX = 256;

/** Whether a filter covers a subject: `*` is one token, `>` at its end one or more. */
export function subjectMatches(filter: string, subject: string): boolean {
  const [wanted, given] = [filter.split('.'), subject.split('.')];
  for (const [i, token] of wanted.entries()) {
    if (token === '>') return given.length > i;
    if (i >= given.length || (token !== '*' && token !== given[i])) return false;
  }
  return wanted.length === given.length;
}

/** @throws RangeError */
export function assertPublishable({ subject, id }: Pick<StreamEvent, 'subject' | 'id'>): void {
  if (!SUBJECT.test(subject) || subject.length > SUBJECT_CHARS_MAX)
    throw new RangeError(`"${subject}" is no subject of events`);
  if (!ID.test(id)) throw new RangeError(`"${id}" is no id of an event`);
}

/** @throws RangeError */
export function assertSubscribable({ filter, durable }: EventSubscriptionOptions): void {
  if (!FILTER.test(filter) || filter === 'events') throw new RangeError(`"${filter}" is no filter of events`);
  if (!DURABLE.test(durable)) throw new RangeError(`"${durable}" is no name of a consumer`);
  const named = filter.startsWith(DEAD_SUBJECTS);
  if (!named && coversDeadLetters(filter)) {
    throw new RangeError(`"${filter}" covers dead letters, and a consumer of its own would get them back`);
  }
}

const coversDeadLetters = (filter: string) => {
  const [, second] = filter.split('.');
  return second === '>' || second === '*' || second === 'dead';
};

/** The same event as a dead letter of a consumer. */
export function deadLetterOf(event: StreamEvent, durable: string): StreamEvent {
  const rest = event.subject.slice(EVENT_SUBJECTS.length);
  return {
    subject: `${DEAD_SUBJECTS}${durable}.${rest}`,
    id: `dead:${durable}:${event.id}`,
    data: event.data,
  };
}

/** Whether an event is a dead letter: what fails with it is not put aside a second time. */
export const isDeadLetter = ({ subject }: Pick<StreamEvent, 'subject'>) => subject.startsWith(DEAD_SUBJECTS);
