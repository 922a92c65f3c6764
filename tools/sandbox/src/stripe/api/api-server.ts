import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { API_VERSION, type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type FaultRule, type Faults } from '../control/faults.js';
import { expanded } from './expansion.js';
import { decodeForm, emptyForm, type Form } from './form-encoding.js';
import { Idempotency, type KeptAnswer, type KeyedRequest } from './idempotency.js';
import { Parameters } from './parameters.js';
import { type Route } from './route.js';
import { invalidRequest, StripeError } from './stripe-error.js';

const HANG_MS_MAX = 600_000;

export interface ApiOptions {
  account: EmulatedAccount;
  faults: Faults;
  secretKey: string;
  /** Called when the effects of a call are on disk. */
  committed: () => void;
}

interface Answer {
  status: number;
  body: string;
  requestId: string;
  replayed?: boolean;
}

/** Puts the routes on the server, with what is the same for all: key, version, idempotency, faults, errors. */
export function serveApi(server: FastifyInstance, routes: readonly Route[], options: ApiOptions): void {
  const idempotency = new Idempotency(options.account);
  for (const route of routes) {
    server.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => new ApiCall(request, reply, route, options, idempotency).answer(),
    });
  }
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0];
    const message = `Unrecognized request URL (${request.method}: ${path}).`;
    return reply.code(404).send({ error: { type: 'invalid_request_error', message } });
  });
}

/** One request from its headers to its answer. */
class ApiCall {
  private readonly requestId = randomId('req_', 14);
  private readonly gone = new AbortController();
  private readonly path: string;
  private keyed: KeyedRequest | undefined;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly route: Route,
    private readonly options: ApiOptions,
    private readonly idempotency: Idempotency,
  ) {
    this.path = request.url.split('?')[0];
    reply.raw.once('close', () => this.gone.abort());
  }

  async answer(): Promise<FastifyReply> {
    const { request } = this;
    try {
      requireKey(request.headers.authorization, this.options.secretKey);
      const version = versionOf(request);
      const form = this.form();
      const fault = this.options.faults.take(request.method, this.path);
      const kept = this.beginIdempotent(form, version);
      if (fault?.delayMs) await this.options.faults.wait(fault.delayMs, this.gone.signal);
      if (fault && !fault.after && endsCall(fault)) {
        if (this.keyed && !kept) this.idempotency.end(this.keyed);
        return this.fail(fault);
      }
      const answer = kept ? { ...kept, replayed: true } : this.run(form, version);
      return fault?.after && endsCall(fault) ? await this.fail(fault) : this.send(answer, version);
    } catch (error) {
      return this.send(this.errorAnswer(error), API_VERSION);
    }
  }

  private form(): Form {
    if (this.request.method === 'POST') {
      const { body } = this.request;
      return typeof body === 'string' ? decodeForm(body) : emptyForm();
    }
    return decodeForm(this.request.url.split('?').slice(1).join('?'));
  }

  private beginIdempotent(form: Form, version: string): KeptAnswer | undefined {
    const key = this.request.headers['idempotency-key'];
    if (this.request.method !== 'POST' || typeof key !== 'string' || key === '') return undefined;
    const keyed = { key, path: this.path, form, version };
    const kept = this.idempotency.begin(keyed);
    this.keyed = keyed;
    return kept;
  }

  /** The effect: nothing else happens to the account between its beginning and its commit. */
  private run(form: Form, version: string): Answer {
    const { account, committed } = this.options;
    account.cause = { requestId: this.requestId, idempotencyKey: this.keyed?.key };
    let answer: Answer;
    try {
      const parameters = new Parameters(form).only([...this.route.accepts, 'expand']);
      const expand = parameters.texts('expand');
      const { id = '' } = this.request.params as { id?: string };
      const preview = version.endsWith('.preview');
      const result = this.route.run({ account, parameters, id, preview });
      const body = expanded(result, expand, account, this.route.includable ?? (() => undefined));
      answer = { status: 200, body: JSON.stringify(body, null, 2), requestId: this.requestId };
    } catch (error) {
      answer = this.errorAnswer(error);
    } finally {
      account.cause = undefined;
    }
    // A request that never began, for its parameters, may be sent again under its key with better ones.
    const began = answer.status < 400 || answer.status === 402;
    if (this.keyed) this.idempotency.end(this.keyed, began ? answer : undefined);
    account.store.commit();
    committed();
    return answer;
  }

  private errorAnswer(error: unknown): Answer {
    const { requestId } = this;
    if (error instanceof StripeError) {
      return { status: error.status, body: JSON.stringify({ error: error.body }, null, 2), requestId };
    }
    this.request.log.error(error);
    const body = JSON.stringify({ error: { type: 'api_error', message: 'An error of the emulator.' } });
    return { status: 500, body, requestId };
  }

  private async fail(fault: FaultRule): Promise<FastifyReply> {
    if (fault.status !== undefined) {
      const type = fault.status < 500 ? 'invalid_request_error' : 'api_error';
      const message = 'An error that was asked for.';
      const code = fault.code ?? (fault.status === 429 ? 'rate_limit' : undefined);
      const error = code === undefined ? { type, message } : { type, code, message };
      const body = JSON.stringify({ error });
      return this.send({ status: fault.status, body, requestId: this.requestId }, API_VERSION);
    }
    if (fault.hang) await this.options.faults.wait(HANG_MS_MAX, this.gone.signal);
    this.reply.hijack();
    this.request.raw.socket.destroy();
    return this.reply;
  }

  private send({ status, body, requestId, replayed }: Answer, version: string): FastifyReply {
    void this.reply
      .code(status)
      .header('Content-Type', 'application/json')
      .header('Request-Id', replayed ? this.requestId : requestId)
      .header('Stripe-Version', version);
    if (this.keyed) {
      void this.reply.header('Idempotency-Key', this.keyed.key).header('Original-Request', requestId);
    }
    if (replayed) void this.reply.header('Idempotent-Replayed', 'true');
    return this.reply.send(body);
  }
}

function endsCall({ status, drop, hang }: FaultRule): boolean {
  return status !== undefined || drop === true || hang === true;
}

/** `Bearer sk_test_…`, or the key as the user name of `Basic`. */
function requireKey(authorization: string | undefined, secretKey: string): void {
  const refuse = (message: string) => new StripeError(401, { type: 'invalid_request_error', message });
  const [scheme, value = ''] = authorization?.split(' ') ?? [];
  const key = /^basic$/i.test(scheme ?? '')
    ? Buffer.from(value, 'base64').toString().split(':')[0]
    : /^bearer$/i.test(scheme ?? '')
      ? value
      : '';
  if (key === '') {
    throw refuse(
      'You did not provide an API key. You need to provide your API key in the Authorization header, ' +
        "using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (timingSafeEqual(digest(key), digest(secretKey))) return;
  const shown = `${key.slice(0, 8)}${'*'.repeat(Math.max(4, Math.min(key.length, 24) - 12))}${key.slice(-4)}`;
  throw refuse(`Invalid API Key provided: ${key.length < 16 ? '****' : shown}`);
}

function versionOf(request: FastifyRequest): string {
  const version = request.headers['stripe-version'];
  if (version === undefined || version === '') return API_VERSION;
  if (typeof version === 'string' && /^\d{4}-\d{2}-\d{2}(\.[a-z]{1,30})?$/.test(version)) return version;
  throw invalidRequest(`Invalid Stripe API version: ${String(version).slice(0, 50)}`);
}
