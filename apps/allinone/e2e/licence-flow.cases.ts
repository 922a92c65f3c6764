import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROBLEMS, type ProblemCode, type Telemetry } from '@svc/contracts';
import { byTier } from '@svc/platform/testing';
import { findAnvil } from '@svc/sandbox';
import fc from 'fast-check';
import type { AllRails } from './all-rails-fixture.js';
import { type Answer, paidL402, post } from './paid-call.js';
import { fundedWallet, signedPayment } from './x402-wallet.js';

const [VERIFY, EXECUTE] = ['/v1/x402/verify', '/v1/x402/execute'];
const ADMIN_KEY = 'admin key of the tests, at least 32 characters';
const PRICE = 5_000;
const RUNS = byTier(40, 2_000);
const [SURROGATES, SURROGATES_END] = [0xd800, 0xe000];
const GAP = SURROGATES_END - SURROGATES;
/** As the unit `binary` of fast-check, which first makes a table of all of them. */
const ANY_CHARACTER = fc.integer({ min: 0, max: 0x10_ffff - GAP }).map(
  place => String.fromCodePoint(place < SURROGATES ? place : place + GAP),
  character => {
    const [code, more] = Array.from(String(character), each => each.codePointAt(0)!);
    if (code === undefined || more !== undefined || (code >= SURROGATES && code < SURROGATES_END))
      throw new TypeError('no one character');
    return code < SURROGATES ? code : code - GAP;
  },
);
const SEED = 20_260_403;

let rails: AllRails;
let key: string;
const at = (path: string) => rails.route.address + path;

/** Key of an account with credit for a thousand licences. */
async function openAccount(): Promise<string> {
  const admin = { 'x-svc-key': ADMIN_KEY };
  const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
  const accounts = at(`/v1/admin/accounts/${String(account.accountId)}`);
  await post(`${accounts}/credit`, { amountMicroUsd: 1_000 * PRICE, reason: 'test' }, admin);
  return (await post(`${accounts}/keys`, {}, admin)).json.key as string;
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(at(path), { headers });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}
const balance = async () => (await get('/v1/account', { 'x-svc-key': key })).json.balanceMicroUsd as number;
const agent = () => `agent-${crypto.randomUUID()}`;

/** A ticket that the account pays for. */
async function buy(body: object = {}, path = VERIFY): Promise<string> {
  const sold = await post(at(path), { capability: crypto.randomUUID(), ...body }, { 'x-svc-key': key });
  expect(sold.status).toBe(200);
  return sold.json.ticket as string;
}
const execute = (ticket: string, input: object, more: Record<string, string> = {}): Promise<Answer> =>
  post(at(EXECUTE), input, { 'x-execution-ticket': ticket, ...more });

interface Event {
  readonly kind: string;
  readonly step?: string;
}
const kindsOf = ({ json }: Answer) =>
  (json.walEvents as Event[]).map(({ kind, step }) => (step === undefined ? kind : `${kind} ${step}`));

interface Standing {
  readonly sagas: string;
  readonly entries: string;
  readonly used: string;
}
async function standing(): Promise<Standing> {
  const [row] = await rails.database.query<Standing[]>(
    `SELECT (SELECT count(*) FROM saga) AS sagas, (SELECT count(*) FROM ledger_entry) AS entries,
            (SELECT count(*) FROM execution_ticket WHERE saga_id IS NOT NULL) AS used`,
  );
  return row;
}

/** @param shared what all suites of the file share */
export function describeLicenceFlow(shared: () => AllRails): void {
  describe('licences by ticket', () => {
    beforeAll(async () => {
      rails = shared();
      key = await openAccount();
    });

    describe('an execution that cannot be', () => {
      /** Contract of a licensee that has three places taken. */
      let licensee: string;
      let contractId: string;
      let ticket: string;
      beforeAll(async () => {
        licensee = agent();
        const first = await execute(await buy(), { licenseeAgentId: licensee, streamIndex: 3 });
        contractId = first.json.contractId as string;
        ticket = await buy();
      });

      type Row = readonly [what: string, input: () => object, status: number, code: ProblemCode];
      const ROWS: Row[] = [
        ['without a licensee', () => ({}), 400, 'VALIDATION_FAILED'],
        ['of an unknown member', () => ({ licenseeAgentId: 'a', more: 1 }), 400, 'VALIDATION_FAILED'],
        [
          'of an unknown tier',
          () => ({ licenseeAgentId: 'a', licensingTier: 'gold' }),
          400,
          'VALIDATION_FAILED',
        ],
        ...[-1, 1.5, 2 ** 53, 1e300, '7', null].map((streamIndex): Row => [
          `of the stream index ${JSON.stringify(streamIndex)}`,
          () => ({ licenseeAgentId: 'a', streamIndex }),
          400,
          'VALIDATION_FAILED',
        ]),
        [
          'of a fault at a step that there is not',
          () => ({ licenseeAgentId: 'a', simulateFault: true, faultStep: 5 }),
          400,
          'VALIDATION_FAILED',
        ],
        [
          'of a stream index below the last',
          () => ({ licenseeAgentId: licensee, contractId, streamIndex: 2 }),
          409,
          'STREAM_INDEX_STALE',
        ],
        [
          'of the last stream index',
          () => ({ licenseeAgentId: licensee, contractId, streamIndex: 3 }),
          409,
          'STREAM_INDEX_STALE',
        ],
        [
          'of the contract of another licensee',
          () => ({ licenseeAgentId: agent(), contractId }),
          403,
          'FORBIDDEN',
        ],
        [
          'of a stream index that would close the contract',
          () => ({ licenseeAgentId: licensee, contractId, streamIndex: Number.MAX_SAFE_INTEGER }),
          422,
          'UNPROCESSABLE',
        ],
      ];
      it.each(ROWS)('%s is refused, and nothing is consumed', async (_, input, status, code) => {
        const before = await standing();
        const refused = await execute(ticket, input());
        expect([refused.status, refused.json.code]).toEqual([status, code]);
        expect(await standing()).toEqual(before);
      });

      it('of the contract of another account, whose licensee its token names, is refused before it costs anything', async () => {
        const stranger = { 'x-svc-key': await openAccount() };
        const credit = async () => (await get('/v1/account', stranger)).json.balanceMicroUsd;
        const before = await credit();
        for (const streamIndex of [4, Number.MAX_SAFE_INTEGER]) {
          const refused = await post(
            at(EXECUTE),
            { licenseeAgentId: licensee, contractId, streamIndex },
            stranger,
          );
          expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN']);
        }
        expect(await credit()).toBe(before);
      });

      it('leaves its ticket as good as before', async () => {
        const sold = await execute(ticket, { licenseeAgentId: licensee, contractId, streamIndex: 4 });
        expect([sold.status, sold.json.status]).toEqual([200, 'COMPLETED']);
      });

      it('by no ticket, a malformed one, one that nobody has, a foreign, an expired and a used one has each its status', async () => {
        const input = { licenseeAgentId: agent() };
        const none = await post(at(EXECUTE), input);
        expect([none.status, none.json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
        expect(none.headers.get('x-402-challenge')).toMatch(/^v1\./);
        for (const unknown of [`tkt_${'A'.repeat(43)}`, 'tkt_', 'nothing', 'x'.repeat(3_000)]) {
          const refused = await execute(unknown, input);
          expect([refused.status, refused.json.code]).toEqual([401, 'TICKET_UNKNOWN']);
        }
        const ticket = await buy({ agentId: input.licenseeAgentId });
        const stranger = await openAccount();
        const foreign = await execute(ticket, input, { 'x-svc-key': stranger });
        expect([foreign.status, foreign.json.code]).toEqual([403, 'FORBIDDEN']);
        const otherAgent = await execute(ticket, { licenseeAgentId: agent() });
        expect([otherAgent.status, otherAgent.json.code]).toEqual([403, 'FORBIDDEN']);
        expect((await execute(ticket, input)).json.status).toBe('COMPLETED');
        const used = await execute(ticket, input);
        expect([used.status, used.json.code]).toEqual([409, 'TICKET_USED']);
        expect(used.headers.get('location')).toBe(`/v1/x402/sagas/${String(used.json.sagaId)}`);
      });

      it('by an expired ticket is 410, and its amount is the account’s again', async () => {
        const before = await balance();
        const ticket = await buy();
        expect(await balance()).toBe(before - PRICE);
        await rails.database.query(
          `UPDATE execution_ticket SET expires_at = now() WHERE ticket_hash = sha256($1::bytea)`,
          [Buffer.from(ticket)],
        );
        const expired = await execute(ticket, { licenseeAgentId: agent() });
        expect([expired.status, expired.json.code]).toEqual([410, 'TICKET_EXPIRED']);
        expect(await balance()).toBe(before);
      });
    });

    describe('one ticket', () => {
      it('of a hundred clients at once begins one saga', async () => {
        const before = Number((await standing()).sagas);
        const ticket = await buy();
        const input = { licenseeAgentId: agent() };
        const answers = await Promise.all(Array.from({ length: 100 }, () => execute(ticket, input)));
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses).toEqual([200, ...Array(99).fill(409)]);
        expect(Number((await standing()).sagas)).toBe(before + 1);
      });

      it('under one Idempotency-Key has one answer for one body, and none for another', async () => {
        const ticket = await buy();
        const input = { licenseeAgentId: agent() };
        const once = { 'idempotency-key': crypto.randomUUID() };
        const [first, again] = [await execute(ticket, input, once), await execute(ticket, input, once)];
        expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
        const other = await execute(ticket, { licenseeAgentId: agent() }, once);
        expect([other.status, other.json.code]).toEqual([422, 'UNPROCESSABLE']);
      });
    });

    describe('a simulated fault', () => {
      const FORWARD = ['reserve', 'contract', 'prove', 'settle'];
      it.each([1, 2, 3, 4])(
        'at step %d is taken back in reverse, with the balance as before',
        async faultStep => {
          const before = await balance();
          const input = { licenseeAgentId: agent(), simulateFault: true, faultStep };
          const answer = await execute(await buy(), input);
          expect([answer.status, answer.json.status]).toEqual([200, 'COMPENSATED']);
          const [failed, done] = [FORWARD[faultStep - 1], FORWARD.slice(0, faultStep - 1)];
          const kinds = kindsOf(answer);
          expect(kinds).toContain(`STEP_FAIL ${failed}`);
          expect(kinds.at(-1)).toBe('SAGA_ABORTED');
          // The step that failed had no effect, but where that is not known: the proof has a tombstone.
          const undone = kinds.filter(kind => kind.startsWith('COMP_COMMIT')).map(kind => kind.split(' ')[1]);
          expect(undone).toEqual([...(failed === 'prove' ? ['prove'] : []), ...done.reverse()]);
          expect(await balance()).toBe(before);
        },
      );

      it('of a payment that comes along leaves its credit, told to whoever shows the payment', async () => {
        const credential = await paidL402(rails.route.address, EXECUTE);
        const input = { licenseeAgentId: agent(), simulateFault: true };
        const answer = await post(at(EXECUTE), input, { authorization: credential });
        expect([answer.status, answer.json.status]).toEqual([200, 'COMPENSATED']);
        const creditKey = answer.headers.get('x-svc-key')!;
        const { json } = await get('/v1/account', { 'x-svc-key': creditKey });
        expect(json.balanceMicroUsd).toBe(PRICE);
        expect((await post(at(EXECUTE), input, { authorization: credential })).text).toBe(answer.text);
      });

      it('leaves credit whose key is made anew for its payer, and for no one without the payment', async () => {
        const credential = await paidL402(rails.route.address, EXECUTE);
        const input = { licenseeAgentId: agent(), simulateFault: true };
        const lost = await post(at(EXECUTE), input, { authorization: credential });
        const lostKey = lost.headers.get('x-svc-key')!;
        const { json: offered } = await post(at('/v1/account/recovery/challenge'), {});
        const recover = (headers: Record<string, string>) =>
          post(at('/v1/account/recovery'), { challenge: offered.challenge }, headers);
        const nothing = await recover({});
        expect([nothing.status, nothing.json.errors]).toMatchObject([400, [{ path: 'Authorization' }]]);
        const wrong = await recover({ authorization: credential.replace(/.{64}$/, '0'.repeat(64)) });
        expect([wrong.status, wrong.json.code, wrong.json.charged]).toEqual([401, 'IDENTITY_UNPROVED', 'no']);
        const made = await recover({ authorization: credential });
        expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
        expect(made.json).toMatchObject({ balanceMicroUsd: PRICE, revoked: [expect.any(String)] });
        expect((await get('/v1/account', { 'x-svc-key': lostKey })).status).toBe(401);
        const { json } = await get('/v1/account', { 'x-svc-key': made.json.key as string });
        expect([json.accountId, json.balanceMicroUsd]).toEqual([made.json.accountId, PRICE]);
        expect((await recover({ authorization: credential })).json.code).toBe('CONFLICT');
        const again = await post(at(EXECUTE), input, { authorization: credential });
        expect([again.status, again.headers.get('x-svc-key')]).toEqual([200, null]);
      });

      if (findAnvil() === undefined) it('needs anvil', () => console.log('SKIPPED: anvil is not installed'));
      else
        it('leaves credit of a wallet, which signs for its key; its payment, which all can read, does not', async () => {
          const wallet = await fundedWallet(rails.chain!);
          const payment = { 'payment-signature': await signedPayment(wallet, at(EXECUTE)) };
          const lost = await post(at(EXECUTE), { licenseeAgentId: agent(), simulateFault: true }, payment);
          expect([lost.status, lost.json.status]).toEqual([200, 'COMPENSATED']);
          const [begin, end] = ['/v1/account/recovery/challenge', '/v1/account/recovery'].map(at);
          const { challenge: plain } = (await post(begin, {})).json;
          expect((await post(end, { challenge: plain }, payment)).json.code).toBe('IDENTITY_UNPROVED');
          const { challenge, message } = (await post(begin, { address: wallet.address })).json;
          expect(message).toContain(`\nChain ID: ${rails.chain!.chainId}\n`);
          expect(String(message).startsWith(`${new URL(rails.route.address).host} wants you`)).toBe(true);
          const signature = await wallet.signMessage({ message: String(message) });
          const made = await post(end, { challenge, signature });
          expect([made.status, made.json.balanceMicroUsd]).toEqual([201, PRICE]);
          const { json } = await get('/v1/account', { 'x-svc-key': made.json.key as string });
          expect([json.accountId, json.balanceMicroUsd]).toEqual([made.json.accountId, PRICE]);
        });
    });

    describe('an operator', () => {
      it('lists sagas by their state, and resumes none that is not stuck', async () => {
        const admin = { 'x-svc-key': ADMIN_KEY };
        const sold = await execute(await buy(), { licenseeAgentId: agent() });
        const { json } = await get('/v1/admin/sagas?state=COMPLETED&limit=200', admin);
        const listed = (json.items as { sagaId: string; walHash: string }[]).find(
          ({ sagaId }) => sagaId === sold.json.sagaId,
        );
        expect(listed).toMatchObject({ walHash: sold.json.walHash, walCount: 10, state: 'COMPLETED' });
        expect((await get('/v1/admin/sagas', admin)).json).toMatchObject({ items: [], nextCursor: null });
        const resume = (sagaId: unknown, headers: Record<string, string>) =>
          post(at(`/v1/admin/sagas/${String(sagaId)}/resume`), undefined, headers);
        expect((await resume(sold.json.sagaId, admin)).json.code).toBe('CONFLICT');
        expect((await resume(crypto.randomUUID(), admin)).json.code).toBe('NOT_FOUND');
        expect((await resume(sold.json.sagaId, { 'x-svc-key': key })).json.code).toBe('FORBIDDEN');
        expect((await resume(sold.json.sagaId, {})).json.code).toBe('UNKNOWN_CREDENTIAL');
        const { json: audit } = await get('/v1/admin/audit?limit=20', admin);
        expect(JSON.stringify(audit)).toContain(String(sold.json.sagaId));
      });
    });

    describe('the telemetry', () => {
      it('moves with a sale: as a snapshot, and as an event', async () => {
        const before = (await get('/v1/x402/telemetry')).json as unknown as Telemetry;
        const caller = new AbortController();
        const headers = { accept: 'text/event-stream' };
        const stream = await fetch(at('/v1/x402/telemetry'), { headers, signal: caller.signal });
        const ticket = await buy();
        expect((await execute(ticket, { licenseeAgentId: agent() })).status).toBe(200);
        let text = '';
        let last: Telemetry | undefined;
        for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
          text += chunk;
          const [, data] = [...text.matchAll(/^data: (.*)$/gm)].at(-1) ?? [];
          if (data !== undefined && text.endsWith('\n\n')) last = JSON.parse(data) as Telemetry;
          if (last && last.transactionsExecuted > before.transactionsExecuted) break;
        }
        caller.abort();
        expect(last!.transactionsExecuted).toBe(before.transactionsExecuted + 1);
        expect(Number(last!.treasuryClearedUsd)).toBeCloseTo(Number(before.treasuryClearedUsd) + 0.005, 6);
        const after = (await get('/v1/x402/telemetry')).json as unknown as Telemetry;
        expect({ ...after, measuredAt: '' }).toEqual({ ...last!, measuredAt: '' });
      });
    });

    describe('whatever is sent', () => {
      const MEMBERS = [
        'licenseeAgentId',
        'contractId',
        'streamIndex',
        'capability',
        'agentId',
        'executionTicket',
        'challengeToken',
        'simulateFault',
        'faultStep',
        'licensingTier',
        '__proto__',
      ];
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
        fc.constantFrom(
          'agent',
          'a\u0000b',
          '\ud800',
          '\u202e',
          'm2m_enterprise_mesh',
          'x'.repeat(5_000),
          -0,
          2 ** 53,
        ),
      );
      const body = fc.dictionary(fc.constantFrom(...MEMBERS), value, { maxKeys: 5 });
      const headers = fc.dictionary(
        fc.constantFrom(
          'x-execution-ticket',
          'authorization',
          'payment-credential',
          'x-402-challenge',
          'payment-signature',
          'x-payment',
          'idempotency-key',
        ),
        fc.oneof(
          fc.stringMatching(/^[!-~]{1,60}$/),
          fc.constantFrom(
            `tkt_${'B'.repeat(43)}`,
            'L402 bWFj:00',
            'Payment e30',
            'SPT spt_1',
            'v1.e30.e30',
            'e30=',
          ),
        ),
        { maxKeys: 2 },
      );

      it('to either route is refused with a published problem, and nothing is taken', async () => {
        const before = await standing();
        const path = fc.constantFrom(
          VERIFY,
          EXECUTE,
          `${VERIFY}?tool=get_product_catalog`,
          `${EXECUTE}?tool=zk_prove_spatial`,
        );
        await fc.assert(
          fc.asyncProperty(path, body, headers, async (path, body, headers) => {
            const { status, json } = await post(at(path), body, headers);
            expect([json.code, status]).toEqual([json.code, PROBLEMS[json.code as ProblemCode].status]);
            expect(['INTERNAL', 'SETTLEMENT_UNKNOWN', 'TIMEOUT', 'SERVICE_UNAVAILABLE']).not.toContain(
              json.code,
            );
          }),
          { numRuns: RUNS, seed: SEED },
        );
        expect(await standing()).toEqual(before);
      });

      it('as inputs beside a good ticket is answered or refused, and never a 500', async () => {
        let ticket = await buy();
        await fc.assert(
          fc.asyncProperty(body, async sent => {
            const { executionTicket: _other, ...input } = { licenseeAgentId: 'agent', ...sent } as Record<
              string,
              unknown
            >;
            const { status, json } = await execute(ticket, input);
            expect(json.code).not.toBe('INTERNAL');
            expect([200, 400, 403, 409, 422]).toContain(status);
            if (status === 200) ticket = await buy();
          }),
          { numRuns: RUNS, seed: SEED },
        );
      });
    });

    describe('after all of this', () => {
      it('the ledger sums to zero, nothing is found wrong with it, and no ticket is in a log', async () => {
        const report = await post(at('/v1/admin/reconcile'), undefined, { 'x-svc-key': ADMIN_KEY });
        expect(report.json).toMatchObject({ balanced: true, imbalanceMicroUsd: 0, findings: [] });
        const log = rails.logs.join('\n');
        expect(log.length).toBeGreaterThan(10_000);
        expect(log).not.toMatch(/tkt_[A-Za-z0-9_-]{43}/);
        expect(log).not.toMatch(/m2m1\.[A-Za-z0-9_-]{20}/);
      });
    });
  });
}
