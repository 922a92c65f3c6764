import type { ServiceEnvironment } from '@svc/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOf } from './caller.js';
import type { RateLimitSettings } from './rate-limit-config.js';
import { RefusalLines } from './refusal-lines.js';
import { Windows } from './windows.js';

/** Refusals of one address that are answered at once: of a limit, and of a key or a right that it lacks. */
export const PROMPT_REFUSALS = {
  limits: { count: 20, windowSeconds: 10 },
  failures: { count: 10, windowSeconds: 60 },
} as const;
/** How long each further one waits, milliseconds: less than the second that the first ones ask for by `Retry-After`. */
export const REFUSAL_PAUSE_MS = 500;
/** Answers of one address that wait at one time; what is beyond loses its connection. */
export const PAUSED_OF_ADDRESS_MAX = 64;

const LIMITED = 429;
const FAILED: ReadonlySet<number> = new Set([401, 403]);

/** Whether a status refuses a limit, a key or a right. */
export const isRefusal = (status: number): boolean => status === LIMITED || FAILED.has(status);

const PAUSES = Symbol('PAUSES');
interface WithPauses {
  [PAUSES]?: RefusalPauses;
}

/**
 * Logs a refusal and makes it wait, as the status of an answer would have it, for an answer whose own status says nothing of it: the
 * error of a JSON-RPC message. Whoever answers so waits for this before it does.
 */
export const pauseRefusal = async (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
): Promise<void> => (request as WithPauses)[PAUSES]?.refused(request, reply, status);

/**
 * Makes whoever goes on after refusals wait for each further one: a refusal takes the event loop some tenths of a millisecond,
 * and fifty connections that ask again at once would have all of it. It logs keys and rights that were refused.
 */
export class RefusalPauses {
  private readonly limits = windowsOf(PROMPT_REFUSALS.limits);
  private readonly failures = windowsOf(PROMPT_REFUSALS.failures);
  private readonly waiting = new Map<string, number>();
  private readonly lines: RefusalLines;
  private readonly pauseMs: number;

  constructor(
    private readonly logger: ServiceEnvironment['logger'],
    { factor }: Pick<RateLimitSettings, 'factor'>,
    private readonly wait: (ms: number) => Promise<unknown> = delay,
  ) {
    this.lines = new RefusalLines(logger, 'keys and rights');
    this.pauseMs = factor === 0 ? 0 : REFUSAL_PAUSE_MS;
  }

  register(instance: FastifyInstance): void {
    instance.addHook('onClose', async () => this.lines.close());
    instance.addHook('onRequest', (request, _reply, done) => {
      (request as WithPauses)[PAUSES] = this;
      done();
    });
    instance.addHook('onSend', (request, reply, payload, done) => {
      if (!isRefusal(reply.statusCode)) return done(null, payload);
      void this.refused(request, reply, reply.statusCode).then(() => done(null, payload), done);
    });
  }

  /** Of a status that is no refusal of a limit, a key or a right nothing is made. */
  async refused(request: FastifyRequest, reply: FastifyReply, status: number): Promise<void> {
    if (!isRefusal(status)) return;
    const isFailure = FAILED.has(status);
    if (isFailure) this.lines.add(addressOf(request), () => this.log(request, status));
    await this.pause(request, reply, isFailure ? this.failures : this.limits);
  }

  private async pause(request: FastifyRequest, reply: FastifyReply, prompt: Windows): Promise<void> {
    if (this.pauseMs === 0) return;
    const address = addressOf(request);
    if (prompt.take(address).counted <= prompt.points) return;
    const waiting = this.waiting.get(address) ?? 0;
    if (waiting >= PAUSED_OF_ADDRESS_MAX) {
      reply.raw.destroy();
      return;
    }
    this.waiting.set(address, waiting + 1);
    await this.wait(this.pauseMs);
    const left = this.waiting.get(address)! - 1;
    if (left > 0) this.waiting.set(address, left);
    else this.waiting.delete(address);
  }

  private log(request: FastifyRequest, status: number): void {
    const { method, routeOptions, id: requestId } = request;
    const line = { method, route: routeOptions.url, status, requestId };
    this.logger.warn(
      { ...line, security: 'refused', address: addressOf(request) },
      'a key or a right was refused',
    );
  }
}

const windowsOf = ({ count, windowSeconds }: { count: number; windowSeconds: number }): Windows =>
  new Windows(count, windowSeconds);
