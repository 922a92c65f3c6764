import { expect } from '@jest/globals';
import { payInvoice, post } from './paid-call.js';

/**
 * What the README calls, at the size that it has there, but for a certificate by fields, since it comes with no
 * file.
 */
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

const CERTIFICATE = { fields: { NamedInsured_FullName: 'Test Roofing LLC' }, requirementSetId: 'electrical' };

/**
 * What one user does in a minute: reads what there is, pays for what the README pays for, has a proof verified, and asks for
 * whatever is within the quota. A refusal by a limit stops an honest user.
 */
async function useOnce(address: string, user: number): Promise<Record<string, unknown>> {
  const statuses: Record<string, unknown> = {};
  const say = async <T extends { status: number; json: unknown }>(
    what: string,
    call: Promise<T>,
  ): Promise<T> => {
    const answer = await call;
    statuses[what] = answer.status > 402 ? answer.json : answer.status;
    return answer;
  };
  /** Asks for the price of a call, pays it, and asks again. */
  const buy = async (what: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const challenge = await say(`${what} 402`, post(address + path, body, headers));
    const macaroon = /macaroon="([^"]+)"/.exec(challenge.headers.get('www-authenticate')!)![1];
    const preimage = await payInvoice(address, challenge.json.invoice as string);
    const paid = { ...headers, authorization: `L402 ${macaroon}:${preimage}` };
    return (await say(what, post(address + path, body, paid))).json;
  };
  for (const path of [
    '/',
    '/openapi.json',
    '/llms.txt',
    '/docs',
    '/console',
    '/departments',
    '/v1/x402/telemetry',
  ])
    await say(path, fetch(address + path));
  const body = { ...PROOF, traceData: `hello ${user}` };
  const proved = await buy('prove', '/v1/zk/prove', body);
  const { proof, publicInputs, airId, contextDomain, traceLength } = proved;
  const claim = { proof, publicInputs, airId, contextDomain, traceLength };
  for (let turn = 0; turn < 3; turn++)
    await say(`verify ${turn}`, post(`${address}/v1/stark/verify-proof`, claim));
  const licence = { licenseeAgentId: `agent-${user}` };
  const sold = await buy('licence', '/v1/tools/m2m_license_contract', {
    ...licence,
    capability: 'translate',
  });
  expect(sold.status).toBe('COMPLETED');
  for (let turn = 0; turn < 2; turn++) {
    const failing = { ...licence, simulateFault: true };
    const taken = await buy(`fault ${turn}`, '/v1/tools/m2m_license_contract', failing);
    expect(taken.status).toBe('COMPENSATED');
  }
  await say('cards', fetch(`${address}/api/agent/cards?q=palisade%20dunmore`));
  await buy('coi', '/partnerCoiVerify', CERTIFICATE);
  await buy('task', '/departments/proofs', { capability: 'zk.prove', task: body }, { prefer: 'wait=20' });
  const large = { neuronCount: 1_000_000, iterations: 1_000, dryRun: true };
  await say('dry run', post(`${address}/v1/snn/solve`, large));
  await say('graph', post(`${address}/v1/snn/solve-graph`, GRAPH));
  await say('solve', post(`${address}/v1/snn/solve`, { neuronCount: 10_000, iterations: 2_000, seed: user }));
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
  await buy('bullion', '/api/agent/verify-bullion', BULLION);
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
