import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PROBLEMS, type ProblemCode } from '@svc/contracts';
import { byTier } from '@svc/platform/testing';
import fc from 'fast-check';
import type { AllRails } from './all-rails-fixture.js';
import { paidL402, post } from './paid-call.js';
import { encodedPayment, freshNonce } from './x402-wallet.js';

/** Whole sets only where they are asked for. */
const RUNS = byTier(25, 1_000);
const SEED = 20_260_402;

let rails: AllRails;

interface Counts {
  readonly claims: string;
  readonly entries: string;
}
async function counts(): Promise<Counts & { proved: number }> {
  const [row] = await rails.database.query<Counts[]>(
    `SELECT (SELECT count(*) FROM payment_claim WHERE settlement <> 'void') AS claims,
            (SELECT count(*) FROM ledger_entry) AS entries`,
  );
  return { ...row, proved: rails.route.script.provedCount };
}

let before: Awaited<ReturnType<typeof counts>>;

const prove = (headers: Record<string, string>) =>
  post(`${rails.route.address}/v1/zk/prove`, { traceData: 'fuzzed', degree: 8 }, headers);

/** A text with a part cut out, doubled, or replaced. */
const mutated = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat({ max: text.length - 1 }),
      fc.nat({ max: 12 }),
      fc.oneof(fc.constant(''), fc.stringMatching(/^[!-~]{1,8}$/)),
    )
    .map(([at, length, put]) => (text.slice(0, at) + put + text.slice(at + length)).trim())
    .filter(changed => changed !== text);

const JUNK = fc.oneof(
  fc.constantFrom(null, true, -1, 1.5, 2 ** 53, '', '0x', 'x'.repeat(300), [], {}, [[]], { a: {} }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** JSON with one member, at any depth, replaced or left out. */
function mutatedJson(value: object): fc.Arbitrary<object> {
  const paths = pathsOf(value);
  return fc.tuple(fc.constantFrom(...paths), fc.option(JUNK, { nil: undefined })).map(([path, put]) => {
    const copy = structuredClone(value) as Record<string, unknown>;
    const parent = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, copy);
    if (put === undefined) delete parent[path.at(-1)!];
    else parent[path.at(-1)!] = put;
    return copy;
  });
}

function pathsOf(value: object, at: string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, member]) => {
    const path = [...at, key];
    return typeof member === 'object' && member !== null ? [path, ...pathsOf(member, path)] : [path];
  });
}

/** Whatever is sent: a refusal whose code and status belong together, no call run, no claim, no entry of the ledger. */
async function refusedAll(headersOf: fc.Arbitrary<Record<string, string>>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(headersOf, async headers => {
      const { status, json } = await prove(headers);
      expect([400, 401, 402, 403]).toContain(status);
      expect(PROBLEMS[json.code as ProblemCode].status).toBe(status);
      for (const value of Object.values(headers)) {
        const secret = value.split(' ').at(-1)!;
        if (secret.length > 16) expect(JSON.stringify(json)).not.toContain(secret);
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(await counts()).toEqual(before);
}

async function challenge() {
  const { status, headers, json } = await post(`${rails.route.address}/v1/zk/prove`, undefined);
  expect(status).toBe(402);
  return { authenticate: headers.get('www-authenticate')!, headers, json };
}

/** Credentials of every rail, changed at random. */
export function describeChangedCredentials(railsOf: () => AllRails): void {
  describe('changed credentials', () => {
    beforeAll(() => {
      rails = railsOf();
    });
    beforeEach(async () => {
      before = await counts();
    });

    it('an L402 token with the preimage of another payment buys nothing, however it is bent', async () => {
      const { authenticate } = await challenge();
      const macaroon = /macaroon="([^"]+)"/.exec(authenticate)![1];
      const preimage = (await paidL402(rails.route.address)).split(':').at(-1)!;
      const text = `${macaroon}:${preimage}`;
      await refusedAll(mutated(text).map(changed => ({ authorization: `L402 ${changed}` })));
    });

    it('an MPP credential whose invoice nobody paid buys nothing, whatever of it is changed', async () => {
      const { authenticate } = await challenge();
      const line = /Payment (id="[^"]+".*?method="lightning".*?)(?:, (?:L402|Payment) |$)/.exec(
        authenticate,
      )![1];
      const echoed = Object.fromEntries([...line.matchAll(/(\w+)="([^"]*)"/g)].map(match => match.slice(1)));
      const preimage = (await paidL402(rails.route.address)).split(':').at(-1)!;
      const credential = { challenge: echoed, payload: { preimage } };
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const changed = fc.oneof(mutatedJson(credential).map(encode), mutated(encode(credential)));
      await refusedAll(changed.map(text => ({ authorization: `Payment ${text}` })));
    });

    it('an account key that was made up opens nothing, in either header', async () => {
      const key = `svc_test_${'k3y0'.repeat(4)}_${'s3cr3t'.repeat(7)}`;
      const headers = mutated(key).chain(changed =>
        fc.constantFrom<Record<string, string>>(
          { 'x-svc-key': changed },
          { authorization: `Bearer ${changed}` },
          { 'x-svc-key': key, authorization: `Bearer ${changed}` },
        ),
      );
      await refusedAll(headers);
    });

    it('a payment token with a challenge that was changed is charged for nothing', async () => {
      const { headers } = await challenge();
      const token = await rails.mintToken();
      const presented = { 'payment-credential': `SPT ${token}` };
      await refusedAll(
        mutated(headers.get('x-402-challenge')!).map(changed => ({
          ...presented,
          'x-402-challenge': changed,
        })),
      );
      // The same token with the challenge as it was pays: nothing else was wrong with it.
      const paid = await prove({ ...presented, 'x-402-challenge': headers.get('x-402-challenge')! });
      expect(paid.status).toBe(200);
    });

    it('an x402 payment that nobody signed moves nothing, in either version, whatever of it is changed', async () => {
      const { headers, json } = await challenge();
      const required = headers.get('payment-required');
      if (required === null) {
        expect(rails.chain).toBeUndefined();
        return;
      }
      const [v2] = (
        JSON.parse(Buffer.from(required, 'base64').toString()) as { accepts: Record<string, unknown>[] }
      ).accepts;
      const [v1] = json.accepts as Record<string, unknown>[];
      const nowSeconds = Math.floor(Date.now() / 1_000);
      const authorization = {
        from: `0x${'11'.repeat(20)}`,
        to: v2.payTo,
        value: v2.amount,
        validAfter: String(nowSeconds - 60),
        validBefore: String(nowSeconds + 110),
        nonce: freshNonce(),
      };
      const payload = { signature: `0x${'22'.repeat(64)}1b`, authorization };
      const second = { x402Version: 2, accepted: v2, payload };
      const first = { x402Version: 1, scheme: v1.scheme, network: v1.network, payload };
      const bent = (header: string, value: object) =>
        fc
          .oneof(fc.constant(value), mutatedJson(value))
          .map(encodedPayment)
          .chain(text => fc.oneof({ weight: 3, arbitrary: fc.constant(text) }, mutated(text)))
          .map(text => ({ [header]: text }));
      await refusedAll(fc.oneof(bent('payment-signature', second), bent('x-payment', first)));
    });

    it('a key with anything changed is nobody’s', async () => {
      // A key as a payment that failed leaves it.
      const authorization = await paidL402(rails.route.address);
      rails.route.script.before = () => Promise.reject(new Error('Scripted'));
      const { json } = await prove({ authorization });
      rails.route.script.before = async () => undefined;
      const key = json.creditKey as string;
      before = await counts();
      await refusedAll(mutated(key).map(changed => ({ 'x-svc-key': changed || 'x' })));
      expect((await prove({ 'x-svc-key': key })).status).toBe(200);
    });

    it('text of any kind in any header that pays is refused, and never a 5xx', async () => {
      const text = fc.string({
        unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)),
        minLength: 1,
        maxLength: 400,
      });
      const header = fc.constantFrom(
        'authorization',
        'payment-authorization',
        'payment-signature',
        'x-payment',
        'payment-credential',
        'x-svc-key',
      );
      const scheme = fc.constantFrom('', 'L402 ', 'LSAT ', 'Payment ', 'SPT ');
      const one = fc
        .tuple(header, scheme, text)
        .map(([name, before_, value]) => ({ [name]: before_ + value }));
      const { headers } = await challenge();
      const withChallenge = { 'x-402-challenge': headers.get('x-402-challenge')! };
      await refusedAll(one.map(sent => ({ ...sent, ...withChallenge })));
    });
  });
}
