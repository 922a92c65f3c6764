// What it costs, from one V8 to the next, to write vector constants where a loop uses them.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNewerNode } from '../../tools/bench/newer-node.mjs';

const source = fileURLToPath(new URL('./constant-trap.ts', import.meta.url));
const runner = fileURLToPath(new URL('./constant-trap-run.mjs', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/bench-stark', import.meta.url));

/** Prints nanoseconds a product on this Node and on a newer one. */
export async function benchConstantTrap(report, { smoke }) {
  mkdirSync(cache, { recursive: true });
  const module = await compile();
  if (smoke) report.leftOut('a newer Node', 'needs to be fetched');
  const newer = smoke ? undefined : fetchNewerNode(report, cache);
  const nodes = [process.execPath, newer].filter(path => path !== undefined);
  report.table('Goldilocks products by vector constants, best ns');
  for (const node of nodes) {
    const output = execFileSync(node, [runner, module], { encoding: 'utf8' });
    const { node: version, v8, loadedNs, splatNs } = JSON.parse(output);
    report.row(`loaded before the loop, Node ${version} (V8 ${v8.split('-')[0]})`, {
      ns: loadedNs,
      timesLoaded: 1,
    });
    report.row(`written inside it, Node ${version}`, { ns: splatNs, timesLoaded: splatNs / loadedNs });
  }
}

async function compile() {
  const { default: asc } = await import('assemblyscript/asc');
  const file = join(cache, 'constant-trap.wasm');
  const { error, stderr } = await asc.main(
    [
      basename(source),
      ...['--baseDir', dirname(source), '--outFile', file, '--importMemory', '--runtime', 'stub'],
      ...['--enable', 'simd', '--noAssert', '-O3'],
    ],
    {},
  );
  if (error) throw new Error(`constant-trap.ts does not compile: ${stderr}`);
  return file;
}
