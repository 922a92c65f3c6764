// Kernels against their plain-JavaScript peers, then whole proofs of hash-chain/v1 (P100, blowup 8), all in one run.
import { pathToFileURL } from 'node:url';
import { blake3Many, goldilocks, InlineKernelExecutor, LEAF_KEY, ntt } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import { hashChainAir } from '@svc/stark-air';
import { proveHashChain, referenceProverBackend } from '@svc/stark-prover';
import { createWasmBackend } from '@svc/stark-prover/node';
import { verify } from '@svc/stark-verifier';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';

const TRACE_DATA = '0x68656c6c6f';
const KEYED = 16;

/** Times of `rounds` runs, ascending. */
async function time(rounds, work) {
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const best = async (rounds, work) => (await time(rounds, work))[0];
const round = value => Number(value.toPrecision(3));

/** A kernel and its peer on the same input: nanoseconds an operation, and how many times as fast. */
async function compare(report, name, operations, kernel, peer, peerOperations = operations) {
  const kernelNs = ((await best(20, kernel)) * 1e6) / operations;
  const peerNs = ((await best(5, peer)) * 1e6) / peerOperations;
  report.row(name, { wasmNs: round(kernelNs), peerNs: round(peerNs), speedup: round(peerNs / kernelNs) });
}

async function benchKernels(report) {
  const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
  const count = 4096;
  const values = Array.from({ length: count }, (_, i) =>
    goldilocks.mul(BigInt(i + 1), 0x9e37_79b9_7f4a_7c15n),
  );
  const [a, b] = [arena.store(values), arena.store(values)];
  await compare(
    report,
    'Goldilocks product, against BigInt',
    count * 20,
    () => {
      for (let i = 0; i < 20; i++) kernels.vectorMul(a, a, b, count);
    },
    () => values.map(value => goldilocks.mul(value, value)),
    count,
  );

  const log2Size = Math.log2(count);
  const [roots, tree] = [arena.allocate(8 * count), arena.allocate(8 * count)];
  kernels.bitReversedRoots(roots, log2Size, 0);
  kernels.twiddleTree(tree, roots, log2Size, 7n);
  await compare(
    report,
    'NTT of 2^12, against BigInt radix 2',
    1,
    () => kernels.ntt(b, a, log2Size, tree),
    () => ntt(goldilocks, values),
  );
  await benchLargeNtt(report, arena, kernels);

  const key = arena.storeBytes(LEAF_KEY);
  for (const bytes of [64, 1600]) {
    const messages = new Uint8Array(512 * bytes).map((_, i) => i % 251);
    const input = arena.storeBytes(messages);
    const out = arena.allocate(512 * 32);
    await compare(
      report,
      `BLAKE3 of ${bytes} bytes, against @noble/hashes`,
      512,
      () => kernels.blake3Many(out, input, bytes, bytes, 512, key, KEYED),
      () => blake3Many(LEAF_KEY, messages, bytes),
    );
  }
}

async function benchLargeNtt(report, arena, kernels) {
  const size = 65_536;
  const columns = arena.allocate(8 * 8 * size);
  const [roots, tree] = [arena.allocate(8 * size), arena.allocate(8 * size)];
  kernels.bitReversedRoots(roots, 16, 0);
  kernels.twiddleTree(tree, roots, 16, 7n);
  const ms = await best(10, () => {
    for (let c = 0; c < 8; c++) kernels.ntt(columns + 8 * size * c, columns + 8 * size * c, 16, tree);
  });
  report.row('NTT of 2^16, 8 columns, one thread', { wasmMs: round(ms) });
}

/** Proves `rounds` times on a backend and checks the last proof with both verifiers. */
async function benchProof(report, name, backend, degree, rounds) {
  let result;
  const times = await time(rounds, async () => {
    result = await proveHashChain({ traceData: TRACE_DATA, degree, friBlowup: 8, backend });
  });
  const { proof, airId, publicInputs, securityBits } = result;
  const claim = { proof, airId, publicInputs: hashChainAir.publicInputsToJson(publicInputs) };
  const wasmVerifier = await loadWasmVerifierBackend();
  if (!verify(claim, {}, wasmVerifier).valid) throw new Error(`${name}: the proof was rejected`);
  const verifyMs = await best(10, () => verify(claim, {}, wasmVerifier));
  const verifyReferenceMs = await best(3, () => verify(claim));
  report.row(name, {
    proveMs: round(times[0]),
    proveMedianMs: round(times[times.length >> 1]),
    verifyMs: round(verifyMs),
    verifyReferenceMs: round(verifyReferenceMs),
    proofBytes: proof.length,
    securityBits,
  });
  return times[0];
}

async function benchProofs(report) {
  for (const threads of [1, 2]) {
    const backend = createWasmBackend({ threads });
    try {
      for (const [log2Degree, rounds] of [
        [9, 10],
        [10, 10],
        [14, 5],
        [16, 5],
      ]) {
        const name = `prove 2^${log2Degree}, ${threads} thread${threads > 1 ? 's' : ''}`;
        const ms = await benchProof(report, name, backend, 2 ** log2Degree, rounds);
        if (log2Degree === 9 && threads === 1) {
          const reference = await benchProof(
            report,
            'prove 2^9, reference',
            referenceProverBackend(),
            512,
            1,
          );
          report.row('prove 2^9, reference against one thread', { speedup: round(reference / ms) });
        }
      }
    } finally {
      await backend.close();
    }
  }
}

export default async function bench({ report }) {
  await benchKernels(report);
  await benchProofs(report);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const row = (name, metrics) =>
    console.log(
      name.padEnd(44),
      Object.entries(metrics)
        .map(([key, value]) => `${key} ${value}`)
        .join('  '),
    );
  await bench({ report: { row } });
}
