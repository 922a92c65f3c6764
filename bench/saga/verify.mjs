import {
  appendRecords,
  buildCheckpoint,
  CheckpointVerifier,
  idemKey,
  verifyChain,
  walRoot,
} from '@svc/durability';
import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID, sign, verify } from 'node:crypto';

const STEPS = ['reserve', 'contract', 'prove', 'settle'];
const ROUNDS = 5;
const CHECKPOINTS = 20;
const LEAVES = 1_500;

const random = bytes => randomBytes(bytes).toString('hex');

/** The log of a licence that was sold, with payloads of the size that they have there. */
function licenceLog(nowMs) {
  const sagaId = randomUUID();
  const tool = 'm2m_license_contract';
  const money = { amountMicroUsd: 9_990_000, rail: 'l402', tool };
  const ofSaga = (kind, payload) => ({ kind, step: null, attempt: 0, idemKey: null, payload });
  const begin = ofSaga('SAGA_BEGIN', {
    name: tool,
    version: 1,
    steps: STEPS,
    inputDigest: random(32),
    ticketId: randomUUID(),
    claimId: randomUUID(),
    ...money,
  });
  const steps = STEPS.flatMap(step => {
    const key = step === 'prove' ? idemKey(sagaId, step, 'forward') : null;
    const payload = { id: randomUUID(), digest: `0x${random(32)}` };
    return [
      { kind: 'STEP_INTENT', step, attempt: 1, idemKey: key, payload: {} },
      { kind: 'STEP_COMMIT', step, attempt: 1, idemKey: key, payload },
    ];
  });
  const end = ofSaga('SAGA_COMMIT', { starkRoot: `0x${random(32)}`, ...money });
  return appendRecords(undefined, [begin, ...steps, end], { sagaId, fence: 1, nowMs });
}

/**
 * What the library does in a second on one core, in memory: the chain, and checkpoints with their signatures. The best of
 * five rounds: whatever else runs on the machine only slows it down.
 *
 * @param {{ sagas: number }} options
 * @returns {Promise<{ name: string; metrics: Record<string, number> }[]>}
 */
export async function verifyRows({ sagas }) {
  const logs = Array.from({ length: sagas }, (_, i) => licenceLog(1_790_000_000_000 + i));
  const records = logs.length * logs[0].length;
  const chains = await best(() => {
    for (const log of logs) {
      const verdict = verifyChain(log);
      if (!verdict.valid) throw new Error(`record ${verdict.seq}: ${verdict.reason}`);
    }
  });
  const appended = await best(() => {
    for (const log of logs) {
      const [{ sagaId, fence }] = log;
      const again = appendRecords(undefined, log, { sagaId, fence, nowMs: Date.parse(log[0].at) });
      if (again.at(-1).hash !== log.at(-1).hash) throw new Error('appended another chain');
    }
  });
  const sealed = await checkpoints(logs.slice(0, LEAVES));
  const seals = await best(async () => {
    const verifier = new CheckpointVerifier(sealed.keys);
    for (const checkpoint of sealed.list) {
      const [finding] = await verifier.next(checkpoint);
      if (finding) throw new Error(finding.reason);
    }
  });
  return [
    { name: 'verify chains', metrics: { 'records/s': Math.round(records / chains) } },
    { name: 'append records', metrics: { 'records/s': Math.round(records / appended) } },
    {
      name: `verify checkpoints of ${sealed.list[0].leaves.length} heads`,
      metrics: { 'heads/s': Math.round((sealed.list.length * sealed.list[0].leaves.length) / seals) },
    },
  ];
}

async function checkpoints(logs) {
  const heads = logs.map(log => ({ sagaId: log[0].sagaId, count: log.length, head: log.at(-1).hash }));
  const pair = generateKeyPairSync('ed25519');
  const signer = { keyId: 'bench', sign: message => sign(null, message, pair.privateKey) };
  const list = [];
  for (let i = 0; i < CHECKPOINTS; i++) {
    const previous = list.at(-1)?.checkpoint;
    list.push(await buildCheckpoint(previous, heads, { ...signer, nowMs: 1_790_000_000_000 + 3_000 * i }));
  }
  if (walRoot(list[0].leaves) !== list[0].checkpoint.root) throw new Error('the root differs');
  const publicKey = String(pair.publicKey.export({ format: 'jwk' }).x);
  const times = { notBefore: '2020-01-01T00:00:00Z', notAfter: null, revokedAt: null };
  const byNode = (raw, message, signature) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw).toString('base64url') };
    return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  };
  return { list, keys: { keys: [{ kid: 'bench', alg: 'Ed25519', publicKey, ...times }], verify: byNode } };
}

/** Seconds of the quickest round. */
async function best(work) {
  let seconds = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await work();
    seconds = Math.min(seconds, (performance.now() - startedAt) / 1_000);
  }
  return seconds;
}
