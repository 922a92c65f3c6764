// Kernels against their plain-JavaScript peers, then whole proofs of hash-chain/v1 (P100, blowup 8), all in one run.
import { availableParallelism, loadavg } from 'node:os';
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
const MEASURED_MS = 400;

/** Times of runs over about 0.4 s, at least three, after one that is not counted; ascending. */
async function time(work) {
  await work();
  const times = [];
  for (let total = 0; total < MEASURED_MS || times.length < 3; total += times.at(-1)) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const round = value => Number(value.toPrecision(3));

/** Nanoseconds an operation, the best and the median of many runs. */
async function row(report, name, operations, work) {
  const times = await time(work);
  const nsOf = ms => round((ms * 1e6) / operations);
  report.row(name, { bestNs: nsOf(times[0]), medianNs: nsOf(times[times.length >> 1]) });
}

async function benchArithmetic(report, { arena, kernels }) {
  const count = 4096;
  const values = Array.from({ length: count }, (_, i) =>
    goldilocks.mul(BigInt(i + 1), 0x9e37_79b9_7f4a_7c15n),
  );
  const [a, b] = [arena.store(values), arena.store(values)];
  report.table('Goldilocks product');
  await row(report, 'BigInt', count, () => values.map(value => goldilocks.mul(value, value)));
  await row(report, 'WASM, one at a time', count, () => values.forEach(value => kernels.glMul(value, value)));
  await row(report, 'WASM, vectors', 20 * count, () => {
    for (let i = 0; i < 20; i++) kernels.vectorMul(a, a, b, count);
  });

  report.table('NTT, ns an element');
  await row(report, 'BigInt radix 2, 2^12', count, () => ntt(goldilocks, values));
  for (const log2Size of [12, 16]) {
    const size = 2 ** log2Size;
    const [at, roots, tree] = [0, 1, 2].map(() => arena.allocate(8 * size));
    arena.elements(at, size).fill(3n);
    kernels.bitReversedRoots(roots, log2Size, 0);
    kernels.twiddleTree(tree, roots, log2Size, 7n);
    await row(report, `WASM radix 4, 2^${log2Size}`, size, () => kernels.ntt(at, at, log2Size, tree));
  }
}

async function benchHashing(report, { arena, kernels }) {
  const key = arena.storeBytes(LEAF_KEY);
  for (const bytes of [64, 1600]) {
    const count = 512;
    const messages = new Uint8Array(count * bytes).map((_, i) => i % 251);
    const input = arena.storeBytes(messages);
    const out = arena.allocate(count * 32);
    report.table(`Keyed BLAKE3 of ${bytes} bytes`);
    await row(report, '@noble/hashes', count, () => blake3Many(LEAF_KEY, messages, bytes));
    await row(report, 'WASM, four at a time', count, () =>
      kernels.blake3Many(out, input, bytes, bytes, count, key, KEYED),
    );
  }
}

/** Proves one size over and over and checks the last proof with both verifiers. */
async function benchProof(report, name, backend, degree) {
  let result;
  const times = await time(async () => {
    result = await proveHashChain({ traceData: TRACE_DATA, degree, friBlowup: 8, backend });
  });
  const { proof, airId, publicInputs, securityBits } = result;
  const claim = { proof, airId, publicInputs: hashChainAir.publicInputsToJson(publicInputs) };
  const verifyTimes = [];
  for (const backend of [await loadWasmVerifierBackend(), undefined]) {
    if (!verify(claim, {}, backend).valid) throw new Error(`${name}: the proof was rejected`);
    verifyTimes.push((await time(() => verify(claim, {}, backend)))[0]);
  }
  report.row(name, {
    proveMs: round(times[0]),
    proveMedianMs: round(times[times.length >> 1]),
    verifyMs: round(verifyTimes[0]),
    verifyReferenceMs: round(verifyTimes[1]),
    proofBytes: proof.length,
    securityBits,
  });
}

async function benchProofs(report) {
  report.table('hash-chain/v1, P100, blowup 8');
  await benchProof(report, '2^9, reference', referenceProverBackend(), 512);
  for (const threads of [1, 2]) {
    const backend = createWasmBackend({ threads });
    try {
      for (const log2Degree of [9, 10, 14, 16]) {
        const name = `2^${log2Degree}, WASM, ${threads} thread${threads > 1 ? 's' : ''}`;
        await benchProof(report, name, backend, 2 ** log2Degree);
      }
    } finally {
      await backend.close();
    }
  }
}

export const packages = ['@noble/hashes', 'assemblyscript'];

/** @param {{ report: { table(title: string): void, row(name: string, metrics: object): void, note(text: string): void } }} run */
export default async function bench({ report }) {
  const executor = new InlineKernelExecutor(await loadKernelModule());
  await benchArithmetic(report, executor);
  await benchHashing(report, executor);
  await benchProofs(report);
  report.note(`Load average over the run: ${loadavg()[0].toFixed(2)} on ${availableParallelism()} cores.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bench({
    report: {
      table: title => console.log(`\n${title}`),
      row: (name, metrics) =>
        console.log(
          `  ${name.padEnd(28)}`,
          Object.entries(metrics)
            .map(([key, value]) => `${key} ${value}`)
            .join('  '),
        ),
      note: text => console.log(`\n${text}`),
    },
  });
}
