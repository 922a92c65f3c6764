import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decode } from 'light-bolt11-decoder';
import { createHash } from 'node:crypto';
import { routingFeeMax } from './lightning-backend.js';
import { SandboxLightning } from './sandbox-lightning.js';

const SECRET = 'a secret of the sandbox of at least 32 characters';
const order = { amountSats: 2, description: 'STARK proof of an execution trace', expirySeconds: 600 };
const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
};

it('spends no more on the route of a payment than is paid', () => {
  expect([1, 2, 10, 100, 10_000].map(routingFeeMax)).toEqual([1, 2, 10, 11, 110]);
});

describe('sandbox Lightning node', () => {
  it('makes regtest invoices that an independent decoder reads as ordered', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { invoice, paymentHash, expiresAtMs } = await new SandboxLightning(SECRET).createInvoice(order);
    const { sections } = decode(invoice);
    const value = (name: string) =>
      (sections.find(section => section.name === name) as { value?: unknown }).value;
    expect(invoice).toMatch(/^lnbcrt/);
    expect([value('amount'), value('description'), value('payment_hash'), value('expiry')]).toEqual([
      '2000',
      order.description,
      paymentHash,
      600,
    ]);
    expect(value('timestamp')).toBeGreaterThanOrEqual(before);
    expect(expiresAtMs).toBe(((value('timestamp') as number) + 600) * 1_000);
  });

  it('never gives a payment hash twice', async () => {
    const node = new SandboxLightning(SECRET);
    const issued = await Promise.all(Array.from({ length: 50 }, () => node.createInvoice(order)));
    expect(new Set(issued.map(({ paymentHash }) => paymentHash)).size).toBe(50);
  });

  it('pays its own invoice with the preimage of its hash, also after a restart', async () => {
    const { invoice, paymentHash } = await new SandboxLightning(SECRET).createInvoice(order);
    const paid = new SandboxLightning(SECRET).pay(invoice);
    expect(createHash('sha256').update(Buffer.from(paid.preimage, 'hex')).digest('hex')).toBe(paymentHash);
    expect(paid).toMatchObject({ paymentHash, amountSats: 2 });
  });

  it('pays no invoice of another node', async () => {
    const { invoice } = await new SandboxLightning(`${SECRET}, another`).createInvoice(order);
    expect(codeOf(() => new SandboxLightning(SECRET).pay(invoice))).toBe('UNPROCESSABLE');
  });

  it('pays no invoice whose time has passed', async () => {
    let now = Date.now();
    const node = new SandboxLightning(SECRET, () => now);
    const { invoice, expiresAtMs } = await node.createInvoice(order);
    now = expiresAtMs - 1;
    expect(node.pay(invoice).amountSats).toBe(2);
    now = expiresAtMs;
    expect(codeOf(() => node.pay(invoice))).toBe('EXPIRED');
  });

  it('says settled for the preimage alone', async () => {
    const node = new SandboxLightning(SECRET);
    const { invoice, paymentHash } = await node.createInvoice(order);
    const { preimage } = node.pay(invoice);
    expect(await node.lookup({ paymentHash, preimage })).toBe('settled');
    expect(await node.lookup({ paymentHash, preimage: '00'.repeat(32) })).toBe('open');
  });

  it('meets any text with a typed problem', () => {
    const node = new SandboxLightning(SECRET);
    fc.assert(
      fc.property(fc.string(), text =>
        expect(codeOf(() => node.pay(`lnbcrt${text}`))).toBe('VALIDATION_FAILED'),
      ),
    );
  });
});
