import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CardRoute, type Reply } from './card-fixture.js';

const PATH = '/v1/zk/prove';
const BODY = { traceData: '0x48656c6c6f', degree: 8, friBlowup: 8 };
const CHARGES = { method: 'POST', path: '/v1/payment_intents' } as const;

let card: CardRoute;

async function tokenHeaders(): Promise<Record<string, string>> {
  const { headers } = await card.call('POST', PATH);
  const challenge = headers.get('x-402-challenge')!;
  return { 'payment-credential': `SPT ${await card.mintToken()}`, 'x-402-challenge': challenge };
}

const pay = (headers: Record<string, string>): Promise<Reply> => card.call('POST', PATH, BODY, headers);

async function charged(): Promise<number> {
  const { data } = await card.stripe.paymentIntents.list({ limit: 100 });
  return data.filter(({ status }) => status === 'succeeded').length;
}

/** Asks until the answer is no 503, whose every one says when to ask again and asks for no other payment. */
async function answerTo(headers: Record<string, string>): Promise<Reply> {
  for (;;) {
    const reply = await pay(headers);
    if (reply.status !== 503) return reply;
    requireNoFreshChallenge(reply);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

function requireNoFreshChallenge({ headers }: Reply): void {
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect([headers.get('www-authenticate'), headers.get('x-402-challenge')]).toEqual([null, null]);
}

/** @param shared what all suites of the file share */
export function describeLostTries(shared: () => CardRoute): void {
  describe('card charges whose answers are lost', () => {
    beforeAll(async () => {
      card = shared();
    });

    beforeEach(() => {
      card.emulator.control.clearFaults();
    });

    describe('a charge that was made and whose answer was lost', () => {
      it.each([429, 401, 403, 409])(
        'is not taken for void when the next try is answered %i: the same credential has its delivery, paid once',
        async status => {
          const before = await charged();
          const headers = await tokenHeaders();
          const { control } = card.emulator;
          control.fault({ ...CHARGES, after: true, drop: true });
          control.fault({ ...CHARGES, status });
          const lost = await pay(headers);
          expect([lost.status, lost.json.code]).toEqual([503, 'SETTLEMENT_UNKNOWN']);
          requireNoFreshChallenge(lost);
          expect(await charged()).toBe(before + 1);
          control.clearFaults();
          const answer = await answerTo(headers);
          expect([answer.status, answer.headers.get('x-svc-key')]).toEqual([
            200,
            expect.stringMatching(/^svc_test_/),
          ]);
          expect(await charged()).toBe(before + 1);
        },
      );
    });

    describe('a charge that the processor turned away', () => {
      it.each([429, 401, 403])(
        'with %i is 503 and no refusal of the payer, takes nothing, and the same credential pays at once after it',
        async status => {
          const before = await charged();
          const headers = await tokenHeaders();
          card.emulator.control.fault({ ...CHARGES, status });
          const reply = await pay(headers);
          expect(reply.status).toBe(503);
          requireNoFreshChallenge(reply);
          expect(await charged()).toBe(before);
          expect((await pay(headers)).status).toBe(200);
          expect(await charged()).toBe(before + 1);
        },
      );
    });
  });
}
