import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { x402Contract } from '@svc/contracts';
import { buyTicket, type ExecuteFixture, licence, payment, startExecutions } from './execute-fixture.js';
import { problemOf } from './payments-fixture.js';

let fixture: ExecuteFixture;
beforeAll(async () => {
  fixture = await startExecutions();
}, 60_000);
afterAll(() => fixture?.close());

const execute = (request: Record<string, unknown>) =>
  fixture.bus.call(x402Contract.execute, { input: licence(), ...request } as never);

describe('a ticket', () => {
  it('is bought with a payment, runs its tool once, and its amount is earned', async () => {
    const { bus } = fixture;
    const bought = await buyTicket(bus, { credential: payment() });
    expect(bought).toMatchObject({
      status: 'PAYMENT_CLEARED',
      tool: 'm2m_license_contract',
      amountMicroUsd: 5_000,
    });
    expect(await fixture.ticketRow(bought.ticket)).toMatchObject({ state: 'unused', place: 'ticket' });
    const { status, result } = await execute({ ticket: bought.ticket });
    expect(status).toBe(200);
    expect(result).toMatchObject({ status: 'COMPLETED' });
    expect(await fixture.ticketRow(bought.ticket)).toMatchObject({ state: 'used', place: 'treasury' });
    expect((await problemOf(execute({ ticket: bought.ticket }))).payload).toMatchObject({
      code: 'TICKET_USED',
      extensions: { sagaId: result.sagaId },
    });
    expect(await fixture.net()).toEqual({ 'onchain-clearing': -5_000, treasury: 5_000 });
  });
});
