import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { Method, Store } from 'mppx';
import { Mppx as ExpressMppx, stripe } from 'mppx/express';
import { createHash } from 'node:crypto';
import pg from 'pg';
import Stripe from 'stripe';
import { z } from 'zod/mini';
import { settlerOn } from './settler.mjs';

/**
 * What others offer for the same job, each in front of the same answer: mppx's Express middleware (cards, and a
 * Lightning method whose replay store is Postgres), and @x402/express with a facilitator in the same process, in
 * another one, or none at all. It listens on PORT until it is told to stop.
 */
const { PORT, DATABASE_URL, BENCH_STRIPE, BENCH_CHAIN, BENCH_ANSWER } = process.env;
const app = express();
app.disable('x-powered-by');
app.use(express.json());
const answer = JSON.parse(BENCH_ANSWER);
const handler = (_request, response) => response.json(answer);

/** mppx's store over Postgres: what its `tryClaim` asks of one is an insert that only the first caller makes. */
async function postgresStore() {
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, options: '-c search_path=snn' });
  await pool.query(
    'CREATE TABLE IF NOT EXISTS mppx_item (key text PRIMARY KEY, value jsonb NOT NULL, until_ms bigint)',
  );
  const get = async key => {
    const { rows } = await pool.query('SELECT value FROM mppx_item WHERE key = $1', [key]);
    return rows[0]?.value ?? null;
  };
  return Store.from({
    get,
    put: (key, value) =>
      pool.query(
        'INSERT INTO mppx_item VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [key, JSON.stringify(value)],
      ),
    delete: key => pool.query('DELETE FROM mppx_item WHERE key = $1', [key]),
    update: async () => {
      throw new Error('not needed: tryClaim is there');
    },
    tryClaim: async (key, expires) => {
      const { rowCount } = await pool.query(
        `INSERT INTO mppx_item (key, value, until_ms) VALUES ($1, '{}', $2) ON CONFLICT DO NOTHING`,
        [key, expires],
      );
      return rowCount === 1;
    },
  });
}

/** The job of our L402 and lightning rails with mppx's means: a preimage opens the hash, once. */
function lightningMethod(store) {
  const lightning = Method.from({
    name: 'lightning',
    intent: 'charge',
    schema: {
      credential: { payload: z.object({ preimage: z.string(), paymentHash: z.string() }) },
      request: z.object({ amount: z.string(), currency: z.string() }),
    },
  });
  return Method.toServer(lightning, {
    defaults: { amount: '2', currency: 'sat' },
    async verify({ credential }) {
      const { preimage, paymentHash } = credential.payload;
      const digest = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
      // No invoice is made here, so the hash comes with the preimage: to check it costs the same.
      if (digest !== paymentHash) throw new Error('no preimage');
      const key = `lightning:${credential.challenge.id}:${digest}`;
      if (!(await store.tryClaim(key, Date.now() + 86_400_000))) throw new Error('used before');
      return {
        method: 'lightning',
        status: 'success',
        timestamp: new Date().toISOString(),
        reference: digest,
      };
    },
  });
}

const networkId = 'profile_bench';
const methods = [lightningMethod(await postgresStore())];
if (BENCH_STRIPE) {
  const { url, secretKey } = JSON.parse(BENCH_STRIPE);
  const { hostname, port } = new URL(url);
  const client = new Stripe(secretKey, {
    ...{ host: hostname, port, protocol: 'http', apiVersion: '2026-07-29.preview', maxNetworkRetries: 0 },
  });
  methods.push(
    stripe.charge({ client, networkId, paymentMethodTypes: ['card'], currency: 'usd', decimals: 2 }),
  );
}
const mppx = ExpressMppx.create({
  methods,
  secretKey: 'a secret of the benchmark, 32 characters',
  realm: 'bench',
});
app.post('/mppx-lightning', mppx.lightning.charge({}), handler);
if (BENCH_STRIPE) app.post('/mppx-stripe', mppx.stripe.charge({ amount: '0.50' }), handler);

const price = payTo => ({
  accepts: { scheme: 'exact', price: '$0.001', network: 'eip155:84532', payTo, maxTimeoutSeconds: 120 },
  description: 'a call',
  mimeType: 'application/json',
});
const scheme = facilitator =>
  new x402ResourceServer(facilitator).register('eip155:84532', new ExactEvmScheme());

/** A facilitator that says yes: what is left is the middleware. */
const saysYes = {
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }],
    extensions: [],
    signers: {},
  }),
  verify: async payload => ({ isValid: true, payer: payload.payload.authorization.from }),
  settle: async payload => ({
    ...{ success: true, transaction: `0x${'0'.repeat(64)}`, network: 'eip155:84532' },
    payer: payload.payload.authorization.from,
  }),
};
const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
app.use(paymentMiddleware({ 'POST /x402-stub': price(PAY_TO) }, scheme(saysYes)));
app.post('/x402-stub', handler);

if (BENCH_CHAIN) {
  const { rpcUrl, facilitatorKey, payTo, facilitatorUrl } = JSON.parse(BENCH_CHAIN);
  const settler = settlerOn({ rpcUrl, privateKey: facilitatorKey });
  const inProcess = {
    getSupported: async () => settler.getSupported(),
    verify: (payload, requirements) => settler.verify(payload, requirements),
    settle: (payload, requirements) => settler.settle(payload, requirements),
  };
  app.use(paymentMiddleware({ 'POST /x402-chain': price(payTo) }, scheme(inProcess)));
  app.post('/x402-chain', handler);
  const remote = new HTTPFacilitatorClient({ url: facilitatorUrl });
  app.use(paymentMiddleware({ 'POST /x402-remote': price(payTo) }, scheme(remote)));
  app.post('/x402-remote', handler);
}
app.post('/bare', handler);
const server = app.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => server.close(() => process.exit(0)));
