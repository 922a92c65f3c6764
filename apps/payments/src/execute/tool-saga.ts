import type { Receipt, ToolName } from '@svc/contracts';
import type { JsonObject, SagaDefinition, StoredSaga } from '@svc/durability';
import type { EntityManager } from 'typeorm';

/** What a tool's saga may know of the ticket that it runs on: nothing that spends it. */
export interface TicketFacts {
  readonly ticketId: string;
  readonly tool: ToolName;
  readonly claimId: string;
  /** Rail of the payment: `l402`, `mpp-stripe`, `x402`, …, `svc-key`. */
  readonly rail: string;
  /** Price that was paid; of a plan's quota it was counted, and nothing is booked for it. */
  readonly amountMicroUsd: number;
  readonly funding: 'rail' | 'credit' | 'quota';
  readonly receipt: Receipt;
  /** The agent that the ticket was asked for: a tool input that names an agent must name this one. */
  readonly agentId?: string;
  /** Default of the tool's `capability` input. */
  readonly capability?: string;
  /** The account whose key paid, where one did. */
  readonly accountId?: string;
  /** Where the amount goes when the saga is taken back; its holder may use the ticket. */
  readonly creditAccountId?: string;
}

/** What a saga begins with. */
export interface SagaSeed {
  /** The resolved inputs, of which the log has a salted digest alone. */
  readonly input: JsonObject;
  /** Members of SAGA_BEGIN's payload: nothing secret. */
  readonly logged: JsonObject;
  /** What the saga keeps, sealed, until a day after its end. */
  readonly kept: JsonObject;
}

/**
 * How one tool of the catalogue runs as a saga. Nothing is consumed until `begin` has returned, and its transaction is
 * committed; an answer is made after the end, as often as it is asked for, and runs nothing twice.
 */
export interface ToolSaga {
  readonly tool: ToolName;
  readonly definition: SagaDefinition<EntityManager>;
  /** Before anything is consumed; may ask other services. @throws ProblemError */
  admit(input: unknown): Promise<void>;
  /**
   * Within TX0: resolves and locks what the inputs name.
   * @throws ProblemError (403, 409): nothing is consumed
   */
  begin(
    tx: EntityManager,
    call: {
      readonly sagaId: string;
      /** As the catalogue parses it, with the ticket's `capability` where the call has none. */
      readonly input: JsonObject;
      readonly ticket: TicketFacts;
      /** Where the caller reached us, `https://host`; for links in outputs. */
      readonly baseUrl?: string;
    },
  ): Promise<SagaSeed>;
  /**
   * The answer of a saga that has ended COMPLETED, or COMPENSATED by simulateFault; the failure of one that failed for
   * real is thrown as its problem. Whatever else it throws (SERVICE_UNAVAILABLE) is not kept: it is asked again.
   * @throws ProblemError
   */
  answer(saga: StoredSaga, ticket: TicketFacts): Promise<JsonObject>;
}

/** Injection token of the {@link ToolSaga}s of this deployment, `readonly ToolSaga[]`. */
export const TOOL_SAGAS = Symbol('TOOL_SAGAS');
