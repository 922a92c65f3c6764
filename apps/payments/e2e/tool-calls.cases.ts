import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { auditedPart, canonicalDigest } from '@svc/audit-proof';
import { paymentsContract, toolCallContract, TOOLS, type ToolName, x402Contract } from '@svc/contracts';
import { StepFailed } from '@svc/durability';
import { problem, problemOf, Waiters } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckoutService } from '../src/checkout/checkout.service.js';
import { TelemetryService } from '../src/telemetry/telemetry.service.js';
import { TreasuryFigures } from '../src/telemetry/treasury-figures.js';
import { OwnTools } from '../src/tool/own-tools.js';
import { payChallenge } from './payments-fixture.js';
import { type Answer, type Buyer, recordsOf, startTools, type ToolFixture } from './tool-fixture.js';

const PRICE = 1_000;
const SPATIAL = {
  ...{ verified: true, starkRootCommitment: `0x${'ab'.repeat(32)}`, primeField: '2^64 - 2^32 + 1' },
  ...{ latencyMs: 1.5, securityBits: 100, paymentReceipt: 'r' },
};
const COMMITMENT = {
  ...{ verified: true, fieldPrimeHex: '0xffffffff00000001', executionTimeMs: 2.5 },
  ...{ starkRootCommitment: `0x${'cd'.repeat(32)}`, friQueryProofBytes: 10, securityLevelBits: 100 },
  paymentReceipt: 'r',
};

let tools: ToolFixture;
let buyer: Buyer;

const execute = async (tool: ToolName, input: Record<string, unknown>): Promise<Answer> =>
  buyer.execute(input, await buyer.ticket(tool));
const digestHex = (value: unknown) => `0x${Buffer.from(canonicalDigest(value)).toString('hex')}`;
const eventsOf = async ({ sagaId }: Answer) => {
  const { walEvents } = await tools.bus.call(x402Contract.saga, { sagaId, accountKey: buyer.key });
  return { walEvents } as never as Answer;
};
const TOOL_RECORDS = [
  'SAGA_BEGIN',
  ...['reserve', 'run', 'prove', 'settle'].flatMap(step => [`STEP_INTENT ${step}`, `STEP_COMMIT ${step}`]),
  'SAGA_COMMIT',
];

export function describeToolCalls(): void {
  describe('tool calls', () => {
    beforeAll(async () => {
      tools = await startTools();
      buyer = await tools.buyer(1_000_000);
      tools.prover.output = tool => ({
        ...(tool === 'zk_prove_spatial' ? SPATIAL : COMMITMENT),
        notInTheCatalogue: 1,
      });
    });
    afterAll(async () => {
      try {
        expect(await tools.findings()).toEqual([]);
        expect(await tools.houseBalance('holds:saga')).toBe(0);
      } finally {
        await tools.close();
      }
    });
    afterEach(() => {
      tools.prover.before = async () => undefined;
      tools.prover.evidence = {};
    });

    it.each<[ToolName, Record<string, unknown>, string]>([
      ['zk_prove_spatial', { coordinates: [1, 2], traceData: 'a\u0000' }, 'traceData'],
      ['zk_prove_spatial', { coordinates: [1, 2], parcelId: 'a\u0000' }, 'parcelId'],
      ['generate_goldilocks_stark_proof', { publicInputs: ['1'], contextDomain: '\u0000' }, 'contextDomain'],
    ])(
      'a NUL in the input of %s %j is refused, and the ticket is as good as before',
      async (tool, input, path) => {
        const ticket = await buyer.ticket(tool);
        const { payload } = await problemOf(buyer.execute(input, ticket));
        expect(payload).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path }] });
        const { [path]: _, ...rest } = input;
        expect((await buyer.execute(rest, ticket)).status).toBe('COMPLETED');
      },
    );

    describe('a tool of the prover', () => {
      it('is told whose key paid for its ticket, and of no account where it was paid otherwise', async () => {
        const input = { coordinates: [1, 2] };
        await execute('zk_prove_spatial', input);
        expect(tools.prover.tools.at(-1)).toHaveProperty('accountId', buyer.accountId);
        // With the call, by key.
        const inline = { tool: 'zk_prove_spatial', accountKey: buyer.key, input } as never;
        expect((await tools.bus.call(x402Contract.execute, inline)).status).toBe(200);
        expect(tools.prover.tools.at(-1)).toHaveProperty('accountId', buyer.accountId);
        // What is given back of another payment lies on an account too: it is nobody's who has a key.
        const { l402 } = await payChallenge(tools.bus, 'tool.zk_prove_spatial');
        const paid = { tool: 'zk_prove_spatial', credential: l402, input } as never;
        expect((await tools.bus.call(x402Contract.execute, paid)).status).toBe(200);
        expect(tools.prover.tools.at(-1)).not.toHaveProperty('accountId');
      });

      it('runs once as a saga, and its answer has the outputs of the catalogue and the evidence of them', async () => {
        const proof = {
          ...{ starkRoot: SPATIAL.starkRootCommitment, proofId: 'prf_1', airId: 'spatial-box/v1' },
          ...{ publicInputs: { frame: 'wgs84', commitment: ['0x01'] }, contextDomain: '' },
        };
        tools.prover.evidence = { ...proof, opening: { salt: '0x01' } };
        const runs = tools.prover.tools.length;
        const answer = await execute('zk_prove_spatial', { coordinates: [52.123456789, 13], parcelId: 'p' });
        const {
          sagaId,
          status,
          auditProof,
          starkRoot,
          proofId,
          airId,
          publicInputs,
          contextDomain,
          opening,
          checkpoint: _ifAny,
          ...output
        } = answer as never as {
          sagaId: string;
          status: string;
          auditProof: Record<string, unknown>;
        } & Record<string, unknown>;
        expect(output).toEqual(SPATIAL);
        expect({ status, starkRoot, proofId, airId, publicInputs, contextDomain, opening }).toEqual({
          ...{ status: 'COMPLETED', opening: { salt: '0x01' } },
          ...proof,
        });
        expect(auditProof.proves).toBe('computation');
        expect(auditProof.resultDigest).toBe(digestHex(auditedPart(answer)));
        // What opens the commitment, and where the box was asked about, is told to nobody who is shown the answer.
        const { opening: _secret, ...shown } = answer as Record<string, unknown>;
        expect(auditProof.resultDigest).toBe(digestHex(auditedPart(shown)));
        expect(auditProof.requestDigest).toBe(digestHex({ parcelId: 'p' }));
        expect(tools.prover.tools).toHaveLength(runs + 1);
        expect(tools.prover.tools.at(-1)).toMatchObject({
          tool: 'zk_prove_spatial',
          input: { coordinates: [52.123456789, 13], parcelId: 'p' },
        });
        const log = await eventsOf(answer);
        expect(recordsOf(log)).toEqual(TOOL_RECORDS);
        expect(log.walEvents.at(-1)!.payload).toMatchObject({
          tool: 'zk_prove_spatial',
          starkRoot,
          amountMicroUsd: PRICE,
        });
        expect(JSON.stringify(log.walEvents)).not.toContain('52.123456789');
        expect(sagaId).toMatch(/^[0-9a-f-]{36}$/);
      });

      it('without a proof of its own has the root of its evidence, which the evidence does not speak of', async () => {
        const answer = await execute('generate_goldilocks_stark_proof', {
          publicInputs: ['1'],
          privateWitness: ['7'],
        });
        const { auditProof, ...rest } = answer as never as { auditProof: Record<string, unknown> };
        expect(answer.starkRoot).toBe(auditProof.root);
        const { starkRoot: _root, ...attested } = rest as Record<string, unknown>;
        expect(auditProof).toMatchObject({
          ...{ proves: 'commitment', resultDigest: digestHex(attested) },
          requestDigest: digestHex({ publicInputs: ['1'] }),
        });
        expect(TOOLS.generate_goldilocks_stark_proof.output.parse(answer)).toEqual(COMMITMENT);
      });

      it('names the newest signed checkpoint of all logs, and its evidence speaks of that too', async () => {
        const { sagaId } = await execute('zk_prove_spatial', { coordinates: [1] });
        let sealed: number | undefined;
        for (; sealed === undefined; await delay(100)) {
          const { inclusion } = await tools.bus.call(x402Contract.saga, { sagaId, accountKey: buyer.key });
          sealed = inclusion?.checkpoint.number;
        }
        const answer = await execute('zk_prove_spatial', { coordinates: [1] });
        const { checkpoint, auditProof } = answer as never as Record<string, Record<string, unknown>>;
        expect(checkpoint.number).toBeGreaterThanOrEqual(sealed!);
        expect(auditProof.resultDigest).toBe(digestHex(auditedPart(answer)));
        const { checkpoint: _, ...without } = answer as Record<string, unknown>;
        expect(auditProof.resultDigest).not.toBe(digestHex(auditedPart(without)));
        const licence = { licenseeAgentId: 'agent-1', simulateFault: true };
        expect(await execute('m2m_license_contract', licence)).toHaveProperty('checkpoint.signature');
      });

      it('gets the receipt of the payment, for its answer to repeat', async () => {
        const { l402 } = await payChallenge(tools.bus, 'tool.zk_prove_spatial');
        const paid = await tools.bus.call(x402Contract.verifyPayment, {
          tool: 'zk_prove_spatial',
          credential: l402,
        });
        const input = { coordinates: [1] };
        await tools.bus.call(x402Contract.execute, { ticket: paid.result.ticket, input });
        expect(tools.prover.tools.at(-1)!.receipt).toBe(paid.receipt.headers['Payment-Receipt'] ?? '');
      });

      it('paid by the requests of a plan is in the log and the telemetry without money: they say what was booked', async () => {
        const planned = await tools.buyer(0, 'developer');
        const answer = await planned.execute({ coordinates: [1] }, await planned.ticket('zk_prove_spatial'));
        const { walEvents } = await tools.bus.call(x402Contract.saga, {
          ...{ sagaId: answer.sagaId, accountKey: planned.key },
        });
        for (const { payload } of [walEvents[0], walEvents.at(-1)!])
          expect(payload).toMatchObject({ amountMicroUsd: 0, tool: 'zk_prove_spatial' });
        const { telemetry } = await new TelemetryService(
          tools.database,
          new Waiters(),
          new TreasuryFigures(tools.database),
        ).telemetry();
        expect(Number(telemetry.treasuryClearedUsd)).toBeGreaterThan(0);
        expect(Number(telemetry.treasuryClearedUsd) * 1e6).toBeCloseTo(
          await tools.houseBalance('treasury'),
          3,
        );
      });

      it('that refuses its inputs consumes nothing', async () => {
        tools.prover.before = async verb => {
          if (verb === 'admit') throw problem('UNPROCESSABLE', 'no such box');
        };
        const ticket = await buyer.ticket('zk_prove_spatial');
        expect(await problemOf(buyer.execute({ coordinates: [1] }, ticket))).toMatchObject({
          code: 'UNPROCESSABLE',
        });
        tools.prover.before = async () => undefined;
        expect((await buyer.execute({ coordinates: [1] }, ticket)).status).toBe('COMPLETED');
      });

      it('that refuses for good when it runs is answered with its problem, and the price is the payer’s', async () => {
        tools.prover.before = async verb => {
          if (verb === 'call')
            throw problem('UNPROCESSABLE', 'impossible', { errors: [{ path: 'a', message: 'b' }] });
        };
        const [ticket, before] = [await buyer.ticket('zk_prove_spatial'), await buyer.balance()];
        const failed = await problemOf(buyer.execute({ coordinates: [1] }, ticket));
        expect(failed.payload).toMatchObject({
          code: 'UNPROCESSABLE',
          errors: [{ path: 'a', message: 'b' }],
        });
        const { sagaId } = failed.payload.extensions as { sagaId: string };
        expect(failed.payload.extensions).toMatchObject({ status: 'COMPENSATED', fault: { step: 'run' } });
        expect(await buyer.balance()).toBe(before + PRICE);
        const log = recordsOf(await eventsOf({ sagaId } as Answer));
        // It is revoked too: a copy of the call that is still on its way is refused.
        expect(log.slice(-6)).toEqual([
          ...['STEP_FAIL run', 'COMP_INTENT run', 'COMP_COMMIT run'],
          ...['COMP_INTENT reserve', 'COMP_COMMIT reserve', 'SAGA_ABORTED'],
        ]);
      });

      it('whose evidence cannot be made is taken back, with what it had done', async () => {
        tools.prover.before = async verb => {
          if (verb === 'attest') throw problem('UNPROCESSABLE', 'no rule can compare this');
        };
        const before = await buyer.balance();
        const standing = tools.prover.standing;
        const failed = await problemOf(execute('zk_prove_spatial', { coordinates: [1] }));
        expect(failed.payload.extensions).toMatchObject({ status: 'COMPENSATED', fault: { step: 'prove' } });
        expect([await buyer.balance(), tools.prover.standing]).toEqual([before, standing]);
      });

      it('whose answer its catalogue does not allow is taken back', async () => {
        const { output } = tools.prover;
        tools.prover.output = () => ({ verified: 'yes' });
        const before = await buyer.balance();
        const failed = await problemOf(execute('zk_prove_spatial', { coordinates: [1] }));
        tools.prover.output = output;
        expect(failed).toMatchObject({ status: 503 });
        expect(await buyer.balance()).toBe(before);
      });
    });

    describe('the catalogue', () => {
      it('is sold as a saga, and says what is sold', async () => {
        const before = await buyer.balance();
        const answer = await execute('get_product_catalog', {});
        const { catalog } = TOOLS.get_product_catalog.output.parse(answer);
        expect(catalog.map(({ productId }) => productId)).toContain('tool.m2m_license_contract');
        expect((answer.auditProof as never as { proves: string }).proves).toBe('commitment');
        expect(recordsOf(await eventsOf(answer))).toEqual(TOOL_RECORDS);
        expect(await buyer.balance()).toBe(before - PRICE);
      });

      it('has no link to sell where no card processor is configured: nothing is consumed', async () => {
        const ticket = await buyer.ticket('create_purchase_link');
        expect(await problemOf(buyer.execute({}, ticket))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        const rows: unknown[] = await tools.database.query(
          `SELECT 1 FROM execution_ticket WHERE ticket_hash = sha256($1) AND state = 'unused'`,
          [Buffer.from(ticket)],
        );
        expect(rows).toHaveLength(1);
      });
    });

    describe('a tool that this service runs itself', () => {
      const tool = 'create_purchase_link' as const;
      const key = () => Buffer.from(randomUUID().replaceAll('-', '').repeat(2), 'hex').toString('hex');
      const callOf = (idemKey: string) => ({ tool, input: { tier: 'developer_sdk' }, idemKey, receipt: '' });
      /** Checkouts that count their pages by key, and wait where they are told to. */
      class Pages {
        readonly open = new Set<string>();
        made = 0;
        gate: Promise<void> | undefined;
        async purchaseLink({ idempotencyKey }: { idempotencyKey: string }) {
          await this.gate;
          this.made++;
          this.open.add(idempotencyKey);
          return { checkoutUrl: 'https://x.example/', processorAccount: 'acct', fulfillment: 'later' };
        }
        async withdrawLink(_payer: string, idempotencyKey: string) {
          this.open.delete(idempotencyKey);
        }
        assertInService() {}
        catalog() {
          return { catalog: [] };
        }
      }
      const started = () => {
        const pages = new Pages();
        return { pages, own: new OwnTools(tools.database, pages as never as CheckoutService) };
      };

      it('comes to the same under one key, however often it runs', async () => {
        const { pages, own } = started();
        const idemKey = key();
        const first = await own.call(callOf(idemKey));
        expect(await own.call(callOf(idemKey))).toEqual(first);
        expect(pages.open.size).toBe(1);
      });

      it('is taken back, however often, and does not run after that', async () => {
        const { pages, own } = started();
        const idemKey = key();
        await own.call(callOf(idemKey));
        expect([await own.revoke(idemKey, tool), await own.revoke(idemKey, tool)]).toEqual([
          'done',
          'revoked',
        ]);
        const late = own.call(callOf(idemKey));
        await expect(late).rejects.toThrow(StepFailed);
        await expect(late).rejects.toMatchObject({ code: 'CONFLICT', mayHaveEffect: false });
        expect(pages.open.size).toBe(0);
      });

      it('leaves a tombstone where it never ran, before which a late call is refused', async () => {
        const { pages, own } = started();
        const idemKey = key();
        expect(await own.revoke(idemKey, tool)).toBe('unknown');
        await expect(own.call(callOf(idemKey))).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(pages.made).toBe(0);
      });

      it('that is revoked while it runs takes back what it did when it ends', async () => {
        const { pages, own } = started();
        const idemKey = key();
        let openGate = () => {};
        pages.gate = new Promise(resolve => (openGate = resolve));
        const running = own.call(callOf(idemKey));
        for (let known = 0; known === 0;) {
          const rows: unknown[] = await tools.database.query(
            `SELECT 1 FROM tool_call WHERE idem_key = decode($1, 'hex')`,
            [idemKey],
          );
          known = rows.length;
        }
        expect(await own.revoke(idemKey, tool)).toBe('running');
        openGate();
        await expect(running).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(pages.open.size).toBe(0);
      });

      it('is known for as long as a copy of its call may be on its way, and forgotten after that', async () => {
        const { own } = started();
        const [old, young] = [key(), key()];
        for (const idemKey of [old, young]) await own.revoke(idemKey, tool);
        await tools.database.query(
          `UPDATE tool_call SET begun_at = now() - interval '31 days' WHERE idem_key = decode($1, 'hex')`,
          [old],
        );
        expect(await own.purge()).toBe(1);
        expect([await own.revoke(old, tool), await own.revoke(young, tool)]).toEqual(['unknown', 'revoked']);
      });

      it('forgets nothing of it when another instance is asked', async () => {
        const { own } = started();
        const idemKey = key();
        await own.revoke(idemKey, tool);
        await expect(started().own.call(callOf(idemKey))).rejects.toMatchObject({ code: 'CONFLICT' });
      });
    });

    describe('over the bus', () => {
      const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.payments;
      const key = () => randomUUID().replaceAll('-', '').repeat(2);
      const link = (idemKey: string) => ({
        ...{ tool: 'create_purchase_link' as const, input: {}, idemKey, receipt: '' },
        baseUrl: 'https://gateway.example',
      });

      it('the catalogue is told to whoever has paid for the call elsewhere, and no record is kept of it', async () => {
        const idemKey = key();
        const call = { tool: 'get_product_catalog' as const, input: {}, idemKey, receipt: '' };
        const { output } = await tools.bus.call(callTool, call);
        expect(TOOLS.get_product_catalog.output.parse(output)).toEqual(output);
        expect(await tools.bus.call(toolOutcome, { idemKey })).toEqual({ state: 'unknown' });
      });

      it('a key that was revoked is refused as such, for good', async () => {
        const idemKey = key();
        expect(await tools.bus.call(revokeTool, { idemKey })).toEqual({ was: 'unknown' });
        expect(await tools.bus.call(revokeTool, { idemKey })).toEqual({ was: 'revoked' });
        const { payload } = await problemOf(tools.bus.call(callTool, link(idemKey)));
        expect(payload).toMatchObject({ code: 'CONFLICT', extensions: { state: 'revoked' } });
        expect(await tools.bus.call(toolOutcome, { idemKey })).toEqual({ state: 'revoked' });
        expect(await tools.bus.call(toolProgress, { idemKey, waitMs: 10_000 })).toMatchObject({
          ended: true,
        });
      });

      it('what cannot be done is refused before anything is taken, with the path of a fault', async () => {
        const admit = (input: Record<string, unknown>) =>
          tools.bus.call(admitTool, { tool: 'create_purchase_link', input });
        expect((await problemOf(admit({ tier: 'gold' }))).payload).toMatchObject({
          ...{ code: 'VALIDATION_FAILED', errors: [{ path: 'tier' }] },
        });
        expect(await problemOf(admit({}))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        expect(await problemOf(tools.bus.call(callTool, link(key())))).toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
        });
        const other = { tool: 'zk_prove_spatial' as const, input: { coordinates: [1] } };
        expect(await problemOf(tools.bus.call(admitTool, other))).toMatchObject({
          code: 'NOT_YET_AVAILABLE',
        });
      });

      it('nobody is paid by card where no card processor is configured', async () => {
        const none = { networkId: '', destination: '', destinationName: '' };
        expect(await tools.bus.call(paymentsContract.payee, {})).toEqual(none);
      });
    });
  });
}
