import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { auditedPart, canonicalDigest } from '@svc/audit-proof';
import { licencesContract, M2M_CONTRACT_CONTEXT, TOOLS, x402Contract } from '@svc/contracts';
import { problem, problemOf } from '@svc/platform';
import { canonicalJson, checkM2mToken, parseM2mToken } from '@svc/protocols';
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { LICENCE_SIGNING_SEEDS, licenceKeysOf, verifyEd25519 } from '../src/licence/licence-keys.js';
import { STREAM_STEP_MAX } from '../src/m2m/m2m-contracts.js';
import { payChallenge, SECRETS } from './payments-fixture.js';
import { type Answer, type Buyer, recordsOf, startTools, type ToolFixture } from './tool-fixture.js';

const [DAY, PRICE] = [86_400, 5_000];

let tools: ToolFixture;
let buyer: Buyer;

const licence = (more: Record<string, unknown> = {}) => ({ licenseeAgentId: 'agent-7', ...more });
const contractName = () => `contract-${randomUUID()}`;
const check = (licenseKey: string) => tools.bus.call(licencesContract.check, { licenseKey });
const entryOf = async ({ sagaId }: Answer) => {
  const rows: Record<string, unknown>[] = await tools.database.query(
    `SELECT state, stream_index, kid FROM m2m_contract_entry WHERE saga_id = $1`,
    [sagaId],
  );
  return rows[0];
};

export function describeM2mLicense(): void {
  describe('m2m license', () => {
    beforeAll(async () => {
      tools = await startTools();
      buyer = await tools.buyer(1_000_000);
    });
    afterAll(async () => {
      try {
        // Whatever was done, the ledger agrees with itself, and nothing is held for what has ended.
        expect(await tools.findings()).toEqual([]);
        expect(await tools.houseBalance('holds:saga')).toBe(0);
      } finally {
        await tools.close();
      }
    });
    afterEach(() => {
      tools.prover.before = tools.prover.after = async () => undefined;
    });

    describe('a licence between machines', () => {
      it('has every output of the catalogue, and the saga that made it', async () => {
        const before = await buyer.balance();
        const answer = await buyer.execute(licence({ capability: 'spatial.prove' }));
        expect(TOOLS.m2m_license_contract.output.safeParse(answer).success).toBe(true);
        expect(answer).toMatchObject({
          status: 'COMPLETED',
          sagaName: 'm2m_license_contract',
          contractId: expect.stringMatching(/^ctr_[A-Za-z0-9_-]{22}$/),
          starkExecutionProof: expect.stringMatching(/^prf_/),
          starkRoot: expect.stringMatching(/^0x/),
          settlementTreasury: expect.stringMatching(/^treasury:./),
        });
        expect(recordsOf(answer)).toEqual([
          'SAGA_BEGIN',
          ...['reserve', 'contract', 'prove', 'settle'].flatMap(step => [
            `STEP_INTENT ${step}`,
            `STEP_COMMIT ${step}`,
          ]),
          'SAGA_COMMIT',
        ]);
        expect(answer.walCount).toBe(10);
        expect(answer.walHash).toBe(answer.walEvents.at(-1)!.hash);
        expect(await buyer.balance()).toBe(before - PRICE);
        const transactionId = (answer.settlementTreasury as string).slice('treasury:'.length);
        const legs: { account: string; amount: string }[] = await tools.database.query(
          `SELECT account, amount_micro_usd AS amount FROM ledger_entry WHERE transaction_id::text = $1 ORDER BY amount_micro_usd`,
          [transactionId],
        );
        expect(legs).toEqual([
          { account: 'holds:saga', amount: `${-PRICE}` },
          { account: 'treasury', amount: `${PRICE}` },
        ]);
      });

      it('measures its time from the first record of its log to the last', async () => {
        const answer = await buyer.execute(licence());
        const at = (index: number) =>
          Date.parse((answer.walEvents.at(index) as unknown as { at: string }).at);
        expect(answer.executionTimeMs).toBe(at(-1) - at(0));
      });

      it.each([
        ['m2m_autonomous_perpetual', { exp: null, nodesMax: 1, sublicense: false, metered: false }],
        ['m2m_continuous_metered', { exp: 30 * DAY, nodesMax: 1, sublicense: false, metered: true }],
        ['m2m_enterprise_mesh', { exp: 365 * DAY, nodesMax: 1_000, sublicense: true, metered: false }],
      ])(
        'of the tier %s grants what the tier says, in token, contract and answer',
        async (licensingTier, grant) => {
          const answer = await buyer.execute(licence({ licensingTier }));
          const { licence: token } = parseM2mToken(answer.m2mLicenseToken as string)!;
          const exp = grant.exp === null ? null : token.iat + grant.exp;
          expect(token).toMatchObject({
            ...grant,
            exp,
            tier: licensingTier,
            licensee: 'agent-7',
            capability: null,
          });
          expect(token).toMatchObject({ streamIndex: 0, saga: answer.sagaId, contract: answer.contractId });
          expect(Math.abs(token.iat * 1_000 - Date.now())).toBeLessThan(60_000);
          expect(answer.grant).toEqual({ ...grant, exp });
          const { tier, grant: granted } = answer.contract as { tier: string; grant: unknown };
          expect([tier, granted]).toEqual([licensingTier, answer.grant]);
          const verdict = await check(answer.m2mLicenseToken as string);
          expect(verdict).toMatchObject({
            ...{ valid: true, code: 'VALID', tier: licensingTier, features: [], licenseId: token.jti },
            expiresAt: exp === null ? null : new Date(exp * 1_000).toISOString(),
          });
        },
      );

      it('has a token that verifies offline by the documented bytes alone', async () => {
        const answer = await buyer.execute(licence({ capability: 'x' }));
        const { keys } = await tools.bus.call(licencesContract.keys, {});
        const [prefix, payload, signature] = (answer.m2mLicenseToken as string).split('.');
        const said = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
        const key = keys.find(({ kid }) => kid === said.kid)!;
        const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.publicKey };
        const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
        const holds = (text: string) =>
          verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
        expect([prefix, said.capability, holds(`m2m1.${payload}`), holds(`m2m2.${payload}`)]).toEqual([
          ...['m2m1', 'x', true, false],
        ]);
        expect(canonicalJson(said)).toBe(Buffer.from(payload, 'base64url').toString());
      });

      it('has its contract proved by its canonical bytes, under the domain of contracts', async () => {
        const answer = await buyer.execute(licence());
        const statement = tools.prover.statements.at(-1)!;
        expect(statement).toBe(canonicalJson(answer.contract));
        expect(answer.contract).toMatchObject({
          ...{ contractId: answer.contractId, licensee: 'agent-7', streamIndex: 0, saga: answer.sagaId },
          amountMicroUsd: PRICE,
        });
        expect(M2M_CONTRACT_CONTEXT).toBe('svc/m2m-contract/v1');
      });

      it('has evidence over the whole answer, with rules that hold', async () => {
        const contractId = contractName();
        await buyer.execute(licence({ contractId, streamIndex: 4 }));
        const input = licence({ contractId, streamIndex: STREAM_STEP_MAX });
        const answer = await buyer.execute(input);
        const { auditProof } = answer as unknown as {
          auditProof: { proves: string } & Record<string, never>;
        };
        expect(auditProof.proves).toBe('rules');
        expect(auditProof.resultDigest).toBe(
          `0x${Buffer.from(canonicalDigest(auditedPart(answer))).toString('hex')}`,
        );
        const request = { ...input, licensingTier: 'm2m_continuous_metered' };
        expect(auditProof.requestDigest).toBe(`0x${Buffer.from(canonicalDigest(request)).toString('hex')}`);
        const rules = auditProof.rules as { id: string; value: string; threshold: string; holds: boolean }[];
        expect(rules.map(({ id, value, threshold }) => [id, value, threshold])).toEqual([
          ['stream-index-increases', '1000000000', '1'],
          ['price-paid', '0.005', '0.005'],
          ['tier-grant', `${30 * DAY}`, `${30 * DAY}`],
          ['tier-nodes', '1', '1'],
        ]);
      });

      it('keeps nothing secret in its log: no token, no ticket, no key, no name', async () => {
        const ticket = await buyer.ticket();
        const answer = await buyer.execute(
          licence({ licenseeAgentId: 'agent-unmentioned', capability: 'hush' }),
          ticket,
        );
        const payloads = JSON.stringify(answer.walEvents.map(({ payload }) => payload));
        for (const secret of [
          answer.m2mLicenseToken as string,
          ticket,
          buyer.key,
          'agent-unmentioned',
          'hush',
        ])
          expect(payloads).not.toContain(secret);
        const token = parseM2mToken(answer.m2mLicenseToken as string)!.licence;
        const settled = answer.walEvents.find(
          ({ kind, step }) => kind === 'STEP_COMMIT' && step === 'settle',
        )!;
        expect(settled.payload).toMatchObject({ jti: token.jti, kid: token.kid });
      });

      it('has an answer that is the same however often it is asked for, and its saga a log that says the same', async () => {
        const { key, ticket } = buyer;
        const input = licence();
        const idempotencyKey = randomUUID();
        const request = { ticket: await ticket(), input, idempotencyKey, accountKey: key };
        const first = await tools.bus.call(x402Contract.execute, request);
        const attested = tools.prover.attested.length;
        const again = await tools.bus.call(x402Contract.execute, request);
        expect(again.result).toEqual(first.result);
        expect(tools.prover.attested).toHaveLength(attested);
        const store = await tools.bus.call(x402Contract.saga, {
          sagaId: first.result.sagaId,
          accountKey: key,
        });
        expect(store).toMatchObject({ status: 'COMPLETED', walHash: first.result.walHash });
      });

      it('takes the capability of its ticket where the call names none', async () => {
        const ticket = await buyer.ticket('m2m_license_contract', {
          agentId: 'agent-7',
          capability: 'of-the-ticket',
        });
        const answer = await buyer.execute(licence(), ticket);
        expect(parseM2mToken(answer.m2mLicenseToken as string)!.licence.capability).toBe('of-the-ticket');
      });

      it('is sold for a Lightning payment as for a key, and its credit takes back what was not', async () => {
        const { l402 } = await payChallenge(tools.bus, 'tool.m2m_license_contract');
        const paid = await tools.bus.call(x402Contract.verifyPayment, {
          tool: 'm2m_license_contract',
          credential: l402,
        });
        const { ticket } = paid.result;
        const answer = (await tools.bus.call(x402Contract.execute, { ticket, input: licence() })).result;
        expect(answer.status).toBe('COMPLETED');
      });
    });

    describe('inputs that no licence can hold', () => {
      it.each([
        [{ licensingTier: 'm2m_gold' }, 400],
        [{ licenseeAgentId: '' }, 400],
        [{ licenseeAgentId: 'x'.repeat(129) }, 400],
        [{ more: 1 }, 400],
        [{ faultStep: 2 }, 400],
        [{ faultStep: 2, simulateFault: false }, 400],
        [{ faultStep: 5, simulateFault: true }, 400],
        [{ faultStep: 0, simulateFault: true }, 400],
        [{ licenseeAgentId: 'nul\u0000' }, 400],
        [{ contractId: 'nul\u0000' }, 400],
        [{ capability: 'escape\u001b[31m' }, 400],
        [{ licenseeAgentId: 'two\nlines' }, 400],
        [{ licenseeAgentId: 'half\ud800' }, 400],
      ])('%j are refused, and nothing is consumed', async (more, status) => {
        const ticket = await buyer.ticket();
        expect(await problemOf(buyer.execute(licence(more), ticket))).toMatchObject({ status });
        expect((await buyer.execute(licence(), ticket)).status).toBe('COMPLETED');
      });
    });

    describe('a fault that is asked for', () => {
      const reverse = (steps: string[]) =>
        steps.flatMap(step => [`COMP_INTENT ${step}`, `COMP_COMMIT ${step}`]);
      const forwards = (steps: string[]) =>
        steps.flatMap(step => [`STEP_INTENT ${step}`, `STEP_COMMIT ${step}`]);

      it.each([
        [1, [], 'reserve', []],
        [2, ['reserve'], 'contract', ['reserve']],
        [3, ['reserve', 'contract'], 'prove', ['prove', 'contract', 'reserve']],
        [4, ['reserve', 'contract', 'prove'], 'settle', ['prove', 'contract', 'reserve']],
      ])(
        'at step %i takes back what was done, in reverse, and charges nothing',
        async (faultStep, done, failed, undone) => {
          const contractId = contractName();
          const before = await buyer.balance();
          const standing = tools.prover.standing;
          const answer = await buyer.execute(
            licence({ contractId, streamIndex: 2, simulateFault: true, faultStep }),
          );
          expect(recordsOf(answer)).toEqual([
            'SAGA_BEGIN',
            ...forwards(done),
            `STEP_INTENT ${failed}`,
            `STEP_FAIL ${failed}`,
            ...reverse(undone),
            'SAGA_ABORTED',
          ]);
          expect(TOOLS.m2m_license_contract.output.safeParse(answer).success).toBe(true);
          expect(answer).toMatchObject({
            ...{ status: 'COMPENSATED', contractId, fault: { step: failed, code: 'SIMULATED_FAULT' } },
            ...{ m2mLicenseToken: '', starkExecutionProof: '', settlementTreasury: '', starkRoot: '' },
          });
          expect(await buyer.balance()).toBe(before);
          expect(await entryOf(answer)).toMatchObject({ state: 'void', kid: null });
          // No effect stands at the prover, and its key is refused from now on where it was, or may have been, asked.
          expect(tools.prover.standing).toBe(standing);
          const proving = answer.walEvents.find(
            ({ kind, step }) => kind === 'STEP_INTENT' && step === 'prove',
          ) as { idemKey?: string } | undefined;
          if (proving)
            expect(tools.prover.calls.get(proving.idemKey!.slice(2))).toMatchObject({ state: 'revoked' });
          // The place is free again, for the same licensee and, while nothing stands under the contract, for another.
          const other = await tools.buyer();
          const taken = await other.execute({ licenseeAgentId: 'agent-9', contractId, streamIndex: 2 });
          expect(taken.status).toBe('COMPLETED');
        },
      );

      it('is at step 3 where no step is named', async () => {
        const answer = await buyer.execute(licence({ simulateFault: true }));
        expect(answer.fault).toEqual({ step: 'prove', code: 'SIMULATED_FAULT' });
      });

      it('of a Lightning payment leaves the amount on the credit of the payment', async () => {
        const { l402 } = await payChallenge(tools.bus, 'tool.m2m_license_contract');
        const paid = await tools.bus.call(x402Contract.verifyPayment, {
          tool: 'm2m_license_contract',
          credential: l402,
        });
        const { ticket } = paid.result;
        const input = licence({ simulateFault: true });
        const { result } = await tools.bus.call(x402Contract.execute, { ticket, input });
        expect(result.status).toBe('COMPENSATED');
        const [{ balance }]: { balance: string }[] = await tools.database.query(
          `SELECT account.balance_micro_usd AS balance FROM execution_ticket ticket JOIN payment_claim claim USING (claim_id)
         JOIN account ON account.account_id = claim.credit_account_id WHERE ticket.saga_id = $1`,
          [result.sagaId],
        );
        expect(Number(balance)).toBe(PRICE);
      });
    });

    describe('a prover that fails', () => {
      it('and is away costs no ticket: nothing is begun that could not be proved', async () => {
        tools.prover.before = async verb => {
          if (verb === 'ask') throw problem('SERVICE_UNAVAILABLE', 'away', { retryAfterSeconds: 1 });
        };
        const ticket = await buyer.ticket();
        expect(await problemOf(buyer.execute(licence(), ticket))).toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
        });
        tools.prover.before = async () => undefined;
        expect((await buyer.execute(licence(), ticket)).status).toBe('COMPLETED');
      });

      it('and lost its answer is asked what became of it: the contract is proved once', async () => {
        let lost = 1;
        tools.prover.after = async () => {
          if (lost-- > 0) throw problem('TIMEOUT', 'the answer was lost');
        };
        const proved = tools.prover.statements.length;
        const answer = await buyer.execute(licence());
        expect(answer.status).toBe('COMPLETED');
        expect(tools.prover.statements).toHaveLength(proved + 1);
      });

      it('and is busy is asked again', async () => {
        let busy = 2;
        tools.prover.before = async verb => {
          if (verb === 'prove' && busy-- > 0) throw problem('QUEUE_FULL', 'busy', { retryAfterSeconds: 1 });
        };
        expect((await buyer.execute(licence())).status).toBe('COMPLETED');
      });

      it('for good has the saga taken back: its problem is the answer, and the price is the payer’s', async () => {
        tools.prover.before = async verb => {
          if (verb === 'prove')
            throw problem('UNPROCESSABLE', 'no such contract', { errors: [{ path: 'x', message: 'y' }] });
        };
        const [ticket, before] = [await buyer.ticket(), await buyer.balance()];
        const failed = await problemOf(buyer.execute(licence(), ticket));
        expect(failed.payload).toMatchObject({
          code: 'UNPROCESSABLE',
          detail: 'no such contract',
          errors: [{ path: 'x' }],
        });
        expect(failed.payload.extensions).toMatchObject({
          ...{ status: 'COMPENSATED', sagaId: expect.any(String), walHash: expect.stringMatching(/^0x/) },
          fault: { step: 'prove', code: 'UNPROCESSABLE' },
        });
        expect(await buyer.balance()).toBe(before + PRICE);
      });

      it('and will not take its proof back is asked until it does', async () => {
        let refusals = 3;
        tools.prover.before = async verb => {
          if (verb === 'revoke' && refusals-- > 0) throw problem('SERVICE_UNAVAILABLE', 'away');
        };
        const before = await buyer.balance();
        const answer = await buyer.execute(licence({ simulateFault: true, faultStep: 4 }));
        expect(recordsOf(answer).filter(record => record === 'COMP_INTENT prove')).toHaveLength(4);
        expect(recordsOf(answer).filter(record => record === 'COMP_COMMIT prove')).toHaveLength(1);
        expect([answer.status, await buyer.balance()]).toEqual(['COMPENSATED', before]);
      });

      it('refuses an effect that arrives after it was taken back', async () => {
        const answer = await buyer.execute(licence({ simulateFault: true, faultStep: 3 }));
        const { idemKey } = answer.walEvents.find(
          ({ kind, step }) => kind === 'STEP_INTENT' && step === 'prove',
        ) as never as { idemKey: string };
        const late = tools.prover.run(idemKey.slice(2), 'prove', () => 'proved');
        expect(await problemOf(late)).toMatchObject({ code: 'CONFLICT' });
      });

      it('of evidence makes the answer wait, and nothing runs twice', async () => {
        tools.prover.before = async verb => {
          if (verb === 'attest') throw problem('OVERLOADED', 'too many audits', { retryAfterSeconds: 1 });
        };
        const request = { ticket: await buyer.ticket(), input: licence(), idempotencyKey: randomUUID() };
        const waiting = await problemOf(tools.bus.call(x402Contract.execute, request));
        expect(waiting).toMatchObject({ status: 503 });
        expect(waiting.payload.extensions).toMatchObject({ status: 'COMPLETED', sagaId: expect.any(String) });
        const proved = tools.prover.statements.length;
        tools.prover.before = async () => undefined;
        const { result } = await tools.bus.call(x402Contract.execute, request);
        expect(result).toMatchObject({ status: 'COMPLETED', sagaId: waiting.payload.extensions!.sagaId });
        expect(tools.prover.statements).toHaveLength(proved);
      });
    });

    it('has no answer any more that nobody asked for in a day, and says so', async () => {
      tools.prover.before = async verb => {
        if (verb === 'attest') throw problem('OVERLOADED', 'too many audits');
      };
      const request = { ticket: await buyer.ticket(), input: licence(), idempotencyKey: randomUUID() };
      const waiting = await problemOf(tools.bus.call(x402Contract.execute, request));
      const { sagaId } = waiting.payload.extensions as { sagaId: string };
      tools.prover.before = async () => undefined;
      const change = (statement: string) => tools.database.query(statement, [sagaId]);
      await change(`UPDATE saga SET kept = NULL WHERE saga_id = $1`);
      expect(await problemOf(tools.bus.call(x402Contract.execute, request))).toMatchObject({ status: 410 });
      const log = await tools.bus.call(x402Contract.saga, { sagaId, accountKey: buyer.key });
      expect(log).toMatchObject({ status: 'COMPLETED', walCount: 10 });
      expect(log.result).toBeUndefined();
    });

    describe('a token, asked about', () => {
      const keys = licenceKeysOf({ secrets: { [LICENCE_SIGNING_SEEDS]: SECRETS.LICENCE_SIGNING_SEEDS } });

      it('is unknown where the book says otherwise, though its own key signed it', async () => {
        const answer = await buyer.execute(licence());
        const { licence: sold } = parseM2mToken(answer.m2mLicenseToken as string)!;
        const nothing = { valid: false, code: 'UNKNOWN', tier: null, licenseId: null };
        for (const changed of [
          { ...sold, jti: 'm2m_AAAAAAAAAAAAAAAAAAAAAA' },
          { ...sold, licensee: 'agent-9' },
          { ...sold, contract: 'another' },
          { ...sold, capability: 'everything' },
          { ...sold, streamIndex: sold.streamIndex + 1 },
          { ...sold, tier: 'm2m_enterprise_mesh' },
          { ...sold, exp: null },
          { ...sold, nodesMax: 1_000 },
          { ...sold, sublicense: true },
          { ...sold, metered: false },
          { ...sold, saga: randomUUID() },
          { ...sold, iat: sold.iat - 1 },
        ]) {
          const token = keys.signM2m(changed);
          expect((await checkM2mToken(token, keys.published(), Date.now(), verifyEd25519)).code).toBe(
            'VALID',
          );
          expect(await check(token)).toMatchObject(nothing);
        }
        expect(await check(keys.signM2m(sold))).toMatchObject({ code: 'VALID' });
      });

      it('of a sale that was not settled is unknown, and of one that was taken back is revoked, for good', async () => {
        const answer = await buyer.execute(licence());
        const token = answer.m2mLicenseToken as string;
        const change = (set: string) =>
          tools.database.query(`UPDATE m2m_contract_entry SET ${set} WHERE saga_id = $1`, [answer.sagaId]);
        await change('kid = NULL');
        expect(await check(token)).toMatchObject({ code: 'UNKNOWN' });
        await change(`kid = '${parseM2mToken(token)!.licence.kid}'`);
        expect(await check(token)).toMatchObject({ code: 'VALID' });
        await change(`state = 'void'`);
        expect(await check(token)).toMatchObject({
          valid: false,
          code: 'REVOKED',
          licenseId: expect.any(String),
        });
        await expect(change(`state = 'active'`)).rejects.toThrow('was taken back');
      });

      it('is expired when it is, and malformed or badly signed where it is changed', async () => {
        const { m2mLicenseToken, sagaId } = await buyer.execute(licence());
        const { licence: sold } = parseM2mToken(m2mLicenseToken as string)!;
        const past = { iat: sold.iat - 60 * DAY, exp: sold.iat - 30 * DAY };
        await tools.database.query(`UPDATE m2m_contract_entry SET iat = $2, exp = $3 WHERE saga_id = $1`, [
          ...[sagaId, past.iat, past.exp],
        ]);
        expect(await check(keys.signM2m({ ...sold, ...past }))).toMatchObject({
          valid: false,
          code: 'EXPIRED',
        });
        const token = m2mLicenseToken as string;
        expect((await check(`${token.slice(0, 40)}x${token.slice(41)}`)).code).toMatch(
          /^(BAD_SIGNATURE|MALFORMED)$/,
        );
        expect((await check('m2m1.x.y')).code).toBe('MALFORMED');
      });
    });
  });
}
