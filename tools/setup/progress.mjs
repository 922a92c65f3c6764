import { performance } from 'node:perf_hooks';

/**
 * One line a step: what is being done, and how long it took once it is done.
 *
 * @template T
 * @param {string} label what is done, in the present tense
 * @param {() => Promise<T>} work
 * @param {NodeJS.WritableStream} [out]
 * @returns {Promise<T>}
 */
export async function step(label, work, out = process.stdout) {
  const startedMs = performance.now();
  out.write(`› ${label}\n`);
  const result = await work();
  out.write(`  done in ${seconds(performance.now() - startedMs)}\n`);
  return result;
}

/**
 * @param {number} durationMs
 * @returns {string} `0.8 s`, `12.3 s`, `3 min 05 s`
 */
export function seconds(durationMs) {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const whole = Math.round(durationMs / 1000);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
