import { describe, expect, test } from '@jest/globals';
import { paymentsContract, proverContract } from '@svc/contracts';
import { createLogger } from '@svc/platform';
import { BurstLimits } from '../rate-limit/burst-limits.js';
import { TrustedProxies } from '../rate-limit/client-address.js';
import { KnownKeys } from '../rate-limit/known-keys.js';
import { GatewayProblemFilter } from './gateway-problem.filter.js';
import { createHttpAdapter } from './http-adapter.js';
import { DRAIN_TIMEOUT_MS } from './limits.js';

/** What docker-compose.yml and the manifests grant between SIGTERM and SIGKILL. */
const GRACE_MS = 180_000;

describe('the drain', () => {
  test('outlasts every procedure, and a paid proof from its claim to its delivery', () => {
    for (const { timeoutMs } of [...Object.values(proverContract), ...Object.values(paymentsContract)]) {
      expect(DRAIN_TIMEOUT_MS).toBeGreaterThan(timeoutMs);
    }
    const { claim, deliver } = paymentsContract;
    const paidProofMs = claim.timeoutMs + proverContract.prove.timeoutMs + deliver.timeoutMs;
    expect(DRAIN_TIMEOUT_MS).toBeGreaterThanOrEqual(paidProofMs);
  });

  test('ends before Fastify gives the close up, and that before the orchestrator does', async () => {
    const logger = createLogger('gateway', { level: 'silent' });
    const keys = new KnownKeys(() => Promise.reject(new Error('nobody asks')));
    const bursts = new BurstLimits(1, keys);
    const adapter = await createHttpAdapter({
      filter: new GatewayProblemFilter({ logger }),
      ...{ logger, bursts, rateLimits: { factor: 1, trustedProxies: new TrustedProxies([]) } },
      bus: { call: () => Promise.reject(new Error('nobody asks')) },
    });
    const { pluginTimeout } = adapter.getInstance().initialConfig;
    expect(pluginTimeout).toBeGreaterThan(DRAIN_TIMEOUT_MS);
    expect(pluginTimeout).toBeLessThan(GRACE_MS);
    await adapter.close();
  });
});
