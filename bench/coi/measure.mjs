/** A file through its reader: how long it takes, and the code of its refusal. @returns undefined where it was refused */
export async function readTimed(reader, bytes, { latenciesMs, refused }) {
  const startedMs = performance.now();
  try {
    return await reader.read(bytes);
  } catch (error) {
    refused.push(error.code ?? String(error));
    return undefined;
  } finally {
    latenciesMs.push(performance.now() - startedMs);
  }
}

/** Of times in milliseconds. */
export function quantiles(timesMs) {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const at = share => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}
