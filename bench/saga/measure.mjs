import { cpuMsOfThisProcess } from '../../tools/bench/cpu-time.mjs';

/**
 * Does something many times, a number of them at once, and says how it went; `cpuMsEach` is of this process, which does it.
 *
 * @param {{ concurrency: number; amount: number }} load
 * @param {() => Promise<void>} once
 */
export async function measure({ concurrency, amount }, once) {
  const latencies = [];
  let left = amount;
  const before = process.cpuUsage();
  const beganMs = performance.now();
  const worker = async () => {
    while (left-- > 0) {
      const sinceMs = performance.now();
      await once();
      latencies.push(performance.now() - sinceMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - beganMs) / 1_000;
  const cpuMsEach = cpuMsOfThisProcess(before) / amount;
  latencies.sort((a, b) => a - b);
  const share = part => latencies[Math.min(latencies.length - 1, Math.floor(part * latencies.length))];
  return { perSecond: amount / seconds, p50Ms: share(0.5), p99Ms: share(0.99), cpuMsEach, amount };
}
