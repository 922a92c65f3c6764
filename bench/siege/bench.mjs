import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR, makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';
import { SetupError } from '../../tools/setup/setup-error.mjs';
import { keysOfManyAccounts } from '../payments/credentials.mjs';
import { SHAPES } from './shapes.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const ATTACKER = fileURLToPath(new URL('./attacker.mjs', import.meta.url));
const PROVE = { traceData: '0x48656c6c6f', degree: 1_024, friBlowup: 8 };
const MEGABYTE = 1e6;
/** Between two looks at `/livez`, and between two looks at memory, milliseconds. */
const [LOOK_MS, MEMORY_MS] = [5, 100];
/** Proofs that the credit of one key pays for. */
const PROOFS_OF_KEY = 100;

/** What the attack may do to the others. */
const LIVEZ_P99_TIMES = 10;
const [PROOF_P50_TIMES, PROOF_P99_TIMES] = [3, 6];
const MEMORY_MB = 300;

export const packages = ['fastify'];
/** `settling` are the proofs at most after an attack, until five in a row are as quick as before. */
export const options = {
  ...{ seconds: 10, quiet: 10, connections: 50, proofEveryMs: 200, settling: 100 },
  only: Object.keys(SHAPES).join(','),
};
/** The two that cost least: a start of the product takes most of what a smoke may. */
export const smoke = {
  ...{ seconds: 0.1, quiet: 0.1, connections: 2, proofEveryMs: 50, settling: 5 },
  only: 'challenges,probes',
};

/**
 * One client who pays nothing, with some connections from an address of its own, asks for one shape of call again and again:
 * what `/livez`, paid proofs of another caller and the memory of the process come to beside it, held against the same when
 * nobody attacks. Client, payer, product and Postgres share the machine.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function siege({ report, options: chosen }) {
  const names = String(chosen.only).split(',');
  for (const name of names) if (!SHAPES[name]) throw new SetupError(`There is no shape ${name}`);
  const folder = makeDataFolder('siege');
  const adminKey = randomBytes(32).toString('base64url');
  const env = { DATA_DIR: join(folder, 'data'), ADMIN_KEY: adminKey, LOG_LEVEL: 'error' };
  const product = await ServedProcess.start(PRODUCT, { env: { ...ALLOCATOR, ...env }, ready: '/readyz' });
  try {
    const proofs =
      ((names.length + 3) * chosen.seconds * 1_000) / chosen.proofEveryMs + names.length * chosen.settling;
    const keys = await keysOfManyAccounts(product.address, adminKey, Math.ceil(proofs / PROOFS_OF_KEY));
    const bystander = new Bystander(product, keys, chosen.proofEveryMs);
    // The first of everything compiles, connects and allocates.
    await bystander.watch(chosen.quiet / 2);
    const { answer } = await bystander.prove();
    const quiet = await spent(product, async () => ({
      seen: await bystander.watch(chosen.quiet),
      attacks: 0,
    }));
    const of = ({ livez, proofs, memoryMb }) => ({
      livezP99Ms: share(livez, 0.99),
      ...{ proofP50Ms: share(proofs, 0.5), proofP99Ms: share(proofs, 0.99), memoryMb },
    });
    const before = of(quiet.seen);
    report.table(`${chosen.connections} connections of one address, ${chosen.seconds} s a shape`);
    report.row('nobody attacks', { ...before, attacksPerSecond: 0, cpuMsEach: quiet.cpuMsEach });
    const worst = { livez: 0, p50: 0, p99: 0, memoryMb: 0, unanswered: 0 };
    const statuses = [];
    for (const name of names) {
      const setting = {
        address: product.address,
        name,
        connections: chosen.connections,
        proof: proofOf(answer),
      };
      const { seen, counts, attacks, cpuMsEach } = await spent(product, async () => {
        const attack = await Attack.start(setting);
        const seen = await bystander.watch(chosen.seconds);
        const counts = await attack.stop();
        return { seen, counts, attacks: Object.values(counts).reduce((sum, count) => sum + count, 0) };
      });
      const row = of(seen);
      report.row(name, { ...row, attacksPerSecond: attacks / chosen.seconds, cpuMsEach });
      statuses.push(`${name}: ${JSON.stringify(counts)}`);
      worst.livez = Math.max(worst.livez, row.livezP99Ms / before.livezP99Ms);
      worst.p50 = Math.max(worst.p50, row.proofP50Ms / before.proofP50Ms);
      worst.p99 = Math.max(worst.p99, row.proofP99Ms / before.proofP99Ms);
      worst.memoryMb = Math.max(worst.memoryMb, row.memoryMb - before.memoryMb);
      worst.unanswered += seen.unanswered;
      await bystander.settled(before.livezP99Ms, chosen.settling);
    }
    report.verdict('/livez p99, times the quiet one', worst.livez, 'at most', LIVEZ_P99_TIMES);
    report.verdict('a paid proof, p50, times the quiet one', worst.p50, 'at most', PROOF_P50_TIMES);
    report.verdict('a paid proof, p99, times the quiet one', worst.p99, 'at most', PROOF_P99_TIMES);
    report.verdict('paid proofs without an answer', worst.unanswered, 'at most', 0);
    report.verdict('memory above quiet, MB', worst.memoryMb, 'at most', MEMORY_MB);
    report.note(
      'cpuMsEach is of the process that answers, all its threads, over all calls: of the attacker, of the payer and to /livez.',
    );
    report.note(`Answers to the attacker: ${statuses.join('; ')}. 0 is a connection that was closed.`);
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What happened, with what the product spent on each call of all who called. */
async function spent(product, happens) {
  const before = await product.cpuMs();
  const happened = await happens();
  const { livez, proofs, unanswered } = happened.seen;
  const calls = happened.attacks + livez.length + proofs.length + unanswered;
  return { ...happened, cpuMsEach: ((await product.cpuMs()) - before) / calls };
}

/** Body of a request to verify the proof of an answer. */
const proofOf = ({ proof, publicInputs, airId, contextDomain, traceLength }) => ({
  ...{ proof, publicInputs, airId, contextDomain, traceLength },
});

function share(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** Whoever pays, and the orchestrator that looks whether the service lives. */
class Bystander {
  #product;
  #keys;
  #everyMs;
  #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #calls = 0;

  constructor(product, keys, everyMs) {
    this.#product = product;
    this.#keys = keys;
    this.#everyMs = everyMs;
  }

  /** One paid proof. @returns {Promise<{ status: number; tookMs: number; answer?: object }>} `status` 0: no answer */
  prove() {
    const body = JSON.stringify({
      ...PROVE,
      traceData: `0x${(++this.#calls).toString(16).padStart(8, '0')}`,
    });
    return this.#ask('POST', '/v1/zk/prove', body);
  }

  async watch(seconds) {
    const endMs = performance.now() + seconds * 1_000;
    const isOver = () => performance.now() >= endMs;
    const [livez, proofs] = [[], []];
    let [unanswered, memoryMb] = [0, 0];
    const looks = async () => {
      while (!isOver() || livez.length === 0) {
        const { status, tookMs } = await this.#ask('GET', '/livez');
        if (status !== 200) throw new Error(`/livez is answered ${status}`);
        livez.push(tookMs);
        await delay(LOOK_MS);
      }
    };
    const pays = async () => {
      const under = [];
      for (let turn = 0; !isOver() || turn === 0; turn++) {
        const one = this.prove().then(({ status, tookMs }) => {
          if (status === 200) proofs.push(tookMs);
          else unanswered++;
        });
        under.push(one);
        await delay(this.#everyMs);
      }
      await Promise.all(under);
    };
    const weighs = async () => {
      for (; !isOver(); await delay(MEMORY_MS)) memoryMb = Math.max(memoryMb, residentMb(this.#product.pid));
    };
    await Promise.all([looks(), pays(), weighs()]);
    return { livez, proofs, unanswered, memoryMb };
  }

  /** Until a proof takes no longer than it takes when nobody waits, or so many are paid: the next attack starts from there. */
  async settled(livezP99Ms, proofsMax) {
    const quickMs = Math.max(5, livezP99Ms);
    for (let [quick, proofs] = [0, 0]; quick < 5 && proofs < proofsMax; proofs++) {
      const { status } = await this.prove();
      const { tookMs } = await this.#ask('GET', '/livez');
      quick = status === 200 && tookMs < quickMs ? quick + 1 : 0;
    }
  }

  #ask(method, path, body) {
    const beganMs = performance.now();
    const headers = body && {
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      'x-svc-key': this.#keys[this.#calls % this.#keys.length],
    };
    return new Promise(resolve => {
      const failed = () => resolve({ status: 0, tookMs: performance.now() - beganMs });
      request(this.#product.address + path, { method, agent: this.#agent, headers }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', part => (text += part));
        response.on('error', failed).on('end', () => {
          const tookMs = performance.now() - beganMs;
          resolve({ status: response.statusCode, tookMs, ...(body && { answer: JSON.parse(text) }) });
        });
      })
        .on('error', failed)
        .end(body);
    });
  }
}

/** Resident memory of a process, all its threads; 0 where the system does not tell. */
function residentMb(pid) {
  try {
    return (
      (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1_024) / MEGABYTE
    );
  } catch {
    return 0;
  }
}

/** The attacker, a process of its own. */
class Attack {
  #child;
  #kill = () => this.#child.kill('SIGKILL');

  static async start(setting) {
    const attack = new Attack();
    const child = fork(ATTACKER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    process.once('exit', attack.#kill);
    attack.#child = child;
    child.send(setting);
    await once(child, 'message');
    return attack;
  }

  /** @returns {Promise<Record<string, number>>} answers by status */
  async stop() {
    this.#child.send({ stop: true });
    const [counts] = await once(this.#child, 'message');
    const ended = once(this.#child, 'exit');
    this.#kill();
    await ended;
    process.off('exit', this.#kill);
    return counts;
  }
}
