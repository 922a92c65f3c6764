import { randomUUID } from 'node:crypto';

/**
 * Buys a proof from a running product with a published client, unmodified, and prints a line of JSON.
 *
 * Usage: payers.mjs CLIENT GATEWAY WALLET_KEY
 */
const [client, gateway, key] = process.argv.slice(2);
/** The chain of the sandbox, as a client has to be told of it. */
const CHAIN = { id: 84_532, name: 'Base Sepolia' };
const RECEIPTS = ['payment-receipt', 'payment-response', 'svc-receipt'];

const FETCHES = {
  async faremeter() {
    const { wrap } = await import('@faremeter/fetch');
    const { createPaymentHandler } = await import('@faremeter/payment-evm/exact');
    const { createLocalWallet } = await import('@faremeter/wallet-evm');
    return wrap(fetch, { handlers: [createPaymentHandler(await createLocalWallet(CHAIN, key))] });
  },
  async dexter() {
    const { createEvmKeypairWallet, createX402Client } = await import('@dexterai/x402/client');
    const paying = createX402Client({ wallets: { evm: await createEvmKeypairWallet(key) } });
    return (...asked) => paying.fetch(...asked);
  },
};

const pays = await FETCHES[client]();
const answer = await pays(`${gateway}/v1/zk/prove`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ traceData: randomUUID(), degree: 1_024 }),
});
const { proof } = await answer.json();
const receipts = RECEIPTS.filter(name => answer.headers.has(name));
console.log(JSON.stringify({ client, status: answer.status, receipts, proved: typeof proof === 'string' }));
// Their connections would be kept for a while.
process.exit(0);
