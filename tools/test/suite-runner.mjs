import { createEmptyTestResult } from '@jest/test-result';
import circus from 'jest-circus/runner';
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import { readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cpuSecondsOfTree } from './cpu-seconds.mjs';
import { suiteOf, TIMEOUT_MS } from './suites.mjs';
import { WorkerPostgres } from './worker-postgres.mjs';

/** What a unit suite must not reach, by the module or prototype that holds it. */
const REFUSED = [
  [
    childProcess,
    ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
    'starts no process',
  ],
  [net.Socket.prototype, ['connect'], 'opens no connection'],
  [net.Server.prototype, ['listen'], 'opens no server'],
  [dgram, ['createSocket'], 'opens no socket'],
];

/** One a worker, for as long as the worker lives. */
const postgres = new WorkerPostgres();
const hangGuard = new Worker(new URL('./hang-guard.mjs', import.meta.url));
hangGuard.unref();
/** A suite hangs that no test begins or ends in for so many limits of a test: hooks, which say nothing, have a limit each. */
const SILENT_LIMITS = 2;

/**
 * Runs one suite as jest-circus does, and tells the CPU seconds of it and of all it started as `cpuSeconds` of the result. Each
 * tier has its limit of time. A suite in which no test begins or ends for twice as long, or for `SUITE_SILENCE_MS`, is ended with its
 * worker. One that would end after `SUITE_DEADLINE` (ms since 1970), by the JSON of expected seconds that `SUITE_SECONDS` names, is not
 * started and comes back with `notStarted`. Paths that a suite puts into the global `keptWhereFailed` are removed where nothing of it
 * failed, and named with its failures otherwise.
 *
 * @type {import('@jest/types').Config.TestRunner}
 */
export default async function runSuite(globalConfig, config, environment, runtime, testPath, sendMessage) {
  const file = relative(config.rootDir, testPath).replaceAll('\\', '/');
  const endsMs = Date.now() + (expected()[file] ?? 0) * 1000;
  if (endsMs > Number(process.env.SUITE_DEADLINE ?? Infinity)) return notStarted(testPath);
  const { tier } = suiteOf(file);
  environment.global.workerPostgres = () => postgres.open();
  // A long suite imports its quick sample, whose counts this tells; helpers that poll give up before the limit.
  Object.assign(environment.global.process.env, {
    SUITE_TIER: tier,
    SUITE_LIMIT_MS: String(TIMEOUT_MS[tier]),
  });
  const allowAgain = tier === 'unit' ? refuseProcessesAndSockets() : () => undefined;
  const silenceMs = Number(process.env.SUITE_SILENCE_MS ?? SILENT_LIMITS * TIMEOUT_MS[tier]);
  const sign = () => hangGuard.postMessage({ silenceMs });
  const tell = (...message) => {
    sign();
    return sendMessage(...message);
  };
  const before = cpuSecondsOfTree();
  const kept = (environment.global.keptWhereFailed = []);
  sign();
  try {
    const run = circus.default ?? circus;
    const limited = { ...globalConfig, testTimeout: TIMEOUT_MS[tier] };
    const result = await run(limited, config, environment, runtime, testPath, tell);
    keepWhereFailed(kept, result);
    return Object.assign(result, { cpuSeconds: cpuSecondsOfTree() - before });
  } finally {
    hangGuard.postMessage(undefined);
    allowAgain();
  }
}

/** What a suite has left lying that says why it failed. */
function keepWhereFailed(paths, result) {
  if (result.numFailingTests === 0 && !result.testExecError)
    return paths.forEach(path => rmSync(path, { recursive: true, force: true }));
  if (paths.length > 0) result.failureMessage += `\n  Kept: ${paths.join(', ')}\n`;
}

/** Seconds by suite. @returns {Record<string, number>} */
const expected = () =>
  process.env.SUITE_SECONDS ? JSON.parse(readFileSync(process.env.SUITE_SECONDS, 'utf8')) : {};

/** Replaces what a unit suite must not use, in the modules that suites share with their worker; returns what puts it back. */
function refuseProcessesAndSockets() {
  const kept = REFUSED.flatMap(([owner, names, what]) =>
    names.map(name => {
      const original = owner[name];
      owner[name] = () => {
        throw new Error(`A unit suite ${what} (${name}): it belongs into e2e/, see docs/testing.md.`);
      };
      return () => (owner[name] = original);
    }),
  );
  return () => kept.forEach(putBack => putBack());
}

function notStarted(testPath) {
  const title = 'not started: the time for this tier was up';
  const test = {
    ancestorTitles: [],
    duration: null,
    failureDetails: [],
    failureMessages: [],
    fullName: title,
  };
  return {
    ...createEmptyTestResult(),
    testFilePath: testPath,
    testResults: [
      { ...test, invocations: 0, location: null, numPassingAsserts: 0, status: 'pending', title },
    ],
    ...{ numPendingTests: 1, skipped: true, notStarted: true, cpuSeconds: 0 },
  };
}
