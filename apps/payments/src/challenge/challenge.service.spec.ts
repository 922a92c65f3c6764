import { beforeEach, describe, expect, it } from '@jest/globals';
import { type DatabasePulse, problemOf } from '@svc/platform';
import type { Logger } from 'pino';
import { paymentKeysOf } from '../payments-config.js';
import type { Quote, Rail, RailFamily } from '../rail/rail.js';
import { ChallengeService } from './challenge.service.js';

const SECRET = 'a secret of thirty-two characters';
const KEYS = paymentKeysOf({
  production: false,
  secrets: {
    ...{ PAYMENTS_SECRET: SECRET, MACAROON_SECRET: SECRET, SANDBOX_LIGHTNING_KEY: SECRET },
    ...{ API_KEY_PEPPER: SECRET, CREDIT_KEY_SECRET: SECRET, ADMIN_KEY: SECRET },
    LICENCE_SIGNING_SEEDS: 'a-seed-of-licence-keys-of-32-characters',
    WAL_SIGNING_SEEDS: 'a-seed-of-checkpoint-keys-of-32-characters',
  },
});

describe('a challenge', () => {
  let quoted: RailFamily[];
  const railOf = (family: RailFamily, isReady = true, takesSoLittle = true) =>
    ({
      family,
      isReady: () => isReady,
      quote: async (_quote: Quote) => {
        quoted.push(family);
        if (!takesSoLittle) return { offers: [] };
        return { offers: [{ rail: family, scheme: family }] };
      },
    }) as unknown as Rail;
  const serviceOf = (rails: readonly Rail[]) =>
    new ChallengeService(rails, KEYS, { assertPresent: () => undefined } as unknown as DatabasePulse, {
      logger: { warn: () => undefined } as unknown as Logger,
    });
  const asked = { operationId: 'zk.prove', realm: 'svc.example' };
  beforeEach(() => void (quoted = []));

  it('has the offers of every rail that can settle, or of those that are named: others make no invoice', async () => {
    const service = serviceOf([railOf('lightning'), railOf('stripe', false), railOf('x402')]);
    const all = await service.challenge(asked);
    expect(all.offers.map(({ rail }) => rail)).toEqual(['lightning', 'x402']);
    expect(quoted.splice(0)).toEqual(['lightning', 'x402']);
    const { offers } = await service.challenge({ ...asked, families: ['x402'] });
    expect([offers.map(({ rail }) => rail), quoted]).toEqual([['x402'], ['x402']]);
  });

  it('goes without a rail that does not take so little, and is none where that is the only one', async () => {
    const costly = railOf('x402', true, false);
    const { offers } = await serviceOf([railOf('lightning'), costly]).challenge(asked);
    expect(offers.map(({ rail }) => rail)).toEqual(['lightning']);
    expect((await problemOf(serviceOf([costly]).challenge(asked))).code).toBe('SERVICE_UNAVAILABLE');
    // Who lists what a rail pays for asks for that rail alone, of every price.
    expect((await serviceOf([costly]).challenge({ ...asked, families: ['x402'] })).offers).toEqual([]);
  });

  it('is none where no rail that is named can settle', async () => {
    const service = serviceOf([railOf('lightning'), railOf('x402', false)]);
    const refused = await problemOf(service.challenge({ ...asked, families: ['x402'] }));
    expect([refused.code, quoted]).toEqual(['SERVICE_UNAVAILABLE', []]);
  });
});
