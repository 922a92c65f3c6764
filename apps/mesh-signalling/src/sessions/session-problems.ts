import { type PeerSession, SdpError, type SessionRefusal } from '@svc/mesh';
import { problem, type ProblemError, unprocessable } from '@svc/platform';

/** What a description is refused for, with its line. */
export function sdpProblem(
  field: string,
  { reason, message, line, lineText, bound, value }: SdpError,
): ProblemError {
  const got = value ?? lineText;
  return unprocessable(field, message, {
    ...(bound !== undefined && { bound: String(bound) }),
    ...(got !== undefined && { got: String(got) }),
    extensions: { reason, ...(line !== undefined && { line }) },
  });
}

/** Runs an inspection of a description. @throws ProblemError UNPROCESSABLE where it is refused */
export function inspected<T>(field: string, inspect: () => T): T {
  try {
    return inspect();
  } catch (error) {
    throw error instanceof SdpError ? sdpProblem(field, error) : error;
  }
}

export const unknownSession = (): ProblemError => problem('NOT_FOUND', 'No session of this id is known');

export const endedSession = (reason: string): ProblemError =>
  problem('EXPIRED', `The session is over: ${reason}`, { extensions: { reason } });

/** What an event is refused for, as the sender learns it. @param field of what it came in */
export function refusedEvent(
  { refused, message, bound, value }: SessionRefusal,
  { state, end }: Pick<PeerSession, 'state' | 'end'>,
  field: string,
): ProblemError {
  const extensions = { reason: refused };
  switch (refused) {
    case 'OVER':
    case 'TOO_LATE':
      return endedSession((end ?? state).toUpperCase());
    // As RFC 9725 §4.3 has it where candidates alone are taken.
    case 'ICE_RESTART':
    case 'OTHER_SECTION':
    case 'UFRAG_TAKEN':
    case 'TOO_MANY_CANDIDATES':
      return unprocessable(field, message, {
        ...(bound !== undefined && { bound: String(bound) }),
        ...(value !== undefined && { got: String(value) }),
        extensions,
      });
    default:
      return problem('CONFLICT', message, { extensions });
  }
}
