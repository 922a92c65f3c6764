import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { seconds } from '../setup/progress.mjs';
import { suiteOf } from './suites.mjs';

/**
 * What became of one suite.
 *
 * @typedef {object} SuiteRecord
 * @property {string} file
 * @property {number} cpuSeconds of it and of all it started
 * @property {number} wallSeconds
 * @property {number} passed tests
 * @property {number} expectations that held: calls of `expect`
 * @property {number} failed tests; a suite that could not run counts as one
 * @property {string[]} failures what failed, each with how its message begins
 * @property {number} skipped
 * @property {boolean} notStarted its turn came after the deadline
 * @property {string[]} missing tools that it wanted and that are not installed, or what else it could not run for
 */

/** Lines of a message that the end of a run repeats. */
const REPEATED_LINES = 12;

/** Whether hang-guard.mjs ended the process of the suite. */
const isHung = error => error?.message?.includes('signal=SIGALRM');
const HANGS =
  'hangs: no test of it began or ended for twice the limit of its tier, and its process was ended';

/** A test that lacks a tool prints this line and returns: `SKIPPED: nats-server is not installed`. */
const SKIPPED = /^\s*SKIPPED\b[: ]*(.*)$/gm;

/**
 * Prints a line for each suite as it ends, what failed in it whole, and writes the records to the file that `SUITE_RECORDS` names.
 * Console output is shown for suites that fail alone.
 */
export default class SuiteReporter {
  /** @type {SuiteRecord[]} */
  records = [];
  total = 0;

  onRunStart({ numTotalTestSuites }) {
    this.total = numTotalTestSuites;
  }

  onTestFileResult(test, result) {
    const record = recordOf(relative(test.context.config.rootDir, test.path).replaceAll('\\', '/'), result);
    this.records.push(record);
    if (record.notStarted) return;
    const place = `${this.records.length}/${this.total}`.padStart(7);
    process.stdout.write(`${place} ${suiteLine(record)}\n`);
    if (record.failed === 0) return;
    for (const { message } of result.console ?? []) process.stdout.write(`${message}\n`);
    if (isHung(result.testExecError)) process.stdout.write(`  It ${HANGS}.\n`);
    process.stdout.write(`${result.failureMessage}\n`);
  }

  onRunComplete() {
    if (process.env.SUITE_RECORDS) writeFileSync(process.env.SUITE_RECORDS, JSON.stringify(this.records));
    else process.stdout.write(`${summary(this.records)}\n`);
  }
}

/**
 * What became of a suite, and what it took by the wall and of CPU.
 *
 * @param {Pick<SuiteRecord, 'file' | 'cpuSeconds' | 'wallSeconds' | 'failed' | 'missing'> & { skipped?: number }} record
 */
export function suiteLine({ file, cpuSeconds, wallSeconds, failed, missing, skipped = missing.length }) {
  const mark = failed > 0 ? 'FAIL' : skipped > 0 ? 'skip' : 'pass';
  const took = `${seconds(wallSeconds * 1000).padStart(7)} ${cpuSeconds.toFixed(1).padStart(6)} CPU`;
  return `${mark} ${took}  ${file}`;
}

/** @returns {SuiteRecord} */
function recordOf(file, result) {
  const missing = (result.console ?? []).flatMap(({ message }) =>
    [...message.matchAll(SKIPPED)].map(([, reason]) => reason.trim()),
  );
  const { numPassingTests, numFailingTests, numPendingTests, numTodoTests, perfStats } = result;
  const notStarted = result.notStarted === true;
  return {
    ...{ file, notStarted, missing },
    cpuSeconds: result.cpuSeconds ?? 0,
    wallSeconds: perfStats ? (perfStats.end - perfStats.start) / 1000 : 0,
    passed: numPassingTests - missing.length,
    expectations: result.testResults.reduce((sum, test) => sum + (test.numPassingAsserts ?? 0), 0),
    failed: numFailingTests + (result.testExecError && numFailingTests === 0 ? 1 : 0),
    failures: failuresOf(file, result),
    skipped: notStarted ? 0 : numPendingTests + numTodoTests + missing.length,
  };
}

/** @returns {string[]} */
function failuresOf(file, { testResults, testExecError }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  const told = failed.map(({ fullName, failureMessages }) => [fullName, failureMessages.join('\n')]);
  if (testExecError && told.length === 0)
    told.push([
      isHung(testExecError) ? HANGS : 'could not run',
      testExecError.stack ?? testExecError.message,
    ]);
  return told.map(([name, message]) => {
    const lines = stripVTControlCharacters(message)
      .split('\n')
      .filter(line => line && !line.includes('node_modules'))
      .slice(0, REPEATED_LINES);
    return [`${file} › ${name}`, ...lines.map(line => `    ${line}`)].join('\n');
  });
}

/** The closing lines of a run that was started without a gate: `npx jest PATH`. */
function summary(records) {
  const sum = of => records.reduce((total, record) => total + of(record), 0);
  const suites = `${records.filter(({ file }) => suiteOf(file)).length} suites`;
  return `${suites}, ${sum(r => r.cpuSeconds).toFixed(1)} CPU s: ${sum(r => r.passed)} passed, ${sum(r => r.failed)} failed`;
}
