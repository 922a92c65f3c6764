/**
 * What a run of tests came to. A suite that could not run at all counts as one failure, so that it
 * can never pass for an empty one. A test whose tool is not installed prints a line that starts with SKIPPED and returns: Jest calls
 * it passed, the reporter counts it as skipped.
 *
 * @typedef {{ passed: number; failed: number; skipped: number }} Tally
 */

/** @type {Tally} */
export const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {Tally[]} tallies
 * @returns {Tally}
 */
export function sum(tallies) {
  return tallies.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    NOTHING,
  );
}

/**
 * The closing line: `12 passed, 0 failed`, and `, 1 skipped` when there is one.
 *
 * @param {Tally} tally
 * @returns {string}
 */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * What Node's own test runner said of one of its files. A suite within it is no test, but one that is skipped hides its tests from
 * the runner and counts as one skipped.
 *
 * @typedef {object} NodeRecord
 * @property {string} file as the runner was given it
 * @property {string[]} failures names of what failed
 * @property {string[]} missing for what tests were skipped, as they say
 */

/**
 * Counts the events of Node's own test runner.
 *
 * @param {AsyncIterable<{ type: string; data: { name?: string; file?: string; skip?: unknown; todo?: unknown; details?: { type?: string } } }>} events
 * @returns {Promise<{ tally: Tally; records: NodeRecord[] }>}
 */
export async function recordsOfNodeTests(events) {
  const tally = { ...NOTHING };
  const records = new Map();
  for await (const { type, data } of events) {
    if (type !== 'test:fail' && type !== 'test:pass') continue;
    const { name = '', file = '', skip, todo, details } = data;
    const record = records.get(file) ?? { file, failures: [], missing: [] };
    records.set(file, record);
    const skipped = skip !== undefined || todo !== undefined;
    const failedSuite = type === 'test:fail' && details?.error?.failureType !== 'subtestsFailed';
    if (details?.type === 'suite' && !failedSuite && !skipped) continue;
    if (type === 'test:fail') {
      tally.failed += 1;
      record.failures.push(name);
    } else if (skipped) {
      tally.skipped += 1;
      record.missing.push([skip, todo].find(why => typeof why === 'string') ?? `“${name}” is skipped`);
    } else tally.passed += 1;
  }
  return { tally, records: [...records.values()] };
}
