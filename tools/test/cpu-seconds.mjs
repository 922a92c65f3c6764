import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc: the same on every Linux that Node runs on. */
const TICKS = 100;
const LOOP_ROUNDS = 120;

/**
 * CPU seconds that this process and all it started have used so far: its threads, children that ended and were waited for, and
 * those that run now. Where there is no /proc, this process alone.
 *
 * @returns {number}
 */
export function cpuSecondsOfTree() {
  const processes = processTable();
  if (processes)
    return withDescendants(process.pid, processes).reduce(
      (sum, pid) => sum + (processes.get(pid)?.seconds ?? 0),
      0,
    );
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/**
 * A process and all that it started and that runs now, parents first.
 *
 * @param {number} pid
 * @param {Map<number, { parent: number }>} [processes]
 * @returns {number[]}
 */
export function withDescendants(pid, processes = processTable() ?? tableOfPs()) {
  const childrenOf = new Map();
  for (const [own, { parent }] of processes) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), own]);
  const found = [pid];
  for (const parent of found) found.push(...(childrenOf.get(parent) ?? []));
  return found;
}

/** Whether a process runs: one that is dead and not waited for yet does not. Only Linux tells. */
export const isRunning = pid => !['Z', undefined].includes(readStat(pid)?.state);

/** What runs on this machine, as /proc tells: Debian slim has no `ps`. Undefined where there is no /proc. */
function processTable() {
  let names;
  try {
    names = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  return new Map(
    names.flatMap(name => {
      const read = readStat(name);
      return read ? [[Number(name), read]] : [];
    }),
  );
}

/** The same without the times, where there is no /proc: those systems all have a `ps`. */
function tableOfPs() {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return new Map(
    lines.map(line => line.trim().split(/\s+/).map(Number)).map(([pid, parent]) => [pid, { parent }]),
  );
}

/** Its state, its parent, and user and system time of a process and of the children it has waited for; undefined once it is gone. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { state: fields[0], parent: Number(fields[1]), seconds: ticks / TICKS };
  } catch {
    return undefined;
  }
}

/** A fixed piece of work of the kind that the tests do: numbers, text, objects that are thrown away. */
function referenceLoop() {
  let mixed = 1;
  for (let round = 0; round < LOOP_ROUNDS; round++) {
    for (let i = 0; i < 1_000_000; i++) mixed = (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) + i) | 0;
    const rows = Array.from({ length: 2_000 }, (_, i) => ({
      id: i,
      name: `row ${mixed ^ i}`,
      tags: [i, i + 1],
    }));
    mixed ^= JSON.stringify(
      JSON.parse(JSON.stringify(rows)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    ).length;
  }
  return mixed;
}

/**
 * CPU seconds of the reference loop on this machine as busy as it is: the mean of `copies` that run side by side.
 *
 * @param {number} copies as many as tests run side by side
 * @returns {Promise<number>}
 */
export async function referenceSeconds(copies) {
  const measured = await Promise.all(
    Array.from({ length: copies }, async () => {
      const child = spawn(process.execPath, [import.meta.filename], { stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', text => (printed += text));
      await once(child, 'close');
      return Number(printed);
    }),
  );
  return measured.reduce((sum, value) => sum + value, 0) / copies;
}

if (process.argv[1] === import.meta.filename) {
  const before = process.cpuUsage();
  referenceLoop();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(String((user + system) / 1e6));
}
