// commit: none, only a kill of the process shows it; see ../../payments/src/onchain/onchain-rail.spec.ts
// watches: apps/payments/src/onchain, apps/payments/src/reconcile
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findNatsServer } from '@svc/platform';
import { findPrice } from '@svc/protocols';
import { findAnvil, type LocalChain, startLocalChain } from '@svc/sandbox';
import { insist, letLeasesEnd } from './insist.js';
import { MortalServices, type Victim } from './payment-death-fixture.js';
import { until } from './processes.js';
import { type ProxyMode, RpcProxy } from './rpc-proxy.js';
import { chainActor, decodedPayment, fundedWallet, signedPayment } from './x402-wallet.js';

const PRICE = BigInt(findPrice('zk.prove')!.amountMicroUsd);
const MILLION = 1_000_000n;

if (findAnvil() === undefined || findNatsServer() === undefined) {
  it('needs anvil and nats-server', () => console.log('SKIPPED: anvil or nats-server is not installed'));
} else {
  describe('an x402 purchase somebody of whom is killed while it settles', () => {
    let chain: LocalChain;
    let proxy: RpcProxy;
    let actor: ReturnType<typeof chainActor>;
    let services: MortalServices;
    let bodies = 0;
    beforeAll(async () => {
      chain = (await startLocalChain())!;
      actor = chainActor(chain);
      proxy = await RpcProxy.start(chain.rpcUrl);
      services = new MortalServices('x402-death', {
        X402_RPC_URL: proxy.url,
        X402_NETWORK: chain.network,
        X402_PAY_TO: chain.payTo,
        X402_FACILITATOR_KEY: chain.facilitatorKey,
      });
      await services.open();
    });
    afterAll(async () => {
      await services?.close();
      await proxy.close();
      await chain.close();
    });

    /** Buys until the transaction was sent, and kills. */
    async function dieWhile(mode: ProxyMode, victim: Victim) {
      const wallet = await fundedWallet(chain);
      const payment = await signedPayment(wallet, `${services.address}/v1/zk/prove`);
      const body = { traceData: `x402 death ${++bodies}`, degree: 64, friBlowup: 8 };
      const pay = () => services.prove(body, { 'PAYMENT-SIGNATURE': payment });
      const sentBefore = proxy.sentCount;
      proxy.mode = mode;
      void pay().catch(() => undefined);
      await until(
        () => proxy.sentCount > sentBefore,
        () => 'the transaction to be sent',
      );
      const { authorization } = decodedPayment(payment).payload;
      if (mode === 'hold-sent') {
        await until(
          () => actor.isUsed(wallet.address, authorization.nonce),
          () => 'the transaction to be mined',
        );
      }
      await services.kill(victim);
      proxy.mode = 'open';
      await services.revive(victim);
      return { wallet, pay };
    }
    it.each<Victim>(['payments', 'gateway', 'postgres'])(
      'after it was mined (%s): the credential brings its answer, and the amount was taken once',
      async victim => {
        const { wallet, pay } = await dieWhile('hold-sent', victim);
        const answer = await insist(pay, () => services.database);
        expect((await pay()).text).toBe(answer.text);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
      },
    );

    it('before it reached the chain: it is in doubt until it cannot be mined any more, and nothing was taken', async () => {
      const { wallet, pay } = await dieWhile('hold-unsent', 'payments');
      await letLeasesEnd(services.database);
      expect([409, 503]).toContain((await pay())?.status);
      await actor.call('evm_increaseTime', 600);
      await actor.call('evm_mine');
      let answer = await pay();
      await until(
        async () => {
          await letLeasesEnd(services.database);
          answer = await pay();
          return answer?.status === 402;
        },
        () => `a 402; the last was ${answer?.status} ${answer?.text}`,
      );
      expect(await actor.balanceOf(wallet.address)).toBe(MILLION);
    });

    it('has sold each payment once, was paid for each answer, and has lost nothing of what came: as its history says', async () => {
      const { paidAnswers, money } = await services.history.judge({ ...services.books, chain });
      expect([paidAnswers > 0, money > 0]).toEqual([true, true]);
    });
  });
}
