import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exchange } from '../../src/http-exchange.js';
import { lndWallet } from '../../src/wallet/lnd-wallet.js';
import { certificateFetch } from '../../src/node/certificate-fetch.js';

const fixture = (name: string) =>
  readFileSync(new URL(`../../testing/fixtures/${name}`, import.meta.url), 'utf8');
const cert = fixture('lnd.cert.pem');
const server = createServer({ cert, key: fixture('lnd.key.pem') }, async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const result = { status: 'SUCCEEDED', payment_preimage: JSON.parse(body).payment_request, fee_sat: '0' };
  response.end(JSON.stringify({ result }));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('certificateFetch', () => {
  test('reaches a node with a self-signed certificate, for one who has the certificate', async () => {
    const wallet = lndWallet({ url, macaroonHex: '00', network: 'regtest', fetch: certificateFetch(cert) });
    expect(await wallet.pay('lnbcrt1', { paymentHash: '00'.repeat(32) })).toEqual({
      preimage: 'lnbcrt1',
      feeSats: 0,
    });
  });

  test('is needed for that: without the certificate the connection is refused', async () => {
    const wallet = lndWallet({ url, macaroonHex: '00', network: 'regtest' });
    await expect(wallet.pay('lnbcrt1', { paymentHash: '00'.repeat(32) })).rejects.toThrow(
      'self-signed certificate',
    );
  });

  test('keeps to bounds and signals like any fetch', async () => {
    const request = { method: 'POST', url, headers: {}, body: '{"payment_request":"0123456789"}' };
    const call = (more: object) =>
      exchange(certificateFetch(cert), { ...request, timeoutMs: 5_000, responseBytesMax: 1_000, ...more });
    await expect(call({ responseBytesMax: 10 })).rejects.toThrow('longer than 10 bytes');
    await expect(call({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  });
});
