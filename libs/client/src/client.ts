import { acousticMethods, type AcousticMethods } from './acoustic/acoustic-methods.js';
import { agentMethods, type AgentMethods } from './agent/agent-methods.js';
import type {
  HealthReport,
  ProofJob,
  ProofJobEvent,
  ProveRequest,
  ProveResult,
  RouteBody,
  RouteMethod,
  RouteParameters,
  RoutePath,
  RouteReply,
  StarkProveM31Request,
  StarkProveRequest,
  StarkProveResult,
  VerifyProofRequest,
  VerifyProofResult,
} from './api-types.js';
import { toHex } from './challenge/byte-text.js';
import { departmentMethods, type DepartmentMethods } from './department/department-methods.js';
import { type SvcError, UnexpectedResponseError } from './errors.js';
import { exchange, type Fetch, jsonObjectOf } from './http-exchange.js';
import { meshMethods, type MeshMethods, type PlainCalls } from './mesh/mesh-methods.js';
import {
  type Answer,
  type Call,
  type CallOptions,
  type CallSettings,
  holderOf,
  type PaidAnswer,
  type RequestOptions,
  sendPaying,
} from './paid-call.js';
import type { SharedPaymentTokenWallet } from './payer/spt-payer.js';
import type { X402Wallet } from './payer/x402-payer.js';
import { neuralMethods, type NeuralMethods } from './neural/neural-methods.js';
import { followEvents } from './proof/proof-job.js';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retry-budget.js';
import { speckleMethods, type SpeckleMethods } from './speckle/speckle-methods.js';
import { followTelemetry } from './tool/follow-telemetry.js';
import { toolMethods, type Ask, type ToolMethods } from './tool/tool-methods.js';
import type { Wallet } from './wallet/wallet.js';

/** The dearest listed price; a call that asks for more is refused unless the limit is raised. */
export const DEFAULT_MAX_SATS_PER_CALL = 500;
const DEFAULT_TIMEOUT_MS = 150_000;
const DEFAULT_RECONNECT_MS = 1_000;
const RESPONSE_BYTES_MAX = 8 * 1_048_576;

export interface ClientOptions {
  /** Address of the gateway, `http://127.0.0.1:3000`. */
  readonly baseUrl: string | URL;
  /**
   * Pays 402 challenges over Lightning. Without a way of paying a 402 is a {@link ProblemError} with code
   * PAYMENT_REQUIRED.
   */
  readonly wallet?: Wallet;
  /** Pays them in stablecoin, where the 402 offers a chain of it: before Lightning. */
  readonly x402?: X402Wallet;
  /** Pays them by card where there is no other way: a card has a least amount, and the rest becomes credit. */
  readonly cardTokens?: SharedPaymentTokenWallet;
  /** Account key, sent as `X-SVC-KEY`: its plan or its credit pays, and the wallet what they do not. */
  readonly key?: string;
  /** Most sats for one call, routing fees apart. Default {@link DEFAULT_MAX_SATS_PER_CALL}. */
  readonly maxSatsPerCall?: number;
  readonly fetch?: Fetch;
  /** For one try, from the request to the last byte of the answer. Default 150,000. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Milliseconds before a stream of events that broke off is taken up again. Default 1,000. */
  readonly reconnectMs?: number;
}

/** Options of a published route: its body and path parameters as the OpenAPI document has them. */
export type RouteOptions<P extends RoutePath<M>, M extends RouteMethod> = Omit<
  RequestOptions,
  'body' | 'parameters'
> &
  (RouteBody<P, M> extends undefined ? { body?: undefined } : { body: RouteBody<P, M> }) &
  (RouteParameters<P, M> extends undefined
    ? { parameters?: undefined }
    : { parameters: RouteParameters<P, M> });

/** Routes that sell proofs whole. */
export type ProvePath = '/v1/zk/prove' | '/v1/stark/prove-goldilocks' | '/v1/stark/prove-m31';

export interface Client
  extends
    ToolMethods,
    AgentMethods,
    DepartmentMethods,
    NeuralMethods,
    AcousticMethods,
    SpeckleMethods,
    MeshMethods {
  /** Address that the calls go to. */
  readonly baseUrl: string;
  /** Proves that the hash chain of `traceData` was computed: `POST /v1/zk/prove`, paid. */
  prove(request: ProveRequest, options?: CallOptions): Promise<Answer<ProveResult>>;
  /** Proves a statement about inputs over Goldilocks: `POST /v1/stark/prove-goldilocks`, paid. */
  proveGoldilocks(request: StarkProveRequest, options?: CallOptions): Promise<Answer<StarkProveResult>>;
  /** The same over Mersenne-31: `POST /v1/stark/prove-m31`, paid. */
  proveM31(request: StarkProveM31Request, options?: CallOptions): Promise<Answer<StarkProveResult>>;
  /**
   * Gives a proof away as a job, which holds the payment until it has ended: the body of any of the
   * three routes that prove. Follow it with `followJob`; the same call without `Prefer`, with the same
   * payment, brings the whole answer once it is made. Where the 202 is lost on its way, the answer is the
   * job as it stands (status 200, without `opening`).
   */
  startJob<P extends ProvePath>(
    path: P,
    request: RouteBody<P, 'post'>,
    options?: CallOptions,
  ): Promise<Answer<ProofJob>>;
  /** The state of a job: `GET /v1/stark/jobs/:id`. */
  job(jobId: string, options?: CallOptions): Promise<Answer<ProofJob>>;
  /** Cancels a job; its payment goes back to its credential. */
  cancelJob(jobId: string, options?: CallOptions): Promise<Answer<ProofJob>>;
  /** The events of a job, each once, to its end; goes on where a connection broke. */
  followJob(jobId: string, options?: { signal?: AbortSignal }): AsyncGenerator<ProofJobEvent>;
  /** Lets the server verify a proof: `POST /v1/stark/verify-proof`, free. See also `verifyLocally`. */
  verifyProof(request: VerifyProofRequest, options?: CallOptions): Promise<Answer<VerifyProofResult>>;
  /** The bytes of a stored proof: `GET /v1/stark/proofs/:id`. */
  fetchProof(proofId: string, options?: CallOptions): Promise<Answer<Uint8Array>>;
  health(options?: CallOptions): Promise<Answer<HealthReport>>;
  /**
   * A published route, typed by the OpenAPI document; pays a 402 like the named methods.
   * @example client.request('post', '/v1/snn/solve', { body: { neuronCount: 1000 } })
   */
  request<M extends RouteMethod, P extends RoutePath<M>>(
    method: M,
    path: P,
    options?: RouteOptions<P, M>,
  ): Promise<Answer<RouteReply<P, M>>>;
  /** Any other route: the answer is the JSON object as it came. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer<Record<string, unknown>>>;
}

/** What an answer must have to be of use. */
const PROOF_FIELDS = { proof: 'string', proofId: 'string', airId: 'string', publicInputs: 'object' };
const JSON_ACCEPT = 'application/json, application/problem+json';
const JOB_FIELDS = { jobId: 'string', state: 'string' };

function positiveInteger(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError(`${name} must be a whole number from 0, got ${value}`);
  return value;
}

function readBaseUrl(baseUrl: string | URL): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError(`baseUrl must be an http or https address, got ${String(baseUrl).slice(0, 200)}`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not hold a user name or a password');
  url.search = '';
  url.hash = '';
  return url;
}

/** 128 random bits; `crypto.randomUUID` is not there in a page without https. */
const randomText = () => toHex(crypto.getRandomValues(new Uint8Array(16)));

/** The address of a path below the base; never another host, since the account key goes along. */
function routeUrl(base: URL, path: string, parameters: RequestOptions['parameters'] = {}): URL {
  if (!/^\/(?!\/)/.test(path)) throw new TypeError(`path must start with one /, got ${path.slice(0, 200)}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    // Two dots would leave the route even when they are percent-encoded.
    if (value === undefined || /^\.*$/.test(String(value)))
      throw new TypeError(`the path ${path} needs the parameter ${name}, got ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
  return new URL(`${base.href.replace(/\/$/, '')}${filled}`);
}

function settingsOf(options: ClientOptions): CallSettings {
  if (options.key !== undefined && !/^[\x21-\x7e]{1,512}$/.test(options.key))
    throw new TypeError('key must be 1 to 512 printable ASCII characters without spaces');
  return {
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    wallet: options.wallet,
    x402: options.x402,
    cardTokens: options.cardTokens,
    key: options.key,
    satsMax: positiveInteger('maxSatsPerCall', options.maxSatsPerCall ?? DEFAULT_MAX_SATS_PER_CALL),
    timeoutMs: positiveInteger('timeoutMs', options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    responseBytesMax: RESPONSE_BYTES_MAX,
    retry: { ...DEFAULT_RETRY_POLICY, ...options.retry },
  };
}

function objectAnswer<T extends object>(
  { answer, payment }: PaidAnswer,
  required: Record<string, string>,
): Answer<T> {
  const data = jsonObjectOf(answer);
  const fault = (message: string) => {
    const error = new UnexpectedResponseError(message, answer.status);
    if (payment !== undefined) error.payment = payment;
    return error;
  };
  if (data === undefined) throw fault('the answer is not a JSON object');
  for (const [field, type] of Object.entries(required))
    if (typeof data[field] !== type) throw fault(`the answer has no ${field} of type ${type}`);
  return { data: data as T, status: answer.status, headers: answer.headers, payment };
}

function bytesAnswer({ answer, payment }: PaidAnswer): Answer<Uint8Array> {
  const type = answer.headers.get('content-type') ?? 'none';
  if (!/^application\/octet-stream\b/.test(type))
    throw new UnexpectedResponseError(`expected application/octet-stream, got ${type}`, answer.status);
  return { data: answer.body, status: answer.status, headers: answer.headers, payment };
}

type SendCall = (
  method: string,
  path: string,
  accept: string,
  request?: RequestOptions,
  wantsJob?: boolean,
) => Promise<PaidAnswer>;

function proveMethods(
  call: SendCall,
  once: () => { idempotencyKey?: string },
): Pick<Client, 'prove' | 'proveGoldilocks' | 'proveM31'> {
  const buy = async <T extends object>(path: ProvePath, body: object, callOptions?: CallOptions) => {
    const request = { ...once(), ...callOptions, body };
    return objectAnswer<T>(await call('POST', path, JSON_ACCEPT, request), PROOF_FIELDS);
  };
  return {
    prove: (body, callOptions) => buy('/v1/zk/prove', body, callOptions),
    proveGoldilocks: (body, callOptions) => buy('/v1/stark/prove-goldilocks', body, callOptions),
    proveM31: (body, callOptions) => buy('/v1/stark/prove-m31', body, callOptions),
  };
}

function jobMethods(
  call: SendCall,
  once: () => { idempotencyKey?: string },
  follow: (jobId: string, signal?: AbortSignal) => AsyncGenerator<ProofJobEvent>,
): Pick<Client, 'startJob' | 'job' | 'cancelJob' | 'followJob'> {
  const job: Client['job'] = async (jobId, callOptions) => {
    const request = { ...callOptions, parameters: { jobId } };
    return objectAnswer(await call('GET', '/v1/stark/jobs/{jobId}', JSON_ACCEPT, request), JOB_FIELDS);
  };
  return {
    job,
    async startJob(path, body, callOptions) {
      const headers = { ...callOptions?.headers, Prefer: 'respond-async' };
      try {
        const request = { ...once(), ...callOptions, body, headers };
        const answer = await call('POST', path, JSON_ACCEPT, request, true);
        return objectAnswer(answer, JOB_FIELDS);
      } catch (error) {
        const jobId = holderOf(error);
        if (jobId === undefined) throw error;
        // The 202 was lost on its way: the job has the payment, and goes on.
        const { payment } = error as SvcError;
        return { ...(await job(jobId, { signal: callOptions?.signal })), payment };
      }
    },
    async cancelJob(jobId, callOptions) {
      const request = { ...callOptions, parameters: { jobId } };
      return objectAnswer(await call('DELETE', '/v1/stark/jobs/{jobId}', JSON_ACCEPT, request), JOB_FIELDS);
    },
    followJob: (jobId, { signal } = {}) => follow(jobId, signal),
  };
}

function requestUrl(base: URL, path: string, { parameters, query = {} }: RequestOptions): URL {
  const url = routeUrl(base, path, parameters);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function headersOf(
  accept: string,
  { body, idempotencyKey, headers }: RequestOptions,
): Readonly<Record<string, string>> {
  return {
    Accept: accept,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...headers,
  };
}

function callOf(base: URL, method: string, path: string, accept: string, request: RequestOptions): Call {
  const { body, signal, payment, onStage, onPayment } = request;
  return {
    method: method.toUpperCase(),
    url: requestUrl(base, path, request).href,
    headers: headersOf(accept, request),
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    payment,
    onStage,
    onPayment,
  };
}

/** Calls that cost nothing, and whose answer is not a JSON object. */
function plainCalls(base: URL, { fetch, timeoutMs }: CallSettings): PlainCalls {
  return {
    exchange: (method, path, { text, ...request }) =>
      exchange(fetch, {
        method,
        url: requestUrl(base, path, request).href,
        headers: headersOf(JSON_ACCEPT, request),
        body: text,
        signal: request.signal,
        timeoutMs,
        responseBytesMax: RESPONSE_BYTES_MAX,
      }),
    open: (path, request) => {
      const { headers, signal } = request;
      return fetch(requestUrl(base, path, request).href, { headers, redirect: 'manual', signal });
    },
  };
}

/**
 * A typed client of the gateway. It uses `fetch` alone, so it runs in browsers and in Node from 20.
 *
 * @example
 * const client = createClient({ baseUrl, wallet: sandboxWallet({ baseUrl }) });
 * const request = { traceData: 'hello' };
 * const { data: answer, payment } = await client.prove(request);
 * const verdict = verifyBought({ path: '/v1/zk/prove', request, answer });
 *
 * @throws {TypeError} for options that cannot be meant
 */
export function createClient(options: ClientOptions): Client {
  const base = readBaseUrl(options.baseUrl);
  const settings = settingsOf(options);
  const reconnectMs = positiveInteger('reconnectMs', options.reconnectMs ?? DEFAULT_RECONNECT_MS);

  function call(
    method: string,
    path: string,
    accept: string,
    request: RequestOptions = {},
    wantsJob = false,
  ): Promise<PaidAnswer> {
    const isRemembered = settings.key !== undefined || request.headers?.['X-Execution-Ticket'] !== undefined;
    const isIdempotent = isRemembered && request.idempotencyKey !== undefined;
    const made = { ...callOf(base, method, path, accept, request), isIdempotent, wantsJob };
    const satsMax =
      request.maxSats === undefined ? settings.satsMax : positiveInteger('maxSats', request.maxSats);
    return sendPaying(made, { ...settings, satsMax });
  }

  function followUp(jobId: string, signal?: AbortSignal): AsyncGenerator<ProofJobEvent> {
    const url = routeUrl(base, '/v1/stark/jobs/{jobId}/events', { jobId });
    const headers: Record<string, string> = settings.key === undefined ? {} : { 'X-SVC-KEY': settings.key };
    return followEvents(settings.fetch, url.href, { headers, reconnectMs, signal });
  }

  // A key, and a ticket, has no memory of what it paid for; this gives it one.
  const once = (isTicketed = false) =>
    settings.key === undefined && !isTicketed ? {} : { idempotencyKey: randomText() };
  const watch = (signal?: AbortSignal) =>
    followTelemetry(settings.fetch, routeUrl(base, '/v1/x402/telemetry').href, { reconnectMs, signal });
  const json = JSON_ACCEPT;
  const ask: Ask = async (method, path, request, required) => {
    const paid = await call(method, path, json, request);
    return objectAnswer(paid, required(paid.answer.status));
  };
  return {
    baseUrl: base.href,
    ...proveMethods(call, once),
    ...jobMethods(call, once, followUp),
    ...toolMethods(ask, once, watch),
    ...agentMethods(ask, once),
    ...departmentMethods(ask, once),
    ...neuralMethods(ask, once),
    ...acousticMethods(ask, once),
    ...speckleMethods(ask, once),
    ...meshMethods(ask, once, plainCalls(base, settings)),
    async verifyProof(body, callOptions) {
      const answer = await call('POST', '/v1/stark/verify-proof', json, { ...callOptions, body });
      return objectAnswer(answer, { valid: 'boolean' });
    },
    async fetchProof(proofId, callOptions) {
      const accept = 'application/octet-stream, application/problem+json';
      const request = { ...callOptions, parameters: { proofId } };
      return bytesAnswer(await call('GET', '/v1/stark/proofs/{proofId}', accept, request));
    },
    async health(callOptions) {
      return objectAnswer(await call('GET', '/health', json, callOptions), { status: 'string' });
    },
    request: (async (method: string, path: string, requestOptions?: RequestOptions) =>
      objectAnswer(await call(method, path, json, requestOptions), {})) as Client['request'],
  };
}
