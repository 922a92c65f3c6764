import { diffLines } from './random-mutations.mjs';

/**
 * @typedef {import('./random-mutations.mjs').Mutation & { isRandom: boolean }} Mutation
 * @typedef {{ mutation: Mutation; finding: import('./catching-suite.mjs').Finding; seconds: number; equivalent?: string }} Outcome
 *   `equivalent` says why the fault is none
 */

/** Of the faults so many at least fall in the quick tiers; the others in the long one. */
const QUICK_SHARE = { listed: 34 / 40, random: 8 / 10 };

/**
 * One line: what the fault was, which suite caught it, in which tier, and how soon; of one that was drawn also its change.
 *
 * @param {Outcome} outcome
 */
export function lineOf({ mutation, finding, seconds, equivalent }) {
  const { id, area, file, what, isRandom } = mutation;
  const { caughtBy, tier, notLoaded } = finding;
  const fate = caughtBy ?? (equivalent ? `equivalent: ${equivalent}` : 'SURVIVES');
  const columns = [
    id.padEnd(22),
    area.padEnd(20),
    (tier ?? '').padEnd(8),
    `${seconds.toFixed(0)} s`.padStart(6),
  ];
  const line = [...columns, fate].join(' ');
  return [
    ...[line, `  ${isRandom ? `${file}: ${what}` : what}`, ...(isRandom ? diffLines(mutation) : [])],
    ...notLoaded.map(suite => `does not load, and so does not count: ${suite}`),
  ].join('\n    ');
}

/**
 * The closing lines, and whether the suites catch as much as they have to.
 *
 * @param {Outcome[]} outcomes
 * @returns {{ lines: string[]; isEnough: boolean }}
 */
export function summary(outcomes) {
  const groups = [
    ['listed', outcomes.filter(({ mutation }) => !mutation.isRandom)],
    ['random', outcomes.filter(({ mutation }) => mutation.isRandom)],
  ];
  const parts = groups.filter(([, group]) => group.length > 0).map(([name, group]) => tally(name, group));
  const broken = [...new Set(outcomes.flatMap(({ finding }) => finding.brokenSuites))];
  return {
    lines: [
      ...parts.map(({ line }) => line),
      ...broken.map(suite => `${suite} is red without a fault, or for what is not built, and catches none`),
    ],
    isEnough: parts.every(({ isEnough }) => isEnough) && broken.length === 0,
  };
}

function tally(name, group) {
  const isCaught = ({ finding }) => finding.caughtBy !== undefined;
  const inLong = group.filter(({ finding }) => finding.tier === 'long').length;
  const quick = group.filter(isCaught).length - inLong;
  const equivalent = group.filter(outcome => !isCaught(outcome) && outcome.equivalent).length;
  const survivors = group.length - quick - inLong - equivalent;
  const least = Math.ceil(QUICK_SHARE[name] * group.length);
  const line =
    `${name}: ${quick} of ${group.length} caught in unit and service (${least} at least), ${inLong} in long` +
    `${equivalent > 0 ? `, ${equivalent} equivalent` : ''}, ${survivors} survive`;
  return { line, isEnough: quick >= least && survivors === 0 };
}
