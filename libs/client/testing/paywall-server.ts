import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import bolt11 from 'bolt11';

/** The reference implementation of macaroons, which ships no types. */
const { newMacaroon } = createRequire(import.meta.url)('macaroon') as {
  newMacaroon(parts: {
    version: 1 | 2;
    rootKey: Uint8Array;
    identifier: Uint8Array | string;
    location: string;
  }): {
    addFirstPartyCaveat(caveat: string): void;
    exportBinary(): Uint8Array;
  };
};
export { newMacaroon };

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Respond = (
  request: SeenRequest,
  response: ServerResponse,
  server: PaywallServer,
) => void | Promise<void>;

const REGTEST = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] };
const MAINNET = { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, validWitnessVersions: [0, 1] };
const NODE_KEY = '11'.repeat(32);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What a challenge says, so that a test can make any part of it lie. */
export interface ChallengeFields {
  readonly invoiceSats: number;
  readonly priceSats: number | undefined;
  readonly tokenSats: number | undefined;
  readonly network: 'regtest' | 'mainnet';
  readonly createdAt: number;
  readonly macaroonHash: string | undefined;
  readonly rails: ReadonlyArray<'l402' | 'mpp'>;
}

/** A gateway of our protocol over real HTTP, whose every answer a test decides. */
export class PaywallServer {
  readonly requests: SeenRequest[] = [];
  /** Times that each invoice was really paid, by payment hash. */
  readonly moneyMoved = new Map<string, number>();
  private readonly preimages = new Map<string, string>();
  private readonly server = createServer((request, response) => void this.handle(request, response));

  private constructor(private readonly respond: Respond) {}

  static async start(respond: Respond): Promise<PaywallServer> {
    const paywall = new PaywallServer(respond);
    await new Promise<void>(resolve => paywall.server.listen(0, '127.0.0.1', resolve));
    return paywall;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests to the API itself, payments apart. */
  get calls(): SeenRequest[] {
    return this.requests.filter(request => request.path !== '/dev/lightning/pay');
  }

  get paymentCount(): number {
    return [...this.moneyMoved.values()].reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  makeInvoice(
    sats: number,
    network: 'regtest' | 'mainnet' = 'regtest',
    createdAt = Math.floor(Date.now() / 1_000),
  ) {
    const preimage = randomBytes(32);
    const paymentHash = sha256(preimage);
    const unsigned = bolt11.encode({
      network: network === 'regtest' ? REGTEST : MAINNET,
      satoshis: sats,
      timestamp: createdAt,
      tags: [
        { tagName: 'payment_hash', data: paymentHash },
        { tagName: 'payment_secret', data: '22'.repeat(32) },
        { tagName: 'description', data: 'one call' },
        { tagName: 'expire_time', data: 600 },
      ],
    });
    this.preimages.set(paymentHash, preimage.toString('hex'));
    return { invoice: bolt11.sign(unsigned, NODE_KEY).paymentRequest as string, paymentHash };
  }

  /** Answers 402 with a challenge that is right but for `lies`. */
  demandPayment(response: ServerResponse, lies: Partial<ChallengeFields> = {}): void {
    const sats = lies.invoiceSats ?? 2;
    const { invoice, paymentHash } = this.makeInvoice(sats, lies.network, lies.createdAt);
    const stated = { priceSats: sats, tokenSats: sats, ...lies };
    const identifier = Buffer.concat([
      Buffer.alloc(2),
      Buffer.from(lies.macaroonHash ?? paymentHash, 'hex'),
      randomBytes(32),
    ]);
    const macaroon = Buffer.from(
      newMacaroon({ version: 2, rootKey: randomBytes(32), identifier, location: 'svc' }).exportBinary(),
    ).toString('base64');
    const request = {
      amount: String(sats),
      currency: 'sat',
      methodDetails: { invoice, paymentHash, network: 'regtest' },
    };
    const challenges = {
      l402: `L402 version="0", token="${macaroon}", macaroon="${macaroon}", invoice="${invoice}"`,
      mpp: `Payment id="abc", realm="svc", method="lightning", intent="charge", request="${base64url(request)}"`,
    };
    response.setHeader(
      'WWW-Authenticate',
      (lies.rails ?? ['l402', 'mpp']).map(rail => challenges[rail]),
    );
    const token = {
      jti: 'x',
      ...(stated.tokenSats === undefined ? {} : { sats: stated.tokenSats, paymentHash }),
    };
    response.setHeader('X-402-Challenge', `v1.${base64url(token)}.${base64url('mac')}`);
    this.problem(response, 402, 'PAYMENT_REQUIRED', {
      ...(stated.priceSats === undefined ? {} : { priceSats: stated.priceSats }),
    });
  }

  problem(response: ServerResponse, status: number, code: string, more: Record<string, unknown> = {}): void {
    response.writeHead(status, { 'Content-Type': 'application/problem+json' });
    const base = {
      type: 'about:blank',
      title: code,
      status,
      code,
      detail: `test ${code}`,
      traceId: 'a'.repeat(32),
    };
    response.end(JSON.stringify({ ...base, ...more }));
  }

  json(response: ServerResponse, value: unknown): void {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  }

  /** The payment hash that an Authorization header proves, or undefined. */
  paymentHashOf(request: SeenRequest): string | undefined {
    const [scheme, value = ''] = (request.headers.authorization ?? '').split(' ');
    const preimage =
      scheme === 'L402'
        ? value.split(':')[1]
        : scheme === 'Payment'
          ? JSON.parse(Buffer.from(value, 'base64url').toString()).payload.preimage
          : undefined;
    if (preimage === undefined) return undefined;
    const hash = sha256(Buffer.from(preimage, 'hex'));
    return this.moneyMoved.has(hash) ? hash : undefined;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    this.requests.push(seen);
    if (seen.path === '/dev/lightning/pay') return this.pay(seen, response);
    await this.respond(seen, response, this);
  }

  private pay(seen: SeenRequest, response: ServerResponse): void {
    const invoice = bolt11.decode(JSON.parse(seen.body).invoice, REGTEST);
    const hash = invoice.tags.find(tag => tag.tagName === 'payment_hash')?.data as string;
    this.moneyMoved.set(hash, 1);
    this.json(response, { preimage: this.preimages.get(hash), paymentHash: hash });
  }
}

/** Answers 402 until a payment proves itself, then `result`. */
export function paywalled(result: unknown, lies?: Partial<ChallengeFields>): Respond {
  return (request, response, server) =>
    server.paymentHashOf(request) === undefined
      ? server.demandPayment(response, lies)
      : server.json(response, result);
}
