import { readFileSync } from 'node:fs';
import { CONSERVED } from './conserved.mjs';
import { History, isOpen, paidTries } from './history.mjs';
import { ONCE } from './once.mjs';
import { PAID } from './paid.mjs';

const RULES = { ...ONCE, ...PAID, ...CONSERVED };

/**
 * Decides on a recorded history (history-lines.mjs): whether each payment bought one answer, each answer was paid for, and what came in
 * is what was sold, what is owed and what went back. It has no code of the product, so that the two are not wrong together.
 *
 * @param {string} text
 * @returns {{ findings: import('./history-lines.mjs').Finding[]; seen: Record<string, number> }} `seen` says what there was to judge
 */
export function checkHistory(text) {
  const history = new History(text);
  // What cannot be read cannot be judged.
  if (history.faults.length > 0) return { findings: history.faults, seen: {} };
  const tries = history.purchases.flatMap(purchase => purchase.tries);
  const seen = {
    ...{ asks: history.asks.length, purchases: history.purchases.length, claims: history.claims.length },
    paidAnswers: history.purchases.flatMap(paidTries).length,
    ...{
      openTries: tries.filter(isOpen).length,
      money: history.money.length,
      entries: history.entries.length,
    },
  };
  const findings = Object.entries(RULES).flatMap(([rule, judge]) =>
    judge(history).map(finding => ({ rule, ...finding })),
  );
  return { findings, seen };
}

/** Names of all rules that a history is held to. */
export const RULE_NAMES = ['history/lines', ...Object.keys(RULES)];

/** `node check-history.mjs FILE`: prints the verdict as JSON, and ends with 1 where a rule is broken. */
function main([file]) {
  if (file === undefined) {
    process.stderr.write('usage: node tools/history/check-history.mjs FILE\n');
    process.exitCode = 2;
    return;
  }
  const verdict = checkHistory(readFileSync(file, 'utf8'));
  process.stdout.write(`${JSON.stringify(verdict, undefined, 1)}\n`);
  process.exitCode = verdict.findings.length > 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
