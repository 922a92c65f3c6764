import { problem, type ProblemError } from '@svc/platform';
import type { IncomingMessage } from 'node:http';
import { headerLines } from '@svc/edge';

const TICKET_HEADER = 'x-execution-ticket';
/** Longer than any ticket of ours: one that is cut there is none, and its refusal says so. */
const TICKET_CHARS_MAX = 128;

/**
 * The execution ticket of a request, not yet looked at; undefined where there is none.
 * @param inBody `executionTicket` of its body
 * @throws ProblemError CONFLICTING_CREDENTIALS where two tickets came
 */
export function ticketOf({ rawHeaders }: IncomingMessage, inBody?: string): string | undefined {
  const lines = headerLines(rawHeaders, TICKET_HEADER).map(line => line.trim());
  if (inBody !== undefined) lines.push(inBody);
  const tickets = new Set(lines);
  if (tickets.size > 1) throw conflicting('Send one execution ticket; two or more came');
  const [ticket] = tickets;
  return ticket?.slice(0, TICKET_CHARS_MAX);
}

/** What pays twice pays for neither. */
export const ticketBesidePayment = (): ProblemError =>
  conflicting('The request brings an execution ticket, which is paid for, and a payment: send one of them');

const conflicting = (detail: string): ProblemError => problem('CONFLICTING_CREDENTIALS', detail);
