import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SOLD_RESOURCES } from '@svc/contracts';
import { type OnchainRail, onchainRailOf } from '@svc/payments';
import { findPrice } from '@svc/protocols';
import {
  type ChosenFacilitator,
  findAnvil,
  type LocalChain,
  startFacilitator,
  startLocalChain,
} from '@svc/sandbox';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme, toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { RpcProxy } from './rpc-proxy.js';
import { type Authorized, chainActor, encodedPayment, freshNonce, fundedWallet } from './x402-wallet.js';

const price = findPrice('zk.prove')!;
const PRICE = BigInt(price.amountMicroUsd);
const quote = {
  price,
  description: price.description,
  realm: 'svc.example',
  resource: 'https://svc.example/v1/zk/prove',
  jti: 'j'.repeat(22),
  expiresAtMs: Date.now() + 600_000,
};
/** A contract that says of every signature that it is its own (ERC-1271). */
const WALLET_CONTRACT = `0x63${'1626ba7e'}60e01b60005260206000f3`;

let chain: LocalChain;
let actor: ReturnType<typeof chainActor>;

function railOver(change: Record<string, string | undefined> = {}): OnchainRail {
  return onchainRailOf(
    { production: false },
    {
      X402_PAY_TO: chain.payTo,
      X402_NETWORK: chain.network,
      X402_RPC_URL: chain.rpcUrl,
      X402_FACILITATOR_KEY: chain.facilitatorKey,
      ...change,
    },
    { paymentChallenge: new Uint8Array(32) },
  )!;
}
async function using<T>(rail: OnchainRail, work: (rail: OnchainRail) => Promise<T>): Promise<T> {
  await rail.open();
  try {
    return await work(rail);
  } finally {
    await rail.close();
  }
}

/** What the public client makes of the offer, in either version. */
async function paymentOf(
  rail: OnchainRail,
  wallet: Awaited<ReturnType<typeof fundedWallet>>,
  version: 1 | 2 = 2,
  of: typeof quote = quote,
) {
  const [offer] = (await rail.quote(of)).offers;
  if (version === 1) {
    const requirements = (offer.body as { accepts: PaymentRequirements[] }).accepts[0];
    return new ExactEvmSchemeV1(wallet).createPaymentPayload(1, requirements);
  }
  const header = Buffer.from(offer.headers!['PAYMENT-REQUIRED'], 'base64').toString();
  const { accepts, resource, extensions } = JSON.parse(header) as PaymentRequired;
  const { payload } = await new ExactEvmScheme(wallet).createPaymentPayload(2, accepts[0]);
  return { x402Version: 2, payload, accepted: accepts[0], resource, extensions };
}
const credentialOf = (payment: object) => ({ scheme: 'x402' as const, value: encodedPayment(payment) });
const authorizedBy = (payment: { payload: unknown }) => payment.payload as Authorized;
const claimOf = ({ evidence, proofKey, expiresAtMs }: Awaited<ReturnType<OnchainRail['verify']>>) => ({
  claimId: 'c',
  proofKey,
  evidence: JSON.parse(JSON.stringify(evidence)),
  claimedAtMs: Date.now(),
  expiresAtMs,
});

/** Spellings of a key's signature that recover to the same key, and that the token refuses. */
const SPELLINGS: readonly (readonly [string, (signature: string) => string])[] = [
  ['the larger of the two s', highOf],
  ['0 or 1 for v', of => `${of.slice(0, 130)}${of.endsWith('1b') ? '00' : '01'}`],
  ['64 bytes (EIP-2098)', compactOf],
];
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
function highOf(signature: string): string {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`;
}
function compactOf(signature: string): string {
  const s = BigInt(`0x${signature.slice(66, 130)}`) + (signature.endsWith('1c') ? 1n << 255n : 0n);
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}`;
}

/** A facilitator of others: the public library behind HTTP, that loses, makes up or denies its settlements. */
function facilitatorServer(signed: LocalChain) {
  const client = chainActor(signed).client;
  const signer = toFacilitatorEvmSigner({ ...client, address: client.account.address } as never);
  const library = new x402Facilitator().register(signed.network, new FacilitatorScheme(signer));
  const state = {
    settled: 0,
    /** What becomes of the answer to a settlement that was done. */
    answer: (response: ServerResponse, settled: object): void => void response.end(JSON.stringify(settled)),
    /** false: it settles nothing, and answers as if. */
    settles: true,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === '/supported') return void response.end(JSON.stringify(library.getSupported()));
    const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString()) as {
      paymentPayload: PaymentPayload;
      paymentRequirements: PaymentRequirements;
    };
    if (request.url === '/verify') {
      return void response.end(JSON.stringify(await library.verify(paymentPayload, paymentRequirements)));
    }
    state.settled++;
    const madeUp = { success: true, transaction: `0x${'99'.repeat(32)}`, network: signed.network };
    const settled = state.settles ? await library.settle(paymentPayload, paymentRequirements) : madeUp;
    state.answer(response, settled);
  });
  return { server, state };
}

if (findAnvil() === undefined) {
  it('needs anvil', () => console.log('SKIPPED: anvil is not installed'));
} else {
  beforeAll(async () => {
    chain = (await startLocalChain())!;
    actor = chainActor(chain);
  });
  afterAll(() => chain.close());

  describe('x402 over a facilitator of its own', () => {
    it.each([2, 1] as const)('takes what the client of version %i signs, once', version =>
      using(railOver(), async rail => {
        expect(rail.isReady()).toBe(true);
        const wallet = await fundedWallet(chain);
        const credential = credentialOf(await paymentOf(rail, wallet, version));
        const payment = await rail.verify(credential, price);
        const first = await rail.settle(payment);
        expect(first).toMatchObject({ outcome: 'settled', chargedMicroUsd: price.amountMicroUsd });
        expect(await rail.settle(payment)).toEqual(first);
        // As after a restart, by another instance that knows nothing of the first.
        await using(railOver(), async other => {
          expect(await other.settle(await other.verify(credential, price))).toEqual(first);
          expect(await other.enquire(claimOf(payment))).toEqual(first);
        });
        expect(await actor.balanceOf(wallet.address)).toBe(1_000_000n - PRICE);
      }),
    );

    it('settles many payments at once, each with a transaction of its own', () =>
      using(railOver(), async rail => {
        const wallet = await fundedWallet(chain);
        const before = await actor.balanceOf(chain.payTo);
        const settlements = await Promise.all(
          Array.from({ length: 20 }, async () => {
            const payment = await rail.verify(credentialOf(await paymentOf(rail, wallet)), price);
            return rail.settle(payment);
          }),
        );
        expect(settlements.map(({ outcome }) => outcome)).toEqual(Array(20).fill('settled'));
        const references = settlements.map(settlement => (settlement as { reference: string }).reference);
        expect(new Set(references).size).toBe(20);
        expect((await actor.balanceOf(chain.payTo)) - before).toBe(20n * PRICE);
      }));

    it('settles one payment once, of many that settle it at the same moment', () =>
      using(railOver(), async rail => {
        const wallet = await fundedWallet(chain);
        const payment = await rail.verify(credentialOf(await paymentOf(rail, wallet)), price);
        const settlements = await Promise.all(Array.from({ length: 8 }, () => rail.settle(payment)));
        const outcomes = new Set(settlements.map(({ outcome }) => outcome));
        expect(outcomes.has('refused')).toBe(false);
        expect(outcomes.has('settled')).toBe(true);
        expect(await rail.enquire(claimOf(payment))).toMatchObject({ outcome: 'settled' });
        expect(await actor.balanceOf(wallet.address)).toBe(1_000_000n - PRICE);
      }));

    it('takes a payment that another carried out before it: the amount has arrived', () =>
      using(railOver(), async rail => {
        const wallet = await fundedWallet(chain);
        const early = await paymentOf(rail, wallet);
        const reference = await actor.submit(authorizedBy(early));
        const payment = await rail.verify(credentialOf(early), price);
        expect(await rail.settle(payment)).toMatchObject({ outcome: 'settled', reference });
        const late = await paymentOf(rail, wallet);
        const verified = await rail.verify(credentialOf(late), price);
        const submitted = await actor.submit(authorizedBy(late));
        expect(await rail.settle(verified)).toMatchObject({ outcome: 'settled', reference: submitted });
      }));

    it('takes none that its payer cancelled, before or after it was verified', () =>
      using(railOver(), async rail => {
        const wallet = await fundedWallet(chain);
        const early = await paymentOf(rail, wallet);
        await actor.cancel(wallet, authorizedBy(early).authorization.nonce);
        const known = await rail.verify(credentialOf(early), price);
        expect(await rail.settle(known)).toMatchObject({ outcome: 'refused', code: 'PAYMENT_INVALID' });
        const late = await paymentOf(rail, wallet);
        const verified = await rail.verify(credentialOf(late), price);
        await actor.cancel(wallet, authorizedBy(late).authorization.nonce);
        expect((await rail.settle(verified)).outcome).toBe('refused');
        expect(await rail.enquire(claimOf(verified))).toMatchObject({ outcome: 'refused' });
        expect(await actor.balanceOf(wallet.address)).toBe(1_000_000n);
      }));

    it('refuses a wallet without dollars, and a signature of another', () =>
      using(railOver(), async rail => {
        const [poor, rich] = [await fundedWallet(chain, 999n), await fundedWallet(chain)];
        await expect(rail.verify(credentialOf(await paymentOf(rail, poor)), price)).rejects.toMatchObject({
          code: 'PAYMENT_INSUFFICIENT',
        });
        const stolen = await paymentOf(rail, poor);
        const { authorization } = authorizedBy(stolen);
        const forged = {
          ...stolen,
          payload: { ...stolen.payload, authorization: { ...authorization, from: rich.address } },
        };
        await expect(rail.verify(credentialOf(forged), price)).rejects.toMatchObject({
          code: 'PAYMENT_INVALID',
        });
        const other = {
          ...stolen,
          payload: { ...stolen.payload, authorization: { ...authorization, nonce: freshNonce() } },
        };
        await expect(rail.verify(credentialOf(other), price)).rejects.toMatchObject({
          code: 'PAYMENT_INVALID',
        });
      }));

    it.each([2, 1] as const)(
      'takes nothing of a wallet that was emptied after it was verified, version %i',
      version =>
        using(railOver(), async rail => {
          const wallet = await fundedWallet(chain, PRICE);
          const [first, second] = [await paymentOf(rail, wallet, version), await paymentOf(rail, wallet)];
          const verified = await rail.verify(credentialOf(first), price);
          await actor.submit(authorizedBy(second));
          const settlement = await rail.settle(verified);
          expect(settlement).toMatchObject({ outcome: 'refused', code: 'PAYMENT_INSUFFICIENT' });
        }),
    );

    it.each(SPELLINGS)(
      'refuses %s in a signature, as the token does, and takes the good one',
      (_name, spelled) =>
        using(railOver(), async rail => {
          const wallet = await fundedWallet(chain);
          for (const version of [2, 1] as const) {
            const payment = await paymentOf(rail, wallet, version);
            const { authorization, signature } = authorizedBy(payment);
            const other = { authorization, signature: spelled(signature) as `0x${string}` };
            await expect(
              rail.verify(credentialOf({ ...payment, payload: other }), price),
            ).rejects.toMatchObject({
              code: 'PAYMENT_INVALID',
              message: 'The payment is refused: invalid_exact_evm_signature',
            });
            await expect(actor.submit(other)).rejects.toThrow(/ECRecover/);
            const verified = await rail.verify(credentialOf(payment), price);
            expect((await rail.settle(verified)).outcome).toBe('settled');
          }
        }),
    );

    /** A payment of a contract wallet that takes every signature, its own respelled. */
    async function walletsPayment(rail: OnchainRail, spelled: (signature: string) => string) {
      const wallet = await fundedWallet(chain, PRICE);
      const payment = await paymentOf(rail, wallet);
      await actor.call('anvil_setCode', wallet.address, WALLET_CONTRACT);
      const { authorization, signature } = authorizedBy(payment);
      const payload = { authorization, signature: spelled(signature) };
      return { wallet, credential: credentialOf({ ...payment, payload }) };
    }

    it.each(SPELLINGS)(
      'takes %s where the payer is a contract wallet: the wallet decides',
      (_name, spelled) =>
        using(railOver(), async rail => {
          const { wallet, credential } = await walletsPayment(rail, spelled);
          const verified = await rail.verify(credential, price);
          expect(await rail.settle(verified)).toMatchObject({ outcome: 'settled' });
          expect(await actor.balanceOf(wallet.address)).toBe(0n);
        }),
    );

    it('refuses 65 bytes of a contract wallet that cannot be sent as v, r and s', () =>
      using(railOver(), async rail => {
        const { credential } = await walletsPayment(rail, () => `0x${'42'.repeat(65)}`);
        await expect(rail.verify(credential, price)).rejects.toMatchObject({ code: 'PAYMENT_INVALID' });
      }));

    it('takes the signature of a contract wallet', () =>
      using(railOver(), async rail => {
        const wallet = await fundedWallet(chain, 0n);
        await actor.call('anvil_setCode', wallet.address, WALLET_CONTRACT);
        await actor.mint(wallet.address, PRICE);
        const payment = await paymentOf(rail, wallet);
        // Longer than a key's: whatever the contract takes.
        const signature = `0x${'42'.repeat(97)}` as const;
        const signed = { ...payment, payload: { ...payment.payload, signature } };
        const verified = await rail.verify(credentialOf(signed), price);
        expect(await rail.settle(verified)).toMatchObject({ outcome: 'settled' });
        expect(await actor.balanceOf(wallet.address)).toBe(0n);
      }));

    it.each([
      ['whose wrapping is cut off', '0x' + '00'.repeat(64)],
      ['that wraps nothing', '0x'],
      ['whose parts lie beyond its end', '0x' + 'ff'.repeat(96)],
    ])('refuses a signature of EIP-6492 %s, and does not hold it to be the node’s fault', (_name, bytes) =>
      using(railOver(), async rail => {
        const payment = await paymentOf(rail, await fundedWallet(chain));
        const signature = `${bytes}${'6492'.repeat(16)}`;
        const malformed = { ...payment, payload: { ...payment.payload, signature } };
        await expect(rail.verify(credentialOf(malformed), price)).rejects.toMatchObject({
          code: 'PAYMENT_INVALID',
        });
      }),
    );

    it('does not refuse a good payment that the node cannot try: 503 with a wait, and the same one is good then', async () => {
      const proxy = await RpcProxy.start(chain.rpcUrl);
      try {
        await using(railOver({ X402_RPC_URL: proxy.url }), async rail => {
          const credential = credentialOf(await paymentOf(rail, await fundedWallet(chain)));
          proxy.mode = 'no-tries';
          const refused = { payload: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 } };
          await expect(rail.verify(credential, price)).rejects.toMatchObject(refused);
          proxy.mode = 'open';
          // For a moment the node is not asked again.
          await expect(rail.verify(credential, price)).rejects.toMatchObject(refused);
          const now = performance.now.bind(performance);
          const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 2_100);
          let verified: Awaited<ReturnType<OnchainRail['verify']>> | undefined;
          // What is remembered looks at its clock once a millisecond.
          while ((verified ??= await rail.verify(credential, price).catch(() => undefined)) === undefined)
            await delay(5);
          later.mockRestore();
          expect((await rail.settle(verified)).outcome).toBe('settled');
        });
      } finally {
        await proxy.close();
      }
    });

    it('is not ready on another chain, without the token, without money for gas, or without a node', async () => {
      const readyWith = (change: Record<string, string>) =>
        using(railOver(change), async rail => rail.isReady());
      expect(await readyWith({})).toBe(true);
      expect(await readyWith({ X402_NETWORK: 'eip155:8453' })).toBe(false);
      expect(await readyWith({ X402_FACILITATOR_KEY: `0x${'12'.repeat(32)}` })).toBe(false);
      expect(await readyWith({ X402_RPC_URL: 'http://127.0.0.1:1' })).toBe(false);
    });
  });

  describe('x402 over a facilitator of others', () => {
    let facilitator: ReturnType<typeof facilitatorServer>;
    let X402_FACILITATOR_URL: string;
    beforeAll(async () => {
      facilitator = facilitatorServer(chain);
      await new Promise<void>(resolve => facilitator.server.listen(0, '127.0.0.1', resolve));
      X402_FACILITATOR_URL = `http://127.0.0.1:${(facilitator.server.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      facilitator.server.closeAllConnections();
      await new Promise(resolve => facilitator.server.close(resolve));
    });
    const rail = () => railOver({ X402_FACILITATOR_URL, X402_FACILITATOR_KEY: undefined });

    it('settles, and says so with the transaction that the chain has', () =>
      using(rail(), async over => {
        expect(over.isReady()).toBe(true);
        const wallet = await fundedWallet(chain);
        const payment = await over.verify(credentialOf(await paymentOf(over, wallet)), price);
        const settlement = await over.settle(payment);
        expect(settlement).toMatchObject({ outcome: 'settled' });
        expect(await actor.balanceOf(wallet.address)).toBe(1_000_000n - PRICE);
      }));

    it('knows by the chain what became of a settlement whose answer was lost', () =>
      using(rail(), async over => {
        const wallet = await fundedWallet(chain);
        const payment = await over.verify(credentialOf(await paymentOf(over, wallet)), price);
        const { answer } = facilitator.state;
        facilitator.state.answer = response => void response.destroy();
        try {
          expect(await over.settle(payment)).toMatchObject({ outcome: 'settled' });
        } finally {
          facilitator.state.answer = answer;
        }
      }));

    it('does not take its word for a transfer that was not made, and ends in doubt until it cannot be', async () => {
      // A chain of its own, whose clock this test moves.
      const own = (await startLocalChain())!;
      const change = { X402_RPC_URL: own.rpcUrl, X402_FACILITATOR_URL, X402_FACILITATOR_KEY: undefined };
      facilitator.state.settles = false;
      try {
        await using(railOver(change), async over => {
          const wallet = await fundedWallet(own);
          await actor.mint(wallet.address, 1_000_000n);
          const payment = await over.verify(credentialOf(await paymentOf(over, wallet)), price);
          expect((await over.settle(payment)).outcome).toBe('unknown');
          expect((await over.enquire(claimOf(payment))).outcome).toBe('unknown');
          const { call, balanceOf } = chainActor(own);
          await call('evm_increaseTime', 600);
          await call('evm_mine');
          expect(await over.enquire(claimOf(payment))).toMatchObject({
            outcome: 'refused',
            code: 'PAYMENT_EXPIRED',
          });
          expect(await balanceOf(wallet.address)).toBe(1_000_000n);
        });
      } finally {
        facilitator.state.settles = true;
        await own.close();
      }
    });
  });

  describe('x402 over the strictest facilitator', () => {
    let strict: ChosenFacilitator;
    const refusals: string[] = [];
    beforeAll(async () => {
      strict = await startFacilitator('strict', chain, line => void refusals.push(line));
    });
    afterAll(() => strict.strict!.close());
    const rail = (change: Record<string, string> = {}) =>
      onchainRailOf(
        { production: false },
        { ...strict.variables, PUBLIC_URL: 'https://svc.example', ...change },
        { paymentChallenge: new Uint8Array(32) },
      )!;
    const settlementOver = (over: OnchainRail, version: 1 | 2, of: typeof quote = quote) =>
      fundedWallet(chain).then(async wallet => {
        const payment = await over.verify(credentialOf(await paymentOf(over, wallet, version, of)), of.price);
        return over.settle(payment);
      });

    it.each([1, 2] as const)('settles, in version %i', version =>
      using(rail(), async over => {
        expect(over.isReady()).toBe(true);
        expect(await settlementOver(over, version)).toMatchObject({ outcome: 'settled' });
        expect(refusals).toEqual([]);
      }),
    );

    it('verifies what is sold at every address, as the catalogues of facilitators want it', () =>
      using(rail(), async over => {
        const wallet = await fundedWallet(chain);
        for (const { target, operationId } of SOLD_RESOURCES) {
          const of = { ...quote, price: findPrice(operationId)!, resource: `https://svc.example${target}` };
          const payment = await paymentOf(over, wallet, 2, of);
          await over.verify(credentialOf(payment), of.price);
        }
        expect(refusals).toEqual([]);
      }));

    it('offers nothing below the least that it settles, and takes nothing', () =>
      using(rail({ X402_LEAST_MICRO_USD: '1001' }), async over => {
        expect(await over.quote(quote)).toEqual({ offers: [] });
      }));

    it('says what it refuses, with 4xx, and moves nothing for it', async () => {
      const wallet = await fundedWallet(chain);
      const { X402_FACILITATOR_URL: url } = strict.variables;
      const ask = async (route: string, body: object, headers: Record<string, string> = {}) => {
        const response = await fetch(`${url}/${route}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers,
        });
        const text = await response.text();
        return {
          status: response.status,
          json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        };
      };
      const payload = await using(rail(), over => paymentOf(over, wallet));
      const { accepted } = payload as { accepted: object };
      const question = { paymentPayload: { ...payload, resource: undefined }, paymentRequirements: accepted };
      const verified = await ask('verify', question);
      expect([verified.status, verified.json]).toMatchObject([400, { isValid: false }]);
      expect(verified.json.invalidMessage).toMatch(/resource must be an https URL/);
      const settled = await ask('settle', question);
      expect([settled.status, settled.json]).toMatchObject([400, { success: false, transaction: '' }]);
      expect((await ask('verify', [])).status).toBe(400);
      expect((await ask('settle', question, { 'x-long': 'h'.repeat(8_192) })).status).toBe(431);
      expect(await actor.balanceOf(wallet.address)).toBe(1_000_000n);
    });
  });
}
