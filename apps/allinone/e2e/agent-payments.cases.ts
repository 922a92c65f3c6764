import { beforeAll, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { Mppx, stripe as stripeMethod } from 'mppx/client';
import { createHash } from 'node:crypto';
import type { AllRails } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { paidL402, payInvoice, post } from './paid-call.js';
import { fetchV2, fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const BULLION = '/api/agent/verify-bullion';
const CARD = '/api/agent/card-valuation';
const CERTIFICATE = '/partnerCoiVerify';
const KRUGERRAND = { productId: 'krugerrand', massG: 33.93, peaksHz: [4_406, 8_652, 10_661, 18_532] };
/** One peak decides nothing. */
const UNDECIDED = { ...KRUGERRAND, peaksHz: [4_406] };
const COVERAGE = {
  requirements: { generalLiability: { eachOccurrenceUsd: 1_000_000 } },
  fields: { GeneralLiability_EachOccurrence_LimitAmount: '500,000', NamedInsured_FullName: 'Ada LLC' },
};
const PRICES: Readonly<Record<string, number>> = {
  [BULLION]: 50_000,
  [CARD]: 30_000,
  [CERTIFICATE]: 250_000,
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const receiptOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[1], 'base64url').toString()) as Json;

let rails: AllRails;
let key: string;
const at = (path: string) => rails.route.address + path;
const bodies: Record<string, object> = { [BULLION]: KRUGERRAND, [CERTIFICATE]: COVERAGE };

const get = async (path: string, headers: Record<string, string> = {}): Promise<Json> =>
  (await fetch(at(path), { headers })).json() as Promise<Json>;
const balance = async () => (await get('/v1/account', { 'x-svc-key': key })).balanceMicroUsd as number;

/** A card of the sandbox's market in a grade that has sold often enough. */
async function knownCard(): Promise<object> {
  const { items } = await get('/api/agent/cards?q=19&limit=50');
  for (const { cardKey } of items) {
    for (const grade of [9, 8, 10, 7]) {
      const asked = { cardKey, company: 'PSA', grade };
      // Not the very request that is sold later: what was delivered a moment ago is not sold again.
      const { json } = await post(at(CARD), { ...asked, distributionSvg: true }, { 'x-svc-key': key });
      if (json.confidence === 'normal') return asked;
    }
  }
  throw new Error('no card of the sandbox has enough sales');
}

/** One bit of each part of the evidence. */
function bitFlips(proof: Json): Json[] {
  const flipped = (hex: string) => hex.replace(/.$/, digit => (Number.parseInt(digit, 16) ^ 1).toString(16));
  const [leaf, ...leaves] = proof.leaves;
  const [rule, ...rules] = proof.rules;
  return [
    ...['root', 'resultDigest', 'requestDigest'].map(name => ({ ...proof, [name]: flipped(proof[name]) })),
    { ...proof, leaves: [{ ...leaf, salt: flipped(leaf.salt) }, ...leaves] },
    { ...proof, leaves: [{ ...leaf, path: [flipped(leaf.path[0]), ...leaf.path.slice(1)] }, ...leaves] },
    { ...proof, rules: [{ ...rule, holds: !rule.holds }, ...rules] },
    { ...proof, signature: proof.signature.replace(/^./, (c: string) => (c === 'A' ? 'B' : 'A')) },
  ];
}

/** @param shared what all suites of the file share */
export function describeAgentPayments(shared: () => AllRails): void {
  describe('the endpoints for agents', () => {
    beforeAll(async () => {
      rails = shared();
      const admin = { 'x-svc-key': ADMIN_KEY };
      const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
      const accounts = at(`/v1/admin/accounts/${String(account.accountId)}`);
      await post(`${accounts}/credit`, { amountMicroUsd: 10_000_000, reason: 'test' }, admin);
      key = (await post(`${accounts}/keys`, {}, admin)).json.key as string;
      bodies[CARD] = await knownCard();
    });

    describe.each([BULLION, CARD, CERTIFICATE])('%s', path => {
      it('asks for its price on every rail, of an empty body and of one that it could answer', async () => {
        for (const body of [undefined, {}, bodies[path]]) {
          const { status, headers, json } = await post(at(path), body);
          expect([status, json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
          const lines = headers.get('www-authenticate')!;
          expect(lines).toMatch(/^L402 .*macaroon="/);
          expect(lines).toContain('method="stripe"');
          expect(lines).toContain('method="lightning"');
          expect(headers.get('x-402-challenge')).toBe(json.challengeToken);
          if (rails.chain) expect((json.accepts as Json[])[0].maxAmountRequired).toBe(String(PRICES[path]));
        }
      });

      it('is paid from the credit of a key, and proves what it answered', async () => {
        const before = await balance();
        const { status, json, headers } = await post(at(path), bodies[path], { 'x-svc-key': key });
        expect([status, json.charged]).toEqual([200, true]);
        expect(await balance()).toBe(before - PRICES[path]);
        expect(headers.get('svc-credit')).toBe(`balance=${before - PRICES[path]}`);
        const { auditProof, disclosureProof, ...result } = json as Json;
        expect(result.starkRoot).toBe(auditProof.root);
        const verified = await post(at('/v1/stark/verify-proof'), { auditProof, result: json });
        expect([verified.status, verified.json.valid]).toEqual([200, true]);
        const commitment = await post(at('/v1/stark/verify-proof'), { auditProof: disclosureProof });
        expect(commitment.json.valid).toBe(true);
        for (const flipped of bitFlips(auditProof)) {
          const { status, json: verdict } = await post(at('/v1/stark/verify-proof'), {
            auditProof: flipped,
            result: json,
          });
          expect(status === 400 || verdict.valid === false).toBe(true);
        }
        const changed = { ...json, starkRoot: `0x${'0'.repeat(64)}` };
        expect((await post(at('/v1/stark/verify-proof'), { auditProof, result: changed })).json.valid).toBe(
          false,
        );
      });

      it('is paid by L402, gives the same answer again, and for another body takes another payment', async () => {
        const authorization = await paidL402(rails.route.address, path);
        const first = await post(at(path), bodies[path], { authorization });
        expect([first.status, first.json.charged]).toEqual([200, true]);
        expect(first.headers.get('payment-receipt')).toEqual(expect.any(String));
        const again = await post(at(path), bodies[path], { authorization });
        expect([again.status, again.text]).toEqual([200, first.text]);
        const receipt = first.headers.get('svc-receipt')!;
        expect(receiptOf(receipt)).toMatchObject({ responseHash: `0x${sha256(first.text)}`, rail: 'l402' });
        expect(again.headers.get('svc-receipt')).toBe(receipt);
        const others: Record<string, object> = {
          [BULLION]: { ...KRUGERRAND, spectrumSvg: true },
          [CARD]: { ...bodies[CARD], allowRatio: true },
          [CERTIFICATE]: { ...COVERAGE, asOf: '2026-04-01' },
        };
        const other = await post(at(path), others[path], { authorization });
        expect([other.status, other.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
      });

      it('costs nothing where the body cannot be answered', async () => {
        const before = await balance();
        const wrong: Record<string, object> = {
          [BULLION]: { ...KRUGERRAND, productId: 'tin-foil' },
          [CARD]: { cardKey: 'no-such-card', company: 'PSA', grade: 9 },
          [CERTIFICATE]: {
            pdfBase64: Buffer.from('no pdf').toString('base64'),
            requirementSetId: 'electrical',
          },
        };
        const authorization = await paidL402(rails.route.address, path);
        for (const headers of [{}, { 'x-svc-key': key }, { authorization }] as Record<string, string>[]) {
          const { status, json } = await post(at(path), wrong[path], headers);
          expect([status, json.code]).toEqual([422, 'UNPROCESSABLE']);
          expect((json.errors as Json[])[0].path).toEqual(expect.any(String));
        }
        expect(await balance()).toBe(before);
        expect((await post(at(path), bodies[path], { authorization })).status).toBe(200);
      });
    });

    describe('public clients, unmodified', () => {
      it('pay for a verdict: L402 of lightning-tools, x402 of @x402/fetch, the card of mppx', async () => {
        const asked = (body: object) => ({
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const wallet = {
          payInvoice: async ({ invoice }: { invoice: string }) => ({
            preimage: await payInvoice(rails.route.address, invoice),
          }),
        };
        const lightning = await fetchWithL402(at(BULLION), asked({ ...KRUGERRAND, massG: 33.931 }), {
          wallet,
        });
        expect([lightning.status, ((await lightning.json()) as Json).charged]).toEqual([200, true]);
        if (rails.chain) {
          const paying = fetchV2(await fundedWallet(rails.chain));
          const onchain = await paying(at(BULLION), asked({ ...KRUGERRAND, massG: 33.932 }));
          expect([onchain.status, ((await onchain.json()) as Json).charged]).toEqual([200, true]);
        }
        const card = Mppx.create({
          methods: [stripeMethod({ createToken: () => rails.mintToken(), paymentMethod: 'pm_card_visa' })],
          polyfill: false,
        });
        const byCard = await card.fetch(at(BULLION), asked({ ...KRUGERRAND, massG: 33.933 }));
        expect([byCard.status, ((await byCard.json()) as Json).charged]).toEqual([200, true]);
        // What the card's minimum left over.
        expect(byCard.headers.get('x-svc-key')).toEqual(expect.any(String));
      });
    });

    describe('an answer that says nothing', () => {
      it('takes nothing from a key', async () => {
        const before = await balance();
        const { status, json } = await post(at(BULLION), UNDECIDED, { 'x-svc-key': key });
        expect([status, json.verdict, json.charged]).toEqual([200, 'INCONCLUSIVE', false]);
        expect(await balance()).toBe(before);
      });

      it('leaves a payment as credit, which buys the next answer, with the same credential too', async () => {
        const authorization = await paidL402(rails.route.address, BULLION);
        const undecided = await post(at(BULLION), UNDECIDED, { authorization });
        expect([undecided.status, undecided.json.charged]).toEqual([200, false]);
        expect(undecided.headers.get('payment-receipt')).toBeNull();
        const left = undecided.headers.get('x-svc-key')!;
        expect((await get('/v1/account', { 'x-svc-key': left })).balanceMicroUsd).toBe(PRICES[BULLION]);
        const decided = await post(at(BULLION), KRUGERRAND, { 'x-svc-key': left });
        expect([decided.status, decided.json.charged]).toEqual([200, true]);
        expect((await get('/v1/account', { 'x-svc-key': left })).balanceMicroUsd).toBe(0);
        // Spent once is spent: the credential buys nothing more.
        expect((await post(at(BULLION), UNDECIDED, { authorization })).status).toBe(402);
      });
    });

    describe('an audit', () => {
      it('is one credit of a pack, and says how many are left', async () => {
        const before = Math.floor((await balance()) / 250_000);
        const { json } = await post(
          at(CERTIFICATE),
          { ...COVERAGE, asOf: '2026-04-02' },
          { 'x-svc-key': key },
        );
        expect([json.compliant, json.creditsRemaining]).toEqual(['DEFICIENT', before - 1]);
        const { credits } = await get('/v1/account', { 'x-svc-key': key });
        expect(credits).toBe(before - 1);
      });
    });

    it('leaves the ledger and the claims without a finding', async () => {
      const { status, json } = await post(at('/v1/admin/reconcile'), {}, { 'x-svc-key': ADMIN_KEY });
      expect([status, json.findings]).toEqual([200, []]);
    });
  });
}
