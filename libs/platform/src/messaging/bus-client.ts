import type { Procedure, ReplyOf, RequestOf } from '@svc/contracts';
import { currentTrace } from '../observability/trace-context.js';
import { faultsOf, type SchemaIssue } from '../problem-details/field-faults.js';
import { problem } from '../problem-details/problem-error.js';
import type { BusLink } from './bus-link.js';
import { currentTurn, turnText } from '../runtime/caller-turn.js';
import { readReply } from './wire.js';

/** Calls other services. Injectable wherever {@link BusModule} is registered. */
export class BusClient {
  constructor(private readonly link: BusLink) {}

  /** Whether the bus can be reached now. */
  get connected(): boolean {
    return this.link.connected;
  }

  /**
   * Asks one instance of the procedure's service and waits for its validated reply.
   * @throws ProblemError the handler's own; SERVICE_UNAVAILABLE when nobody listens or the bus is
   * away; TIMEOUT; BODY_TOO_LARGE; INTERNAL when the reply breaks the contract. The signal's reason
   * when it aborts (the handler is not told).
   * @throws EnvelopeEncodeError when the payload holds what cannot cross the bus
   */
  async call<P extends Procedure>(
    procedure: P,
    payload: RequestOf<P>,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<ReplyOf<P>> {
    const { subject } = procedure;
    const turn = currentTurn();
    const answer = await this.link.request(subject, payload, {
      timeoutMs: options.timeoutMs ?? procedure.timeoutMs,
      traceparent: currentTrace().traceparent,
      ...(turn && { turn: turnText(turn) }),
      signal: options.signal,
    });
    const value = readReply(subject, answer);
    const parsed = procedure.reply.safeParse(value);
    if (parsed.success) return parsed.data as ReplyOf<P>;
    const faults = faultsOf(parsed.error.issues as unknown as SchemaIssue[], value);
    throw problem('INTERNAL', `The reply of ${subject} breaks its contract`, {
      cause: new Error(`reply of ${subject}: ${JSON.stringify(faults)}`),
    });
  }
}
