import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PaymentCredential, x402Contract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { STREAM_STEP_MAX } from '../src/m2m/m2m-contracts.js';
import { payChallenge } from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';
import { type Answer, type Buyer, startTools, type ToolFixture } from './tool-fixture.js';

let tools: ToolFixture;
let buyer: Buyer;

const licence = (more: Record<string, unknown> = {}) => ({ licenseeAgentId: 'agent-7', ...more });
/** Tickets that are bought at once: each for another purpose, since of one request they would be one purchase. */
const ticketsAtOnce = (count: number) =>
  Promise.all(
    [...Array(count).keys()].map(index => buyer.ticket('m2m_license_contract', { capability: `c${index}` })),
  );
const contractName = () => `contract-${randomUUID()}`;
/** A ticket that a payment without a key buys. */
const paidTicket = async (credential: PaymentCredential) =>
  (await tools.bus.call(x402Contract.verifyPayment, { tool: 'm2m_license_contract', credential })).result
    .ticket;
const ofWallet = (wallet: string) => paidTicket(scripted({ nonce: randomUUID(), payer: `x402:${wallet}` }));
const overLightning = async () =>
  paidTicket((await payChallenge(tools.bus, 'tool.m2m_license_contract')).l402);
const placeOf = ({ contract }: Answer) => (contract as { streamIndex: number }).streamIndex;

/** Which place a licence takes in the stream of its contract, and who may take it. */
export function describeM2mContracts(): void {
  describe('m2m contracts', () => {
    beforeAll(async () => {
      tools = await startTools({ moreRails: [new ScriptedRail()] });
      buyer = await tools.buyer(1_000_000);
    });
    afterAll(async () => {
      try {
        expect(await tools.findings()).toEqual([]);
        expect(await tools.houseBalance('holds:saga')).toBe(0);
      } finally {
        await tools.close();
      }
    });

    describe('the stream of a contract', () => {
      it('goes on where nothing is named, and takes any higher place', async () => {
        const contractId = contractName();
        const indexOf = async (more: Record<string, unknown> = {}) => {
          const answer = await buyer.execute(licence({ contractId, ...more }));
          return (answer.contract as { streamIndex: number }).streamIndex;
        };
        expect([
          await indexOf(),
          await indexOf(),
          await indexOf({ streamIndex: 40 }),
          await indexOf(),
        ]).toEqual([0, 1, 40, 41]);
      });

      it.each([
        ['lower', 4],
        ['equal', 5],
        ['zero', 0],
      ])('refuses a place that is %s, naming the last, and consumes nothing', async (_name, streamIndex) => {
        const contractId = contractName();
        await buyer.execute(licence({ contractId, streamIndex: 5 }));
        const [ticket, before] = [await buyer.ticket(), await buyer.balance()];
        const refused = await problemOf(buyer.execute(licence({ contractId, streamIndex }), ticket));
        expect(refused).toMatchObject({ code: 'STREAM_INDEX_STALE', status: 409 });
        expect(refused.payload.extensions).toMatchObject({ contractId, lastStreamIndex: 5 });
        expect(await buyer.balance()).toBe(before);
        expect((await buyer.execute(licence({ contractId, streamIndex: 6 }), ticket)).status).toBe(
          'COMPLETED',
        );
      });

      it.each([-1, 1.5, 2 ** 53, 1e300, '7', null])(
        'refuses the place %p as no place at all, and consumes nothing',
        async streamIndex => {
          const ticket = await buyer.ticket();
          expect(await problemOf(buyer.execute(licence({ streamIndex }), ticket))).toMatchObject({
            status: 400,
          });
          expect((await buyer.execute(licence(), ticket)).status).toBe('COMPLETED');
        },
      );

      it('that is at its end refuses the next, whether it is named or not', async () => {
        const contractId = contractName();
        const most = Number.MAX_SAFE_INTEGER;
        const { sagaId } = await buyer.execute(licence({ contractId }));
        await tools.database.query(`UPDATE m2m_contract_entry SET stream_index = $2 WHERE saga_id = $1`, [
          sagaId,
          most,
        ]);
        for (const more of [{}, { streamIndex: most }]) {
          const refused = await problemOf(buyer.execute(licence({ contractId, ...more })));
          expect(refused.code).toBe('STREAM_INDEX_STALE');
        }
      });

      it('is one licensee’s alone', async () => {
        const contractId = contractName();
        await buyer.execute(licence({ contractId }));
        const other = await tools.buyer();
        const ticket = await other.ticket();
        const foreign = { licenseeAgentId: 'agent-8', contractId };
        expect(await problemOf(other.execute(foreign, ticket))).toMatchObject({
          code: 'FORBIDDEN',
          status: 403,
        });
        expect((await other.execute({ licenseeAgentId: 'agent-8' }, ticket)).status).toBe('COMPLETED');
      });

      it.each([
        ['begins', undefined, STREAM_STEP_MAX],
        ['goes on', 5, STREAM_STEP_MAX + 5],
      ])(
        '%s no further on than a slip may close it, and a refusal consumes nothing',
        async (_, last, most) => {
          const contractId = contractName();
          if (last !== undefined) await buyer.execute(licence({ contractId, streamIndex: last }));
          const [ticket, before] = [await buyer.ticket(), await buyer.balance()];
          for (const streamIndex of [most + 1, Number.MAX_SAFE_INTEGER]) {
            const refused = await problemOf(buyer.execute(licence({ contractId, streamIndex }), ticket));
            expect(refused).toMatchObject({ code: 'UNPROCESSABLE', status: 422 });
            expect(refused.payload.errors).toEqual([
              { path: 'streamIndex', message: `must be at most ${most}`, bound: most, got: streamIndex },
            ]);
          }
          expect(await buyer.balance()).toBe(before);
          expect(placeOf(await buyer.execute(licence({ contractId, streamIndex: most }), ticket))).toBe(most);
          expect(placeOf(await buyer.execute(licence({ contractId })))).toBe(most + 1);
        },
      );

      it('gives one place to one of many that want it at once, and the others lose nothing', async () => {
        const contractId = contractName();
        const tickets = await ticketsAtOnce(8);
        const before = await buyer.balance();
        const input = licence({ contractId, streamIndex: 3 });
        const outcomes = await Promise.allSettled(tickets.map(ticket => buyer.execute(input, ticket)));
        const codes = outcomes.map(outcome =>
          outcome.status === 'fulfilled' ? outcome.value.status : (outcome.reason as { code: string }).code,
        );
        expect(codes.sort()).toEqual(['COMPLETED', ...Array<string>(7).fill('STREAM_INDEX_STALE')]);
        const rows: unknown[] = await tools.database.query(
          `SELECT 1 FROM m2m_contract_entry WHERE contract_id = $1`,
          [contractId],
        );
        expect(rows).toHaveLength(1);
        expect(await buyer.balance()).toBe(before);
        const left = tickets.filter((_, index) => outcomes[index].status === 'rejected');
        for (const [index, ticket] of left.entries())
          expect((await buyer.execute(licence({ contractId, streamIndex: 4 + index }), ticket)).status).toBe(
            'COMPLETED',
          );
      });

      it('gives everybody a place who names none, each another', async () => {
        const contractId = contractName();
        const tickets = await ticketsAtOnce(6);
        const answers = await Promise.all(
          tickets.map(ticket => buyer.execute(licence({ contractId }), ticket)),
        );
        const places = answers.map(({ contract }) => (contract as { streamIndex: number }).streamIndex);
        expect(places.sort()).toEqual([0, 1, 2, 3, 4, 5]);
      });
    });

    describe('the payer of a contract', () => {
      const refusedTo = async (contractId: string, ticket: string) => {
        const refused = await problemOf(buyer.execute(licence({ contractId }), ticket));
        expect(refused).toMatchObject({ code: 'FORBIDDEN', status: 403 });
      };

      it('is the account that opened it: others who name its licensee get no place, and lose nothing', async () => {
        const contractId = contractName();
        await buyer.execute(licence({ contractId }));
        const other = await tools.buyer();
        const ticket = await other.ticket();
        for (const streamIndex of [undefined, 1, STREAM_STEP_MAX, Number.MAX_SAFE_INTEGER]) {
          const input = licence({ contractId, ...(streamIndex === undefined ? {} : { streamIndex }) });
          expect(await problemOf(other.execute(input, ticket))).toMatchObject({ code: 'FORBIDDEN' });
        }
        await refusedTo(contractId, await ofWallet('0xother'));
        await refusedTo(contractId, await overLightning());
        expect(placeOf(await buyer.execute(licence({ contractId })))).toBe(1);
        expect((await other.execute(licence(), ticket)).status).toBe('COMPLETED');
      });

      it('is the wallet that opened it', async () => {
        const contractId = contractName();
        const pay = async (ticket: string) => placeOf(await buyer.execute(licence({ contractId }), ticket));
        expect(await pay(await ofWallet('0xfirst'))).toBe(0);
        expect(await pay(await ofWallet('0xfirst'))).toBe(1);
        await refusedTo(contractId, await ofWallet('0xsecond'));
        await refusedTo(contractId, await buyer.ticket());
        await refusedTo(contractId, await overLightning());
        expect(await pay(await ofWallet('0xfirst'))).toBe(2);
      });

      it('is not known of a Lightning payment: the contract has its licensee alone', async () => {
        const contractId = contractName();
        for (const [place, ticket] of [
          await overLightning(),
          await overLightning(),
          await buyer.ticket(),
          await ofWallet('0xlater'),
          await (await tools.buyer()).ticket(),
        ].entries())
          expect(placeOf(await buyer.execute(licence({ contractId }), ticket))).toBe(place);
        const foreign = buyer.execute({ licenseeAgentId: 'agent-8', contractId }, await overLightning());
        expect(await problemOf(foreign)).toMatchObject({ code: 'FORBIDDEN' });
      });

      it('is not known of a contract of before: it has its licensee alone, as it had', async () => {
        const contractId = contractName();
        await buyer.execute(licence({ contractId }));
        await tools.database.query(`UPDATE m2m_contract SET payer = NULL WHERE contract_id = $1`, [
          contractId,
        ]);
        const other = await tools.buyer();
        expect(placeOf(await other.execute(licence({ contractId })))).toBe(1);
        expect(placeOf(await buyer.execute(licence({ contractId })))).toBe(2);
      });

      it('is the first whose sale stands, of the same licensee too', async () => {
        const contractId = contractName();
        const undone = await buyer.execute(licence({ contractId, simulateFault: true }));
        expect(undone.status).toBe('COMPENSATED');
        const other = await tools.buyer();
        expect(placeOf(await other.execute(licence({ contractId })))).toBe(0);
        await refusedTo(contractId, await buyer.ticket());
        expect(placeOf(await other.execute(licence({ contractId })))).toBe(1);
      });

      it('is one of many who open it at once', async () => {
        const contractId = contractName();
        const buyers = await Promise.all([...Array(6).keys()].map(() => tools.buyer()));
        const outcomes = await Promise.allSettled(buyers.map(each => each.execute(licence({ contractId }))));
        const codes = outcomes.map(outcome =>
          outcome.status === 'fulfilled' ? outcome.value.status : (outcome.reason as { code: string }).code,
        );
        expect([...codes].sort()).toEqual(['COMPLETED', ...Array<string>(5).fill('FORBIDDEN')]);
        const first = buyers[codes.indexOf('COMPLETED')];
        expect(placeOf(await first.execute(licence({ contractId })))).toBe(1);
      });
    });
  });
}
