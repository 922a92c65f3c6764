import { beforeAll, describe, expect, it } from '@jest/globals';
import { FAMILIES } from '@svc/arena';
import { ArenaAgent } from '@svc/arena/testing';
import { verifyAuditedAnswer } from '@svc/client';
import type { ArenaAward, ArenaChallenge, ArenaGrading, ProvedAuditProof } from '@svc/contracts';
import { byTier } from '@svc/platform/testing';
import { Client } from 'pg';
import { ADMIN_KEY } from './card-fixture.js';
import { payInvoice, post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

const PRICE = 1_000;
const SAT = 500;
const LEVELS = byTier([1, 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
type Json = Record<string, unknown>;

interface Played {
  readonly cognitiveScore: number;
  readonly starkProofHash: string;
  readonly satsAwarded: number;
  readonly challenge: ArenaChallenge;
  readonly grading: ArenaGrading;
  readonly award: ArenaAward;
}

let route: PaidRoute;

/** An account with credit and a key; `bought` as if at a checkout. */
async function player(bought: boolean): Promise<{ key: string; accountId: string }> {
  const admin = (path: string, body: Json) =>
    post(`${route.address}${path}`, body, { 'x-svc-key': ADMIN_KEY });
  const accountId = (await admin('/v1/admin/accounts', {})).json.accountId as string;
  await admin(`/v1/admin/accounts/${accountId}/credit`, { amountMicroUsd: 10_000_000, reason: 'test' });
  const { key } = (await admin(`/v1/admin/accounts/${accountId}/keys`, { label: 'arena' })).json;
  if (bought) await buyPack(accountId);
  return { key: key as string, accountId };
}

async function buyPack(accountId: string): Promise<void> {
  const database = new Client({ connectionString: route.databaseUrl });
  await database.connect();
  await database.query(
    `INSERT INTO payments.checkout_session (checkout_id, kind, product, amount_micro_usd, request_digest, session_id,
       account_id, fulfilled_at)
     VALUES ('chk_' || left(md5(random()::text), 22), 'pack', 'pack_10', 10000000, $1, 'cs_' || $2, $2, now())`,
    ['ab'.repeat(32), accountId],
  );
  await database.end();
}

const call = (input: Json, headers: Record<string, string>) =>
  post(`${route.address}/v1/tools/arena_challenge`, input, headers);
const asking = (payload: Json): Json => ({ challengePayload: JSON.stringify(payload) });
async function played(input: Json, key: string): Promise<Played> {
  const { status, json } = await call(input, { 'x-svc-key': key });
  expect([status, json.code]).toEqual([200, undefined]);
  return json as unknown as Played;
}
const solve = ({ challengeId, family, problem }: ArenaChallenge) =>
  asking({ challengeId, answer: new ArenaAgent().answer(family, problem) });
const get = async (path: string, headers: Record<string, string> = {}) =>
  (
    await fetch(`${route.address}${path}`, { headers: { accept: 'application/json', ...headers } })
  ).json() as Promise<Json>;
const balanceOf = async (key: string) =>
  (await get('/v1/account', { 'x-svc-key': key })).balanceMicroUsd as number;

/** @param shared what all suites of the file share */
export function describeArena(shared: () => PaidRoute): void {
  describe('the arena', () => {
    beforeAll(() => void (route = shared()));

    describe('an agent in the arena, over HTTP', () => {
      it.each(FAMILIES)('plays, pays and is scored: %s', async family => {
        const { key } = await player(false);
        for (const level of LEVELS) {
          const { challenge } = await played(asking({ family, level }), key);
          const answer = await played({ agentId: `agent of ${family}`, ...solve(challenge) }, key);
          expect([level, answer.grading.reason]).toEqual([level, 'attains the optimum']);
          expect(answer.cognitiveScore).toBeGreaterThanOrEqual(90);
        }
        expect(await balanceOf(key)).toBe(10_000_000 - 2 * LEVELS.length * PRICE);
        const { items } = (await get(`/arena/leaders?family=${family}`)) as { items: Json[] };
        expect(items[0]).toMatchObject({ rank: 1, agentId: `agent of ${family}`, solved: LEVELS.length });
      });

      it('is given evidence of its grading that verifies by itself', async () => {
        const { key } = await player(false);
        const { challenge } = await played(asking({ family: 'sat', level: 2 }), key);
        const input = solve(challenge);
        const { grading } = await played(input, key);
        const request = JSON.parse(input.challengePayload as string) as Json;
        const verified = await post(`${route.address}/v1/stark/verify-proof`, {
          ...{ auditProof: grading.auditProof, result: grading, request },
        });
        expect([verified.status, verified.json.valid]).toEqual([200, true]);
        const forged = await post(`${route.address}/v1/stark/verify-proof`, {
          ...{
            auditProof: grading.auditProof,
            result: { ...grading, cognitiveScore: 100, agentId: 'x' },
            request,
          },
        });
        expect(forged.json.valid).toBe(false);
        const { proofId } = grading.auditProof as ProvedAuditProof;
        const { proof } = await get(`/v1/stark/proofs/${proofId}`);
        const { keys } = await get('/.well-known/svc-proof-keys.json');
        const verdict = verifyAuditedAnswer({
          answer: { ...grading },
          request,
          proof: Buffer.from(proof as string, 'base64'),
          keys: keys as never,
        });
        expect(verdict).toMatchObject({ valid: true });
      });

      it('is awarded credit once it has bought and spent, at most what it has spent, and the books agree', async () => {
        const [granted, buyer] = [await player(false), await player(true)];
        for (const { key } of [granted, buyer]) {
          const { challenge } = await played(asking({ family: 'sat', level: 9 }), key);
          const { award, satsAwarded } = await played(solve(challenge), key);
          // The call that asked for the challenge is paid by now, this one is not.
          const isBuyer = key === buyer.key;
          expect([satsAwarded, award.reason]).toEqual(isBuyer ? [2, 'AWARDED'] : [0, 'NO_PAID_ACCOUNT']);
        }
        expect(await balanceOf(buyer.key)).toBe(10_000_000 - 2 * PRICE + 2 * SAT);
        const report = await post(`${route.address}/v1/admin/reconcile`, {}, { 'x-svc-key': ADMIN_KEY });
        expect(report.json).toMatchObject({ balanced: true, findings: [] });
      });

      it('is refused, and nothing charged, for an answer of no form, another’s or the second', async () => {
        const [one, two] = [await player(false), await player(false)];
        const { challenge } = await played(asking({ family: 'max-cut', level: 1 }), one.key);
        const before = await balanceOf(one.key);
        const refusals: [Json, string, string][] = [
          [{ challengePayload: '{' }, one.key, 'VALIDATION_FAILED'],
          [
            asking({ challengeId: challenge.challengeId, answer: { side: '2' } }),
            one.key,
            'VALIDATION_FAILED',
          ],
          [{ challengePayload: '['.repeat(65_000) }, one.key, 'VALIDATION_FAILED'],
          [{ challengePayload: 'x'.repeat(70_000) }, one.key, 'VALIDATION_FAILED'],
          [asking({ challengeId: `arena_${'x'.repeat(22)}`, answer: { side: '0' } }), one.key, 'NOT_FOUND'],
          [solve(challenge), two.key, 'FORBIDDEN'],
        ];
        for (const [input, key, code] of refusals) {
          const { json } = await call(input, { 'x-svc-key': key });
          expect(json.code).toBe(code);
        }
        expect(await balanceOf(one.key)).toBe(before);
        expect(await balanceOf(two.key)).toBe(10_000_000);
        await played(solve(challenge), one.key);
        const wrong = asking({ challengeId: challenge.challengeId, answer: { side: '0000' } });
        const second = await call(wrong, { 'x-svc-key': one.key });
        expect([second.status, second.json.code]).toEqual([409, 'CONFLICT']);
        expect(await balanceOf(one.key)).toBe(before - PRICE);
        const nested = `{"challengePayload":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
        const deep = await fetch(`${route.address}/v1/tools/arena_challenge`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-svc-key': one.key },
          body: nested,
        });
        expect([400, 413]).toContain(deep.status);
        expect(await balanceOf(one.key)).toBe(before - PRICE);
      });

      it('plays without an account by Lightning, unlisted and unawarded, and by ticket as a saga', async () => {
        const pay = async (input: Json) => {
          const asked = await call(input, {});
          expect(asked.status).toBe(402);
          const macaroon = /macaroon="([^"]+)"/.exec(asked.headers.get('www-authenticate')!)![1];
          const preimage = await payInvoice(route.address, asked.json.invoice as string);
          return { authorization: `L402 ${macaroon}:${preimage}` };
        };
        const input = asking({ family: 'modular-algebra', level: 1 });
        const { challenge } = (await call(input, await pay(input))).json as unknown as Played;
        const answer = { agentId: 'nobody', ...solve(challenge) };
        const graded = (await call(answer, await pay(answer))).json as unknown as Played;
        expect(graded.award).toMatchObject({ sats: 0, reason: 'NO_PAID_ACCOUNT' });
        const { items } = (await get('/arena/leaders?limit=100')) as { items: Json[] };
        expect(items.map(({ agentId }) => agentId)).not.toContain('nobody');

        const execute = async (body: Json) => {
          const paid = await fetch(`${route.address}/v1/x402/challenge?tool=arena_challenge`);
          const { invoice } = (await paid.json()) as { invoice: string };
          const macaroon = /macaroon="([^"]+)"/.exec(paid.headers.get('www-authenticate')!)![1];
          const authorization = `L402 ${macaroon}:${await payInvoice(route.address, invoice)}`;
          const { ticket } = (await post(`${route.address}/v1/x402/verify`, {}, { authorization })).json;
          return post(`${route.address}/v1/x402/execute`, body, { 'x-execution-ticket': ticket as string });
        };
        const issued = await execute(asking({ family: 'sat', level: 1 }));
        expect([issued.status, issued.json.code]).toEqual([200, undefined]);
        const set = (issued.json as unknown as Played).challenge;
        const byTicket = await execute(solve(set));
        expect((byTicket.json as unknown as Played).cognitiveScore).toBeGreaterThanOrEqual(90);
        // Answered before: the saga ends at once, and gives its payment back.
        const again = await execute(solve(set));
        expect([again.status, again.json.code]).toEqual([409, 'CONFLICT']);
      });
    });
  });
}
