import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChallengeFields, PaywallServer, paywalled } from '../testing/paywall-server.js';
import { type Client, type ClientOptions, createClient } from '../src/client.js';
import {
  PaymentRefusedError,
  ProblemError,
  SvcError,
  UnexpectedResponseError,
  WalletError,
} from '../src/errors.js';
import type { CallStage } from '../src/paid-call.js';
import type { LightningPayment, Payment } from '../src/payment.js';
import { sandboxWallet } from '../src/wallet/sandbox-wallet.js';

const NEVER_WAIT = { retriesMax: 5, waitMsMax: 2_000, firstDelayMs: 1 };
/** Two waits, and the third of them would be too long. */
const HARDLY_WAIT = { retriesMax: 5, waitMsMax: 16, firstDelayMs: 2 };
const open: PaywallServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function start(...args: Parameters<typeof PaywallServer.start>): Promise<PaywallServer> {
  const server = await PaywallServer.start(...args);
  open.push(server);
  return server;
}

function clientOf(server: PaywallServer, options: Partial<ClientOptions> = {}): Client {
  const baseUrl = server.url;
  return createClient({ baseUrl, wallet: sandboxWallet({ baseUrl }), retry: NEVER_WAIT, ...options });
}

const overLightning = (payment: Payment | undefined) => payment as LightningPayment;

const post = (client: Client, options = {}) =>
  client.request('POST', '/v1/thing', { body: { a: 1 }, ...options });
const failure = async (work: Promise<unknown>): Promise<SvcError> => {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SvcError)) throw error;
  return error;
};

describe('a call that costs money', () => {
  test('is paid once over L402 and sent again with the same body', async () => {
    const server = await start(paywalled({ done: true }));
    const kept: Payment[] = [];
    const answer = await post(clientOf(server), { onPayment: (payment: Payment) => void kept.push(payment) });
    expect(answer.data).toEqual({ done: true });
    expect(answer.payment).toMatchObject({ rail: 'l402', amountSats: 2, feeSats: 0 });
    expect(kept).toEqual([answer.payment]);
    expect(server.paymentCount).toBe(1);
    expect(server.calls.map(call => [call.body, call.headers.authorization])).toEqual([
      ['{"a":1}', undefined],
      ['{"a":1}', overLightning(answer.payment).authorization],
    ]);
  });

  test('is paid over MPP lightning where no L402 is offered', async () => {
    const server = await start(paywalled({ done: true }, { rails: ['mpp'] }));
    const answer = await post(clientOf(server));
    expect(answer.payment?.rail).toBe('mpp-lightning');
    expect(server.paymentCount).toBe(1);
  });

  test('keeps its one payment when the paid answer is lost, and asks again with the same credential', async () => {
    let lost = 0;
    const server = await start((request, response, self) => {
      if (self.paymentHashOf(request) === undefined) return self.demandPayment(response);
      if (++lost <= 2) return void response.socket?.destroy();
      return self.json(response, { done: true });
    });
    const answer = await post(clientOf(server));
    expect(answer.data).toEqual({ done: true });
    expect(server.paymentCount).toBe(1);
    expect(new Set(server.calls.slice(1).map(call => call.headers.authorization)).size).toBe(1);
    expect(server.calls).toHaveLength(4);
  });

  test('waits while its payment is in flight, and never pays for that again', async () => {
    let polls = 0;
    const server = await start((request, response, self) => {
      if (self.paymentHashOf(request) === undefined) return self.demandPayment(response);
      if (++polls > 2) return self.json(response, { done: true });
      response.setHeader('Retry-After', '0');
      return self.problem(response, 409, 'PAYMENT_IN_FLIGHT');
    });
    expect((await post(clientOf(server))).data).toEqual({ done: true });
    expect(server.paymentCount).toBe(1);
  });

  test('meets an endless 402 with one payment and an error that carries it', async () => {
    const server = await start((_, response, self) => self.demandPayment(response));
    const error = await failure(post(clientOf(server)));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error.code).toBe('PAYMENT_REQUIRED');
    expect(overLightning(error.payment).amountSats).toBe(2);
    expect(server.paymentCount).toBe(1);
    expect(server.calls).toHaveLength(2);
  });

  test('uses a payment that an earlier try made instead of a new one', async () => {
    let healthy = false;
    const server = await start((request, response, self) => {
      if (self.paymentHashOf(request) === undefined) return self.demandPayment(response);
      return healthy
        ? self.json(response, { done: true })
        : self.problem(response, 500, 'INTERNAL', { paymentRetained: true });
    });
    const client = clientOf(server);
    const { payment } = await failure(post(client));
    healthy = true;
    expect((await post(client, { payment })).data).toEqual({ done: true });
    expect(server.paymentCount).toBe(1);
  });

  test('stays a problem with the code PAYMENT_REQUIRED where there is no wallet', async () => {
    const server = await start(paywalled({}));
    const error = await failure(post(clientOf(server, { wallet: undefined })));
    expect(error).toBeInstanceOf(ProblemError);
    expect([error.code, (error as ProblemError).status, error.payment]).toEqual([
      'PAYMENT_REQUIRED',
      402,
      undefined,
    ]);
  });

  const minute = 60;
  const now = () => Math.floor(Date.now() / 1_000);
  test.each<[string, Partial<ChallengeFields>, string]>([
    ['an invoice above the stated price', { invoiceSats: 3, priceSats: 2, tokenSats: 2 }, 'PRICE_MISMATCH'],
    ['an invoice below the stated price', { invoiceSats: 1, priceSats: 2, tokenSats: 2 }, 'PRICE_MISMATCH'],
    ['an invoice that differs from the challenge token alone', { tokenSats: 7 }, 'PRICE_MISMATCH'],
    [
      'an invoice with no price to hold it against',
      { priceSats: undefined, tokenSats: undefined, rails: ['l402'] },
      'PRICE_NOT_STATED',
    ],
    ['a price above the limit', { invoiceSats: 501 }, 'PRICE_ABOVE_LIMIT'],
    ['an invoice of another network', { network: 'mainnet' }, 'INVOICE_OF_OTHER_NETWORK'],
    ['an invoice that has expired', { createdAt: now() - 11 * minute }, 'INVOICE_EXPIRED'],
    [
      'an invoice that expires before it could be paid',
      { createdAt: now() - 10 * minute + 3 },
      'INVOICE_EXPIRED',
    ],
    [
      'a macaroon that is bound to another payment',
      { macaroonHash: '77'.repeat(32) },
      'PAYMENT_HASH_MISMATCH',
    ],
    ['a 402 that offers no Lightning payment', { rails: [] }, 'CHALLENGE_UNSUPPORTED'],
  ])('refuses to pay %s', async (_, lies, code) => {
    const server = await start(paywalled({}, lies));
    const error = await failure(post(clientOf(server)));
    expect(error).toBeInstanceOf(PaymentRefusedError);
    expect(error.code).toBe(code);
    expect(server.paymentCount).toBe(0);
    expect(server.calls).toHaveLength(1);
  });

  test('is refused above the limit of this call, with the bound and the price named', async () => {
    const server = await start(paywalled({}));
    const error = (await failure(post(clientOf(server), { maxSats: 1 }))) as PaymentRefusedError;
    expect(error.fault).toEqual({ max: 1, got: 2 });
    expect(overLightning((await post(clientOf(server), { maxSats: 2 })).payment).amountSats).toBe(2);
  });

  test.each([
    ['an unreadable header', 'L402 macaroon="AAA', 'CHALLENGE_MALFORMED'],
    ['an L402 challenge without an invoice', 'L402 macaroon="AgE="', 'CHALLENGE_MALFORMED'],
    ['a macaroon that is none', 'L402 macaroon="QUFB", invoice="lnbcrt1"', 'CHALLENGE_MALFORMED'],
    [
      'an MPP request that is no JSON',
      'Payment method="lightning", intent="charge", request="!"',
      'CHALLENGE_MALFORMED',
    ],
    ['another scheme', 'Basic realm="x"', 'CHALLENGE_UNSUPPORTED'],
  ])('refuses to pay on %s', async (_, header, code) => {
    const server = await start((_request, response, self) => {
      response.setHeader('WWW-Authenticate', header);
      self.problem(response, 402, 'PAYMENT_REQUIRED', { priceSats: 2 });
    });
    const error = await failure(post(clientOf(server)));
    expect([error.name, error.code]).toEqual(['PaymentRefusedError', code]);
    expect(server.paymentCount).toBe(0);
  });

  test('asks a wallet whose answer was lost again about the same invoice, and no other', async () => {
    const server = await start(paywalled({ done: true }));
    const inner = sandboxWallet({ baseUrl: server.url });
    const invoices: string[] = [];
    const wallet = {
      ...inner,
      pay: async (invoice: string, options: Parameters<typeof inner.pay>[1]) => {
        invoices.push(invoice);
        const paid = await inner.pay(invoice, options);
        if (invoices.length === 1) throw new WalletError('the answer was lost', 'unknown');
        return paid;
      },
    };
    expect((await post(clientOf(server, { wallet }))).data).toEqual({ done: true });
    expect(invoices).toHaveLength(2);
    expect(new Set(invoices).size).toBe(1);
    expect(server.paymentCount).toBe(1);
  });

  test('is not paid where the preimage could not be checked', async () => {
    const server = await start(paywalled({}));
    const subtle = Object.getOwnPropertyDescriptor(globalThis, 'crypto') as PropertyDescriptor;
    Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
    const error = await failure(post(clientOf(server)));
    Object.defineProperty(globalThis, 'crypto', subtle);
    expect([error.code, server.paymentCount]).toEqual(['INSECURE_CONTEXT', 0]);
  });

  test('is not sent with a preimage that does not prove the payment', async () => {
    const server = await start(paywalled({}));
    const pay = async () => ({ preimage: '00'.repeat(32), feeSats: 0 });
    const error = await failure(post(clientOf(server, { wallet: { name: 'bad', network: 'regtest', pay } })));
    expect(error).toMatchObject({ code: 'WALLET_FAILED', moneyMoved: 'unknown' });
    expect(server.calls).toHaveLength(1);
  });
});

describe('a call that meets trouble', () => {
  test('is tried again after a 503 that says when, and not after one that does not', async () => {
    let away = 2;
    const healing = await start((_, response, self) => {
      if (away-- <= 0) return self.json(response, { done: true });
      response.setHeader('Retry-After', '0');
      return self.problem(response, 503, 'SERVICE_UNAVAILABLE');
    });
    expect((await post(clientOf(healing))).data).toEqual({ done: true });
    const silent = await start((_, response, self) => self.problem(response, 503, 'OVERLOADED'));
    expect(await failure(post(clientOf(silent)))).toMatchObject({ code: 'OVERLOADED', status: 503 });
    expect(silent.calls).toHaveLength(1);
  });

  test('gives up when the retries are used up, and when the wait asked for is longer than allowed', async () => {
    let seconds = '0';
    const server = await start((_, response, self) => {
      response.setHeader('Retry-After', seconds);
      self.problem(response, 503, 'SERVICE_UNAVAILABLE');
    });
    expect(await failure(post(clientOf(server)))).toMatchObject({ retryAfterSeconds: 0 });
    expect(server.calls).toHaveLength(1 + NEVER_WAIT.retriesMax);
    seconds = '3600';
    expect(await failure(post(clientOf(server)))).toMatchObject({ retryAfterSeconds: 3_600 });
    expect(server.calls).toHaveLength(2 + NEVER_WAIT.retriesMax);
  });

  test('is not repeated on a lost answer before it is paid, since an account key could be charged twice', async () => {
    const server = await start((_, response) => void response.socket?.destroy());
    const error = await failure(post(clientOf(server, { key: 'svc_test_1' })));
    expect(error.code).toBe('UNREACHABLE');
    expect(server.calls.map(call => call.headers['x-svc-key'])).toEqual(['svc_test_1']);
  });

  test('carries the fields of a validation problem', async () => {
    const faults = [{ path: 'friBlowup', message: 'must be one of 2, 4, 8, 16, 32', bound: [2, 4], got: 3 }];
    const server = await start((_, response, self) =>
      self.problem(response, 400, 'VALIDATION_FAILED', { errors: faults }),
    );
    expect(await failure(post(clientOf(server)))).toMatchObject({ errors: faults, traceId: 'a'.repeat(32) });
    expect(server.calls).toHaveLength(1);
  });

  test('stops reading an answer that has no end, and one that announces too much', async () => {
    const endless = await start((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const chunk = Buffer.alloc(1_048_576, ' ');
      const pump = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', pump);
      };
      pump();
    });
    expect(await failure(post(clientOf(endless)))).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    const boasting = await start((_, response) => {
      response.writeHead(200, { 'Content-Length': String(2 ** 40) });
      response.write('{');
    });
    expect(await failure(post(clientOf(boasting)))).toMatchObject({
      message: expect.stringContaining('longer than 8388608 bytes'),
    });
  });

  test('follows no redirect, so that no credential leaves for another address', async () => {
    const elsewhere = await start((_, response, self) => self.json(response, {}));
    const server = await start((_, response) => {
      response.writeHead(307, { Location: `${elsewhere.url}/v1/thing` });
      response.end();
    });
    const error = await failure(post(clientOf(server, { key: 'svc_test_1' })));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(elsewhere.requests).toHaveLength(0);
  });

  test.each([
    ['text', 'text/plain', 'hello'],
    ['broken JSON', 'application/json', '{"a":'],
    ['a JSON array', 'application/json', '[1]'],
  ])('refuses %s where an object is due', async (_, type, body) => {
    const server = await start((_request, response) => {
      response.writeHead(200, { 'Content-Type': type });
      response.end(body);
    });
    expect((await failure(post(clientOf(server)))).code).toBe('UNEXPECTED_RESPONSE');
  });

  test('ends with TIMED_OUT when a server says nothing', async () => {
    const server = await start(() => undefined);
    const client = clientOf(server, { timeoutMs: 50 });
    expect(await failure(post(client))).toMatchObject({ code: 'TIMED_OUT' });
    expect(server.calls).toHaveLength(1);
  });

  test('ends at once with the reason of its AbortSignal, while sending and while waiting', async () => {
    const reason = new Error('enough');
    const sending = new AbortController();
    const silent = await start(() => sending.abort(reason));
    await expect(post(clientOf(silent), { signal: sending.signal })).rejects.toBe(reason);
    // Else it would wait for an hour.
    const busy = await start((_, response, self) => {
      response.setHeader('Retry-After', '3600');
      self.problem(response, 503, 'OVERLOADED');
    });
    const waiting = new AbortController();
    const client = clientOf(busy, { retry: { retriesMax: 1, waitMsMax: 4_000_000, firstDelayMs: 1 } });
    const onStage = ({ stage }: CallStage) => {
      if (stage === 'waiting') setImmediate(() => waiting.abort(reason));
    };
    await expect(post(client, { signal: waiting.signal, onStage })).rejects.toBe(reason);
    expect(busy.calls).toHaveLength(1);
  });

  test('names the address when nobody listens there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise(resolve => server.close(resolve));
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const error = await failure(client.health());
    expect([error.code, error.message]).toEqual([
      'UNREACHABLE',
      expect.stringContaining(`127.0.0.1:${port}`),
    ]);
  });
});

describe('createClient', () => {
  test.each([
    ['ftp://x', {}, 'baseUrl must be an http or https address'],
    ['nonsense', {}, 'baseUrl must be an http or https address'],
    ['http://me:pw@x', {}, 'must not hold a user name'],
    ['http://x', { key: 'a\nb' }, 'key must be'],
    ['http://x', { maxSatsPerCall: -1 }, 'maxSatsPerCall must be a whole number from 0, got -1'],
    ['http://x', { timeoutMs: 0.5 }, 'timeoutMs must be a whole number'],
  ])('refuses %s with %j', (baseUrl, options, message) => {
    expect(() => createClient({ baseUrl, ...options })).toThrow(message);
  });

  test.each(['https://evil.example/x', '//evil.example', 'v1/thing', ''])(
    'sends nothing to the path %j, which could name another host',
    async path => {
      const client = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'svc_test_1' });
      await expect(client.request('GET', path)).rejects.toThrow(TypeError);
    },
  );

  test('keeps the path of its base address and encodes the query', async () => {
    const server = await start((_, response, self) => self.json(response, {}));
    const client = createClient({ baseUrl: `${server.url}/api/?x=1#y` });
    await client.request('get', '/v1/thing', { query: { q: 'a b', none: undefined } });
    expect(server.calls[0]).toMatchObject({ method: 'GET', path: '/api/v1/thing?q=a+b' });
  });
});

describe('a job whose 202 is lost on its way', () => {
  const jobId = `job_${'A'.repeat(22)}`;

  /** Takes the job, and breaks the connection before the 202 has left. */
  async function losing202(more: Record<string, unknown>): Promise<PaywallServer> {
    let taken = 0;
    return start((request, response, self) => {
      if (request.method === 'GET') return self.json(response, { jobId, state: 'running' });
      if (self.paymentHashOf(request) === undefined) return self.demandPayment(response);
      if (++taken === 1) return void response.socket!.destroy();
      self.problem(response, 409, 'PAYMENT_IN_FLIGHT', more);
    });
  }

  test('is found by the 409 that names it, with the payment that it has, and without a wait', async () => {
    const server = await losing202({ jobId });
    const { data, status, payment } = await clientOf(server).startJob('/v1/zk/prove', { traceData: 'x' });
    expect([data.jobId, status, overLightning(payment).amountSats]).toEqual([jobId, 200, 2]);
    expect([server.paymentCount, server.calls.map(({ method }) => method)]).toEqual([
      1,
      ['POST', 'POST', 'POST', 'GET'],
    ]);
  });

  test('is waited for where nobody names it, and by a call that wants the answer', async () => {
    const nameless = await losing202({});
    const lost = await failure(
      clientOf(nameless, { retry: HARDLY_WAIT }).startJob('/v1/zk/prove', { traceData: 'x' }),
    );
    const named = await losing202({ jobId });
    const waited = await failure(clientOf(named, { retry: HARDLY_WAIT }).prove({ traceData: 'x' }));
    for (const error of [lost, waited]) {
      expect([error.code, overLightning(error.payment).amountSats]).toEqual(['PAYMENT_IN_FLIGHT', 2]);
    }
    expect(nameless.calls.length).toBeGreaterThan(3);
    expect(named.calls.length).toBeGreaterThan(3);
  });
});
