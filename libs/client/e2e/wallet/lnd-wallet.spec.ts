import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lndWallet, type LndWalletOptions } from '../../src/wallet/lnd-wallet.js';

interface Seen {
  method: string;
  url: string;
  macaroon: unknown;
  body: string;
}

const HASH = 'fb'.repeat(32);
const PREIMAGE = '07'.repeat(32);
const succeeded = { payment_hash: HASH, payment_preimage: PREIMAGE, fee_sat: '1', status: 'SUCCEEDED' };
const failed = { payment_hash: HASH, status: 'FAILED', failure_reason: 'FAILURE_REASON_NO_ROUTE' };
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach(server => server.close().closeAllConnections()));

/** Answers as LND's REST proxy does: one JSON object a line, errors with their own status. */
async function lndNode(answer: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, macaroon: headers['grpc-metadata-macaroon'], body });
    answer(seen[seen.length - 1], response);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise(resolve => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options: LndWalletOptions = { url, macaroonHex: '0201', network: 'mainnet', feeSatsMax: 3 };
  return { seen, wallet: lndWallet(options) };
}

const lines = (response: ServerResponse, ...updates: unknown[]) =>
  response.end(updates.map(update => `${JSON.stringify(update)}\n`).join(''));

describe('lndWallet', () => {
  test('pays with a fee limit and its macaroon, and takes the last update of the stream', async () => {
    const { seen, wallet } = await lndNode((_, response) =>
      lines(response, { result: { status: 'IN_FLIGHT' } }, { result: succeeded }),
    );
    await expect(wallet.pay('lnbc1', { paymentHash: HASH })).resolves.toEqual({
      preimage: PREIMAGE,
      feeSats: 1,
    });
    expect(seen).toEqual([
      expect.objectContaining({ method: 'POST', url: '/v2/router/send', macaroon: '0201' }),
    ]);
    expect(JSON.parse(seen[0].body)).toEqual({
      payment_request: 'lnbc1',
      timeout_seconds: 30,
      fee_limit_sat: '3',
      no_inflight_updates: true,
    });
  });

  test.each(['invoice is already paid', 'payment is in transition', 'AlreadyExists: payment is in flight'])(
    'follows a payment that the node knows already (%s) instead of failing',
    async message => {
      const { seen, wallet } = await lndNode((request, response) =>
        request.method === 'POST'
          ? lines(response.writeHead(409), { error: { code: 6, message } })
          : lines(response, { result: succeeded }),
      );
      expect((await wallet.pay('lnbc1', { paymentHash: HASH })).preimage).toBe(PREIMAGE);
      const hash = Buffer.from(HASH, 'hex').toString('base64url');
      expect(seen[1].url).toBe(`/v2/router/track/${hash}?no_inflight_updates=true`);
    },
  );

  test.each([
    ['a payment that failed', [{ result: failed }], false, 'FAILURE_REASON_NO_ROUTE'],
    [
      'a refused macaroon',
      [{ code: 16, message: 'verification failed: signature mismatch' }],
      false,
      'mismatch',
    ],
    ['a stream that ends in flight', [{ result: { status: 'IN_FLIGHT' } }], 'unknown', 'IN_FLIGHT'],
  ])('reports %s, and whether money can have moved', async (_, updates, moneyMoved, message) => {
    const { wallet } = await lndNode((_seen, response) => lines(response, ...updates));
    await expect(wallet.pay('lnbc1', { paymentHash: HASH })).rejects.toMatchObject({
      name: 'WalletError',
      moneyMoved,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['breaks off', (response: ServerResponse) => void response.socket?.destroy()],
    ['sends no JSON', (response: ServerResponse) => void response.writeHead(502).end('<html>')],
  ])('does not claim that no money moved when the node %s', async (_, answer) => {
    const { wallet } = await lndNode((_seen, response) => answer(response));
    await expect(wallet.pay('lnbc1', { paymentHash: HASH })).rejects.toMatchObject({ moneyMoved: 'unknown' });
  });
});
