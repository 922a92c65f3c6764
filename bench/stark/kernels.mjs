// Field, NTT and hash kernels against their plain-JavaScript peers.
import {
  blake3Many,
  circleFft,
  circleGenerator,
  goldilocks,
  InlineKernelExecutor,
  LEAF_KEY,
  m31,
  ntt,
} from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';

const KEYED = 16;

/** Times of runs over about so many milliseconds, at least three, after one that is not counted; ascending. */
async function time(work, milliseconds) {
  await work();
  const times = [];
  for (let total = 0; total < milliseconds || times.length < 3; total += times.at(-1)) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

/** Three significant digits. */
const round = value => Number(value.toPrecision(3));

/** Nanoseconds an operation, the best and the median of many runs. */
async function row({ report, milliseconds }, name, operations, work) {
  const times = await time(work, milliseconds);
  const nsOf = ms => round((ms * 1e6) / operations);
  report.row(name, { bestNs: nsOf(times[0]), medianNs: nsOf(times[times.length >> 1]) });
}

/** Tables of products, NTTs and hashes. */
export async function benchKernels(report, { milliseconds }) {
  const bench = { report, milliseconds };
  const executor = new InlineKernelExecutor(await loadKernelModule());
  await benchArithmetic(bench, executor);
  await benchCircle(bench, executor);
  await benchHashing(bench, executor);
}

async function benchArithmetic(bench, { arena, kernels }) {
  const count = 4096;
  const values = Array.from({ length: count }, (_, i) =>
    goldilocks.mul(BigInt(i + 1), 0x9e37_79b9_7f4a_7c15n),
  );
  const [a, b] = [arena.store(values), arena.store(values)];
  bench.report.table('Goldilocks product');
  await row(bench, 'BigInt', count, () => values.map(value => goldilocks.mul(value, value)));
  await row(bench, 'WASM, one at a time', count, () => values.forEach(value => kernels.glMul(value, value)));
  await row(bench, 'WASM, vectors', 20 * count, () => {
    for (let i = 0; i < 20; i++) kernels.vectorMul(a, a, b, count);
  });

  bench.report.table('NTT, ns an element');
  await row(bench, 'BigInt radix 2, 2^12', count, () => ntt(goldilocks, values));
  for (const log2Size of [12, 16]) {
    const size = 2 ** log2Size;
    const [at, roots, tree] = [0, 1, 2].map(() => arena.allocate(8 * size));
    arena.elements(at, size).fill(3n);
    kernels.bitReversedRoots(roots, log2Size, 0);
    kernels.twiddleTree(tree, roots, log2Size, 7n);
    await row(bench, `WASM radix 4, 2^${log2Size}`, size, () => kernels.ntt(at, at, log2Size, tree));
  }
}

async function benchCircle(bench, { arena, kernels }) {
  const count = 4096;
  const values = Array.from({ length: count }, (_, i) => m31.mul(BigInt(i + 1), 1_640_531_527n));
  const at = arena.storeWords(values.map(Number));
  bench.report.table('M31 product');
  await row(bench, 'BigInt', count, () => values.map(value => m31.mul(value, value)));
  await row(bench, 'WASM, vectors', 20 * count, () => {
    for (let i = 0; i < 20; i++) kernels.m31VectorMul(at, at, at, count);
  });

  bench.report.table('Circle FFT, ns an element');
  await row(bench, 'BigInt radix 2, 2^12', count, () => circleFft(m31, values));
  for (const log2Size of [12, 16]) {
    const size = 2 ** log2Size;
    const [source, tree] = [0, 1].map(() => arena.allocate(4 * size));
    arena.words(source, size).fill(3);
    const { x, y } = circleGenerator(log2Size + 1);
    kernels.circleTwiddles(tree, 1, log2Size, Number(x), Number(y));
    await row(bench, `WASM radix 4, 2^${log2Size}`, size, () =>
      kernels.circleFft(source, source, log2Size, tree, 1),
    );
  }
}

async function benchHashing(bench, { arena, kernels }) {
  const key = arena.storeBytes(LEAF_KEY);
  for (const bytes of [64, 1600]) {
    const count = 512;
    const messages = new Uint8Array(count * bytes).map((_, i) => i % 251);
    const input = arena.storeBytes(messages);
    const out = arena.allocate(count * 32);
    bench.report.table(`Keyed BLAKE3 of ${bytes} bytes`);
    await row(bench, '@noble/hashes', count, () => blake3Many(LEAF_KEY, messages, bytes));
    await row(bench, 'WASM, four at a time', count, () =>
      kernels.blake3Many(out, input, bytes, bytes, count, key, KEYED),
    );
  }
}
