import { createLogger } from '@svc/platform';
import type { FastifyInstance } from 'fastify';
import { GatewayProblemFilter } from '../../src/http/gateway-problem.filter.js';
import { createHttpAdapter } from '../../src/http/http-adapter.js';
import { BurstLimits } from '../../src/rate-limit/burst-limits.js';
import { TrustedProxies } from '../../src/rate-limit/client-address.js';
import { KnownKeys } from '../../src/rate-limit/known-keys.js';

/** Fastify of an address with all that an address of the product has, and no route; it has not started. */
export async function addressUnderTest(): Promise<FastifyInstance> {
  const logger = createLogger('gateway', { level: 'silent' });
  const unasked = () => Promise.reject(new Error('is not to be asked'));
  const filter = new GatewayProblemFilter({ logger });
  const adapter = await createHttpAdapter({
    ...{ filter, logger, bursts: new BurstLimits(1, new KnownKeys(unasked)), bus: { call: unasked } },
    // What is under way ends with the test.
    drainTimeoutMs: 1,
    rateLimits: { factor: 1, trustedProxies: new TrustedProxies([]) },
  });
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  instance.setErrorHandler((error: Error, request, reply) => filter.answer(error, request, reply));
  return instance;
}
