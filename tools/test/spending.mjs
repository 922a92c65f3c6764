import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedCosts, suiteOf } from './suites.mjs';

/** Above this multiple of its budget a project is named; above the other the run fails. */
const NAMED_ABOVE = 1.3;
const FAILS_ABOVE = 2;
/** Suites that are named for having grown. */
const GROWN_SHOWN = 5;
/** CPU seconds below which growth is noise. */
const GROWN_BY = 1;

/**
 * CPU of the unit and service suites of each project in multiples of the reference loop. Seconds of one machine say nothing on
 * another: the loop is timed in the same run.
 *
 * @param {import('./suite-reporter.mjs').SuiteRecord[]} records
 * @param {number} reference CPU seconds of the loop
 * @returns {Map<string, number>} by project, the dearest first
 */
export function spendingOf(records, reference) {
  const spent = new Map();
  for (const { file, cpuSeconds } of records) {
    const { project, tier } = suiteOf(file);
    if (tier === 'unit' || tier === 'service')
      spent.set(project, (spent.get(project) ?? 0) + cpuSeconds / reference);
  }
  return new Map([...spent].sort(([, a], [, b]) => b - a));
}

/**
 * What all projects spent beside the sum of all budgets, as a sentence.
 *
 * @param {Map<string, number>} spending multiples of the reference loop
 * @param {Record<string, number>} budgets
 * @returns {string}
 */
export function spentInAll(spending, budgets) {
  const sum = values => [...values].reduce((total, value) => total + value, 0).toFixed(0);
  return `Unit and service suites spent ${sum(spending.values())} loops; all budgets are ${sum(Object.values(budgets))}.`;
}

/**
 * Projects that spent more than their budget (`budgets.json`, multiples of the reference loop).
 *
 * @param {Map<string, number>} spending
 * @param {Record<string, number>} budgets
 * @returns {{ notices: string[]; faults: string[] }} sentences; faults fail the run
 */
export function heldAgainst(spending, budgets) {
  const [notices, faults] = [[], []];
  for (const [project, spent] of spending) {
    const budget = budgets[project];
    if (budget === undefined) {
      faults.push(`${project} has no budget in tools/test/budgets.json; it spent ${spent.toFixed(0)}.`);
      continue;
    }
    const sentence = `${project} spent ${spent.toFixed(0)} of its budget of ${budget} (${(spent / budget).toFixed(1)} times).`;
    if (spent > FAILS_ABOVE * budget) faults.push(sentence);
    else if (spent > NAMED_ABOVE * budget) notices.push(sentence);
  }
  return { notices, faults };
}

/**
 * The suites that grew most since the recorded run, by CPU, as sentences.
 *
 * @param {import('./suite-reporter.mjs').SuiteRecord[]} records
 * @param {number} reference CPU seconds of the loop in this run
 * @param {import('./suites.mjs').Costs} costs
 * @returns {string[]}
 */
export function grownMost(records, reference, costs) {
  const speed = reference / costs.reference;
  return records
    .flatMap(({ file, cpuSeconds }) => {
      const before = costs.suites[file]?.[0];
      const grown = before === undefined ? 0 : cpuSeconds - before * speed;
      return grown > GROWN_BY ? [{ file, grown, cpuSeconds }] : [];
    })
    .sort((a, b) => b.grown - a.grown)
    .slice(0, GROWN_SHOWN)
    .map(
      ({ file, grown, cpuSeconds }) =>
        `${file} took ${cpuSeconds.toFixed(1)} CPU s, ${grown.toFixed(1)} more than recorded.`,
    );
}

/** @param {string} root @returns {Record<string, number>} */
export const readBudgets = root => JSON.parse(readFileSync(join(root, 'tools/test/budgets.json'), 'utf8'));

/**
 * Keeps what the suites of this run cost, in `costs.json`. Those that did not run keep what they cost before, and those that are gone
 * leave it.
 *
 * @param {string} root
 * @param {Pick<import('./suite-reporter.mjs').SuiteRecord, 'file' | 'cpuSeconds' | 'wallSeconds' | 'expectations' | 'failed' | 'notStarted'>[]} records
 * @param {number} reference
 */
export function recordCosts(root, records, reference) {
  const costs = recordedCosts(root);
  const speed = reference / costs.reference;
  const rounded = value => Number(value.toFixed(1));
  const scaled = Object.entries(costs.suites).map(([file, [cpu, wall, expectations]]) => [
    file,
    [rounded(cpu * speed), rounded(wall * speed), expectations],
  ]);
  const fresh = records
    .filter(({ notStarted, failed }) => !notStarted && failed === 0)
    .map(({ file, cpuSeconds, wallSeconds, expectations }) => [
      file,
      [rounded(cpuSeconds), rounded(wallSeconds), expectations],
    ]);
  const suites = Object.entries({ ...Object.fromEntries(scaled), ...Object.fromEntries(fresh) })
    .filter(([file]) => existsSync(join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([file, cost]) =>
        `    ${JSON.stringify(file)}: [${cost.filter(each => each !== undefined).join(', ')}]`,
    );
  const text = `{\n  "reference": ${reference.toFixed(3)},\n  "suites": {\n${suites.join(',\n')}\n  }\n}\n`;
  writeFileSync(join(root, 'tools/test/costs.json'), text);
}
