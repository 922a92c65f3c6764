import { describe, expect, it } from '@jest/globals';
import { findX402Network } from '@svc/protocols';
import type { AuthorizationFate } from './evm-chain.js';
import type { Facilitator, Transfer } from './facilitator.js';
import type { OnchainBackend } from './onchain-options.js';
import { OnchainRefunds } from './onchain-refunds.js';
import { RefundWallet } from './refund-wallet.js';

const { usdc, caip2 } = findX402Network('eip155:84532')!;
const TX = `0x${'77'.repeat(32)}` as const;
const PAYER = `0x${'ab'.repeat(20)}`;
const refund = {
  ...{ refundId: '0b2f6a52-90b5-4d3b-8f0e-0d8b1f1f9a11', amountMicroUsd: 1_000 },
  ...{ paymentReference: TX, payer: `x402:${PAYER}` },
};
const wallet = new RefundWallet(`0x${'5a'.repeat(32)}`, { ...usdc, chainId: 84_532 });

/** The refunds over a scripted facilitator and chain. */
function scripted(change: {
  transfer?: Transfer;
  fate?: AuthorizationFate;
  funds?: boolean;
  trusted?: boolean;
}) {
  const settled: unknown[] = [];
  const facilitator = {
    trusted: change.trusted ?? true,
    settle: async (request: unknown) => (settled.push(request), change.transfer),
  } as unknown as Facilitator;
  const chain = {
    hasFunds: async () => change.funds ?? true,
    fateOf: async () => change.fate ?? { fate: 'open' },
  } as unknown as OnchainBackend['chain'];
  const refunds = new OnchainRefunds({
    terms: { network: caip2, asset: usdc, payTo: PAYER },
    dailyLimitMicroUsd: 1,
    backend: () => ({ facilitator, chain, wallet }),
  });
  return { refunds, settled };
}
const sent = async (change: Parameters<typeof scripted>[0]) => {
  const { refunds } = scripted(change);
  return refunds.send(refund, await refunds.plan(refund));
};
const refusal = (reason: string): Transfer => ({ outcome: 'refused', reason });

describe('a refund on a chain', () => {
  it('is one transfer to its payer, by a nonce that is the refund’s own, within an end', async () => {
    const { refunds } = scripted({});
    const { authorization } = (await refunds.plan(refund)) as { authorization: Record<string, string> };
    expect(authorization).toMatchObject({ from: wallet.address, to: PAYER, value: '1000' });
    const again = (await refunds.plan(refund)) as { authorization: Record<string, string> };
    expect(again.authorization.nonce).toBe(authorization.nonce);
    const other = await refunds.plan({ ...refund, refundId: '1b2f6a52-90b5-4d3b-8f0e-0d8b1f1f9a11' });
    expect((other as typeof again).authorization.nonce).not.toBe(authorization.nonce);
    expect(Number(authorization.validBefore) - Date.now() / 1_000).toBeLessThan(301);
  });

  it.each<[string, Parameters<typeof scripted>[0], object]>([
    ['done', { transfer: { outcome: 'done', transaction: TX } }, { outcome: 'done', reference: TX }],
    [
      'said to be done by another, and not yet so by the chain',
      { transfer: { outcome: 'done', transaction: TX }, trusted: false },
      { outcome: 'unknown' },
    ],
    [
      'refused by our own facilitator',
      { transfer: refusal('invalid_exact_evm_insufficient_balance') },
      { outcome: 'refused' },
    ],
    [
      'refused by another, who holds the signature',
      { transfer: refusal('insufficient_funds'), trusted: false },
      { outcome: 'unknown' },
    ],
    [
      'refused, and on the chain all the same',
      { transfer: refusal('x'), fate: { fate: 'transferred', transaction: TX } },
      { outcome: 'done', reference: TX },
    ],
    [
      'said to be used, and not to be seen',
      { transfer: refusal('invalid_exact_evm_nonce_already_used'), fate: { fate: 'untraced' } },
      { outcome: 'unknown' },
    ],
    ['in doubt', { transfer: { outcome: 'in-doubt', detail: 'd' } }, { outcome: 'unknown' }],
    ['of an empty wallet', { funds: false }, { outcome: 'refused' }],
  ])('that is %s is so', async (_name, change, outcome) => {
    expect(await sent(change)).toMatchObject(outcome);
  });

  it('of an empty wallet is shown to nobody', async () => {
    const { refunds, settled } = scripted({ funds: false });
    await refunds.send(refund, await refunds.plan(refund));
    expect(settled).toEqual([]);
  });

  it.each<[AuthorizationFate, number, object]>([
    [{ fate: 'transferred', transaction: TX }, 0, { outcome: 'done', reference: TX }],
    [{ fate: 'over' }, 0, { outcome: 'refused' }],
    [{ fate: 'cancelled' }, 0, { outcome: 'refused' }],
    [{ fate: 'open' }, 900_000, { outcome: 'unknown' }],
    [{ fate: 'untraced' }, 0, { outcome: 'unknown' }],
    // Its trace is beyond what a node looks through; nothing but this transfer can have used the nonce.
    [{ fate: 'untraced' }, 900_000, { outcome: 'done', reference: expect.stringMatching(/^0x/) }],
  ])('whose fate is %o after %d ms', async (fate, ageMs, outcome) => {
    const { refunds } = scripted({ fate });
    const plan = await refunds.plan(refund);
    expect(await refunds.enquire(refund, plan, Date.now() - ageMs)).toMatchObject(outcome);
  });
});
