import type { Answer, CallOptions, RequestOptions } from '../paid-call.js';
import type {
  AuditProof,
  ExecuteResult,
  ExecutionTicket,
  Saga,
  Telemetry,
  ToolName,
  WalEvent,
} from '../api-types.js';

/** What a ticket is bought for. */
export interface TicketRequest {
  /** Default: that of the payment, else m2m_license_contract. */
  readonly tool?: ToolName;
  /** The only agent that the ticket is good for. */
  readonly agentId?: string;
  /** The capability of a licence whose request names none. */
  readonly capability?: string;
}

/** What a tool is run with. */
export interface Execution {
  readonly tool?: ToolName;
  /** The inputs of the catalogue. */
  readonly input: object;
  /** Pays for it; without, the call itself is paid for. */
  readonly ticket?: string;
}

/** Inputs of `m2m_license_contract`. */
export interface LicenceRequest {
  readonly licenseeAgentId: string;
  /** Default: a new contract. */
  readonly contractId?: string;
  /** Default m2m_continuous_metered. */
  readonly licensingTier?: 'm2m_autonomous_perpetual' | 'm2m_continuous_metered' | 'm2m_enterprise_mesh';
  readonly capability?: string;
  /** Above that of every licence before under the contract. Default: the next. */
  readonly streamIndex?: number;
  /** Lets a step fail, so that the way back can be seen: nothing is charged. */
  readonly simulateFault?: boolean;
  /** Which one, 1 to 4. Default 3. */
  readonly faultStep?: number;
}

/** A licence between machines, or the log of one that was taken back. */
export interface LicenceAnswer extends ExecuteResult {
  readonly contractId: string;
  readonly sagaName: string;
  readonly walHash: string;
  readonly walCount: number;
  readonly walEvents: readonly WalEvent[];
  /** Empty where nothing was sold, as the three after it. */
  readonly m2mLicenseToken: string;
  /** Id of the STARK over `contract`. */
  readonly starkExecutionProof: string;
  readonly settlementTreasury: string;
  readonly executionTimeMs: number;
  /** What was sold: its canonical JSON (RFC 8785) is what is proved. */
  readonly contract: Readonly<Record<string, unknown>>;
}

/** The outputs of a tool, as the catalogue has them, and their evidence. */
export interface ToolAnswer {
  readonly [output: string]: unknown;
  readonly auditProof?: AuditProof;
}

/** What sells and runs tools, by themselves and as sagas, and shows them. */
export interface ToolMethods {
  /**
   * Calls one tool of the catalogue: `POST /v1/tools/:name`, paid. What fails is not charged, and the same payment with the
   * same inputs gets the same answer again. Status 202, of m2m_license_contract alone: its saga goes on.
   */
  callTool(tool: ToolName, input: object, options?: CallOptions): Promise<Answer<ToolAnswer>>;
  /** Takes a payment and gives a ticket for it: `POST /v1/x402/verify`, paid. Keep the ticket like money. */
  buyTicket(request?: TicketRequest, options?: CallOptions): Promise<Answer<ExecutionTicket>>;
  /**
   * Runs a tool as a saga, wholly or not at all: `POST /v1/x402/execute`, by ticket or paid. Status 202: it goes on, ask for
   * the saga. An answer that is lost on its way is asked for again, and nothing runs twice.
   */
  execute(execution: Execution, options?: CallOptions): Promise<Answer<ExecuteResult>>;
  /** Buys a licence between machines: `execute` of `m2m_license_contract`. See `verifyLicenceAnswer`. */
  licence(
    request: LicenceRequest,
    options?: CallOptions & { readonly ticket?: string },
  ): Promise<Answer<LicenceAnswer>>;
  /** A saga and its write-ahead log, for its payer: by the ticket, or by the account key of the client. */
  saga(sagaId: string, options?: CallOptions & { readonly ticket?: string }): Promise<Answer<Saga>>;
  /** What was executed and cleared: `GET /v1/x402/telemetry`. */
  telemetry(options?: CallOptions): Promise<Answer<Telemetry>>;
  /** Each change of it as it comes, the state of now first. */
  followTelemetry(options?: { signal?: AbortSignal }): AsyncGenerator<Telemetry>;
}

/** Members that an answer must have to be of use, with their types. */
type Fields = Readonly<Record<string, string>>;

/** Asks for a JSON object that has the members of its status. */
export type Ask = <T extends object>(
  method: string,
  path: string,
  request: RequestOptions,
  required: (status: number) => Fields,
) => Promise<Answer<T>>;

const TICKET_FIELDS = { ticket: 'string', tool: 'string', expiresAt: 'string' };
const TOOL_FIELDS = { auditProof: 'object' };
const EXECUTION_FIELDS = { sagaId: 'string', status: 'string' };
const SAGA_FIELDS = { ...EXECUTION_FIELDS, walEvents: 'object' };
const TELEMETRY_FIELDS = { transactionsExecuted: 'number' };
const LICENCE_FIELDS = {
  ...EXECUTION_FIELDS,
  ...{ contractId: 'string', m2mLicenseToken: 'string', starkExecutionProof: 'string', contract: 'object' },
  ...{ walHash: 'string', walCount: 'number', walEvents: 'object' },
};

const presenting = (
  ticket: string | undefined,
  { headers }: CallOptions,
): Readonly<Record<string, string>> => ({
  ...headers,
  ...(ticket === undefined ? {} : { 'X-Execution-Ticket': ticket }),
});

/**
 * @param once an Idempotency-Key of its own for each call that somebody remembers
 * @param follow the stream of the telemetry
 */
export function toolMethods(
  ask: Ask,
  once: (isTicketed: boolean) => { idempotencyKey?: string },
  follow: (signal?: AbortSignal) => AsyncGenerator<Telemetry>,
): ToolMethods {
  const run = <T extends ExecuteResult>(
    { tool, input, ticket }: Execution,
    options: CallOptions,
    required: (status: number) => Fields,
  ): Promise<Answer<T>> => {
    const headers = presenting(ticket, options);
    const request = { ...once(ticket !== undefined), ...options, headers, query: { tool }, body: input };
    return ask<T>('POST', '/v1/x402/execute', request, required);
  };
  return {
    callTool(tool, input, options = {}) {
      const request = { ...once(false), ...options, parameters: { name: tool }, body: input };
      const isSaga = tool === 'm2m_license_contract';
      return ask('POST', '/v1/tools/{name}', request, () => (isSaga ? EXECUTION_FIELDS : TOOL_FIELDS));
    },
    buyTicket({ tool, ...body } = {}, options = {}) {
      const request = { ...once(false), ...options, query: { tool }, body };
      return ask('POST', '/v1/x402/verify', request, () => TICKET_FIELDS);
    },
    execute: (execution, options = {}) => run(execution, options, () => EXECUTION_FIELDS),
    licence(input, { ticket, ...options } = {}) {
      const execution: Execution = { tool: 'm2m_license_contract', input, ticket };
      return run(execution, options, status => (status === 200 ? LICENCE_FIELDS : EXECUTION_FIELDS));
    },
    saga(sagaId, { ticket, ...options } = {}) {
      const request = { ...options, headers: presenting(ticket, options), parameters: { sagaId } };
      return ask('GET', '/v1/x402/sagas/{sagaId}', request, () => SAGA_FIELDS);
    },
    telemetry: options => ask('GET', '/v1/x402/telemetry', { ...options }, () => TELEMETRY_FIELDS),
    followTelemetry: ({ signal } = {}) => follow(signal),
  };
}
