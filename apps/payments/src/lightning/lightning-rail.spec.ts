import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentCredential, RailOffer } from '@svc/contracts';
import { problemOf, runInTurn } from '@svc/platform';
import {
  attenuate,
  decodeBase64,
  decodeMacaroon,
  encodeBase64,
  encodeMacaroon,
  type Price,
  priceOf,
} from '@svc/protocols';
import type { LightningBackend } from './lightning-backend.js';
import { INVOICES_MAX, LightningRail } from './lightning-rail.js';
import { SandboxLightning } from './sandbox-lightning.js';

const node = new SandboxLightning('a secret of the sandbox of at least 32 characters');
const PRICE = priceOf('zk.prove');
/** The same operation at another price, in satoshis: 500 micro-USD each. */
const priceAt = (amountSats: number): Price => ({
  ...{ ...PRICE, amountSats, amountMicroUsd: amountSats * 500, priceUsd: String((amountSats * 500) / 1e6) },
});
const OLD = priceAt(20);

describe('a Lightning payment whose price changed after its invoice was made', () => {
  let rail: LightningRail;
  beforeEach(async () => {
    rail = new LightningRail(node, {
      l402: new Uint8Array(32).fill(1),
      paymentChallenge: new Uint8Array(32).fill(2),
    });
    await rail.open();
  });
  afterEach(() => rail.close());

  /** Credentials of one paid invoice at the old price. */
  async function paid(): Promise<{ l402: PaymentCredential; charge: PaymentCredential; preimage: string }> {
    const { offers } = await rail.quote({
      ...{ price: OLD, description: 'A proof', realm: 'svc.example', resource: 'https://svc.example/' },
      ...{ jti: 'j', expiresAtMs: Date.now() + 600_000 },
    });
    const header = (name: string) => offers.find((offer: RailOffer) => offer.rail === name)!.wwwAuthenticate!;
    const param = (text: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)![1];
    const { preimage } = node.pay(param(header('l402'), 'invoice'));
    const names = ['id', 'realm', 'method', 'intent', 'request', 'expires'];
    const challenge = Object.fromEntries(names.map(name => [name, param(header('mpp-lightning'), name)]));
    const charge = Buffer.from(JSON.stringify({ challenge, payload: { preimage } })).toString('base64url');
    return {
      l402: { scheme: 'L402', value: `${param(header('l402'), 'macaroon')}:${preimage}` },
      charge: { scheme: 'Payment', value: charge },
      preimage,
    };
  }

  it.each([
    ['risen', 30, 20],
    ['as it was', 20, 20],
    ['fallen', 12, 12],
  ])('buys at the lower of both prices where it has %s, as L402 and as MPP', async (_name, now, sats) => {
    const { l402, charge } = await paid();
    for (const credential of [l402, charge]) {
      expect(await rail.verify(credential, priceAt(now))).toMatchObject({
        ...{ amountSats: sats, amountMicroUsd: sats * 500, chargeMicroUsd: 20 * 500 },
      });
    }
  });

  it('does not buy for less than was asked, by a condition that its holder added', async () => {
    const { l402, preimage } = await paid();
    const macaroon = decodeMacaroon(decodeBase64(l402.value.split(':')[0], 4_096)!);
    const narrowed = (sats: number): PaymentCredential => {
      const token = encodeBase64(encodeMacaroon(attenuate(macaroon, `svc_amount_sats=${sats}`)));
      return { scheme: 'L402', value: `${token}:${preimage}` };
    };
    for (const now of [30, 20]) {
      expect((await problemOf(rail.verify(narrowed(19), priceAt(now)))).code).toBe('PAYMENT_INSUFFICIENT');
    }
    expect(await rail.verify(narrowed(12), priceAt(12))).toMatchObject({ amountSats: 12 });
    expect((await problemOf(rail.verify(narrowed(1), priceAt(12)))).code).toBe('PAYMENT_INSUFFICIENT');
  });
});

describe('invoices of a node that callers make for nothing', () => {
  it('are asked for by turns: one caller leaves places to others, and none stands before whether money has come', async () => {
    const answers: (() => void)[] = [];
    const slow: LightningBackend = {
      ...{
        kind: 'lnd',
        network: node.network,
        isReady: () => node.isReady(),
        lookup: hash => node.lookup(hash),
      },
      createInvoice: async request => {
        await new Promise<void>(resolve => answers.push(resolve));
        return node.createInvoice(request);
      },
    } as LightningBackend;
    const keys = { l402: new Uint8Array(32).fill(1), paymentChallenge: new Uint8Array(32).fill(2) };
    const rail = new LightningRail(slow, keys);
    const quoted = (subject: string) =>
      runInTurn({ subject, standing: 'later' }, () =>
        rail.quote({
          ...{ price: PRICE, description: 'A proof', realm: 'svc.example', resource: 'https://svc.example/' },
          ...{ jti: 'j', expiresAtMs: Date.now() + 600_000 },
        }),
      );
    const flood = Array.from({ length: 300 }, () => quoted('flood').catch((error: unknown) => error));
    const mine = quoted('payer');
    await new Promise(resolve => setImmediate(resolve));
    // Of one caller a quarter of the places, and of the other the next: it waits for none of the flood.
    expect(answers).toHaveLength(INVOICES_MAX / 4 + 1);
    expect(
      await rail.enquire({ claimId: 'c', proofKey: 'ab'.repeat(32), evidence: {}, claimedAtMs: 0 }),
    ).toBeDefined();
    answers.pop()!();
    expect((await mine).offers).toHaveLength(2);
    let isOver = false;
    const ended = Promise.all(flood).then(outcomes => ((isOver = true), outcomes));
    while (!isOver) {
      answers.splice(0).forEach(answer => answer());
      await new Promise(resolve => setImmediate(resolve));
    }
    const refused = (await ended).filter(outcome => outcome instanceof Error);
    expect(refused.length).toBeGreaterThan(100);
    expect(refused[0]).toMatchObject({ code: 'OVERLOADED' });
  });
});
