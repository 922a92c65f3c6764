import { expect } from '@jest/globals';
import { payInvoice, post } from './paid-call.js';

/** What the README calls, at the size that it has there. */
const PROOF = { traceData: 'hello', degree: 1_024 };
const GRAPH = {
  ...{ problem: 'sssp', nodes: 3, source: 0, target: 2 },
  edges: [
    [0, 1, 2],
    [1, 2, 3],
  ],
};
const MODEL = {
  A: [
    [0.9, 0.1],
    [0.1, 0.9],
  ],
  B: [
    [
      [1, 0],
      [0, 1],
    ],
  ],
  ...{ C: [1, 0], D: [0.5, 0.5], observations: [0], policyLength: 1 },
};
const BULLION = { productId: 'krugerrand', massG: 33.93, peaksHz: [4406, 8652, 10_661, 18_532] };

/**
 * What one user does in a minute: reads what there is, pays for a proof, has it verified, and asks for whatever is within the
 * quota. Whoever is refused by a limit is an honest user whom it stops.
 */
async function useOnce(address: string, user: number): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const say = async <T extends { status: number }>(what: string, call: Promise<T>): Promise<T> => {
    const answer = await call;
    statuses[what] = answer.status;
    return answer;
  };
  for (const path of ['/', '/openapi.json', '/llms.txt', '/docs', '/console', '/v1/x402/telemetry'])
    await say(path, fetch(address + path));
  const body = { ...PROOF, traceData: `hello ${user}` };
  const challenge = await say('402', post(`${address}/v1/zk/prove`, body));
  const macaroon = /macaroon="([^"]+)"/.exec(challenge.headers.get('www-authenticate')!)![1];
  const preimage = await payInvoice(address, challenge.json.invoice as string);
  const paid = { authorization: `L402 ${macaroon}:${preimage}` };
  const { json } = await say('prove', post(`${address}/v1/zk/prove`, body, paid));
  const { proof, publicInputs, airId, contextDomain, traceLength } = json;
  const claim = { proof, publicInputs, airId, contextDomain, traceLength };
  for (let turn = 0; turn < 3; turn++)
    await say(`verify ${turn}`, post(`${address}/v1/stark/verify-proof`, claim));
  await say('graph', post(`${address}/v1/snn/solve-graph`, GRAPH));
  await say('solve', post(`${address}/v1/snn/solve`, { neuronCount: 1_000, iterations: 100, seed: user }));
  await say('inference', post(`${address}/v1/fep/active-inference`, MODEL));
  const sound = await say(
    'modulate',
    fetch(`${address}/v1/acoustic/modulate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'audio/wav' },
      body: JSON.stringify({ payloadHex: '68656c6c6f' }),
    }),
  );
  const recordingBase64 = Buffer.from(await sound.arrayBuffer()).toString('base64');
  await say('demodulate', post(`${address}/v1/acoustic/demodulate`, { recordingBase64 }));
  await say('bullion 402', post(`${address}/api/agent/verify-bullion`, BULLION));
  await say('checkout', post(`${address}/prepay-credits`, { packId: 'pack_10' }));
  return statuses;
}

/** Ten users behind one address, at once, each of whom does what the README does. */
export async function expectHonestUse(address: string): Promise<void> {
  const users = await Promise.all(Array.from({ length: 10 }, (_, user) => useOnce(address, user)));
  for (const statuses of users)
    expect(statuses).toEqual(
      Object.fromEntries(
        Object.keys(statuses).map(what => [what, what.endsWith('402') && !what.startsWith('/') ? 402 : 200]),
      ),
    );
}
