import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { settlerOn } from './settler.mjs';

/**
 * A facilitator of others, by the interface of x402: `GET /supported`, `POST /verify`, `POST /settle`. It settles on the chain at
 * BENCH_RPC_URL, from an account of its own. `POST /wait {"ms": 100}` lets each later answer of the two come so much later, as one does
 * that is far away. It listens on PORT until it is told to stop.
 */
const { PORT, BENCH_RPC_URL: rpcUrl } = process.env;
const privateKey = generatePrivateKey();
const settler = settlerOn({ rpcUrl, privateKey });
let waitMs = 0;
const asked = { verify: 0, settle: 0 };

async function giveEther(address, wei) {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'anvil_setBalance',
    params: [address, `0x${wei.toString(16)}`],
  };
  const response = await fetch(rpcUrl, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) },
  });
  const { error } = await response.json();
  if (error) throw new Error(`the chain gave no ether: ${error.message}`);
}

/** What answers each path; the questions are counted. */
const answers = {
  'GET /supported': async () => settler.getSupported(),
  'GET /asked': async () => asked,
  'POST /wait': async ({ ms }) => ({ ms: (waitMs = ms) }),
  'POST /verify': body => ofPayment('verify', body),
  'POST /settle': body => ofPayment('settle', body),
};

async function ofPayment(question, { paymentPayload, paymentRequirements }) {
  asked[question]++;
  const answer = await settler[question](paymentPayload, paymentRequirements);
  if (waitMs > 0) await setTimeout(waitMs);
  return answer;
}

const server = createServer(async (request, response) => {
  const say = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    const answer = answers[`${request.method} ${request.url}`];
    if (!answer) return say(404, { error: 'no such route' });
    say(200, await answer(request.method === 'POST' ? await json(request) : undefined));
  } catch (error) {
    say(500, { error: String(error) });
  }
});
await giveEther(privateKeyToAccount(privateKey).address, 10n ** 20n);
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
