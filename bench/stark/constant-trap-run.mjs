// `node constant-trap-run.mjs FILE.wasm`: nanoseconds a product with each way of holding constants, on the Node that runs it.
// Plain Node without packages, so that any version can.
import { readFile } from 'node:fs/promises';

const COUNT = 4096;
const [OUT, A, B] = [65_536, 131_072, 196_608];
const ROUNDS = 40;
const CALLS = 200;

const memory = new WebAssembly.Memory({ initial: 16 });
const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), { env: { memory } });
const { productsLoaded, productsSplat } = instance.exports;
const a = new BigUint64Array(memory.buffer, A, COUNT);
for (let i = 0; i < COUNT; i++) a[i] = (BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n) % 0xffff_ffff_0000_0001n;
new BigUint64Array(memory.buffer, B, COUNT).set(a.toReversed());

const best = { productsLoaded: Infinity, productsSplat: Infinity };
const checks = [];
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, products] of Object.entries({ productsLoaded, productsSplat })) {
    const start = performance.now();
    for (let call = 0; call < CALLS; call++) products(OUT, A, B, COUNT);
    best[name] = Math.min(best[name], ((performance.now() - start) * 1e6) / (CALLS * COUNT));
    checks.push(new BigUint64Array(memory.buffer, OUT, COUNT).reduce((sum, value) => sum ^ value, 0n));
  }
}
if (new Set(checks).size !== 1) throw new Error('the two loops differ');
process.stdout.write(
  `${JSON.stringify({ node: process.versions.node, v8: process.versions.v8, loadedNs: best.productsLoaded, splatNs: best.productsSplat })}\n`,
);
