/**
 * What a run of tests came to. A suite that could not run at all counts as one failure, so that it
 * can never pass for an empty one.
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
 * Counts the records of Jest's suites. A test whose tool is not installed prints a line that starts with SKIPPED and returns: Jest
 * calls it passed, the reporter counts it as skipped.
 *
 * @param {import('./suite-reporter.mjs').SuiteRecord[] | undefined} records undefined when Jest came to no end
 * @returns {Tally}
 */
export const tallyOfRecords = records => (records ? sum(records) : { passed: 0, failed: 1, skipped: 0 });

/**
 * Counts the events of Node's own test runner. A suite is no test, but one that is skipped hides its
 * tests from the runner and counts as one skipped.
 *
 * @param {AsyncIterable<{ type: string; data: { skip?: unknown; todo?: unknown; details?: { type?: string } } }>} events
 * @returns {Promise<Tally>}
 */
export async function tallyOfNodeTests(events) {
  const tally = { ...NOTHING };
  for await (const { type, data } of events) {
    const skipped = data?.skip !== undefined || data?.todo !== undefined;
    const failedSuite = type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed';
    if (data?.details?.type === 'suite' && !failedSuite && !skipped) continue;
    if (type === 'test:fail') tally.failed += 1;
    if (type === 'test:pass') tally[skipped ? 'skipped' : 'passed'] += 1;
  }
  return tally;
}
