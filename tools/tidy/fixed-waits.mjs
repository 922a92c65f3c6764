import ts from 'typescript';

const TEST = /\.(spec|cases)\.ts$|\/e2e\/|\/testing\//;
/** Functions that wait for a time and for nothing else, by the names that files import or give them. */
const WAITS = new Set(['delay', 'sleep', 'wait', 'setTimeout']);

/**
 * Fixed waits that stand in tests from before they were refused, by file. A number here only falls: the check reports one that is
 * too high as well.
 */
const LEFT = {
  'apps/acoustic/e2e/beacons.e2e.spec.ts': 2,
  'apps/allinone/e2e/acoustic-routes.e2e.spec.ts': 1,
  'apps/allinone/e2e/proof-jobs.e2e.spec.ts': 1,
  'apps/allinone/e2e/saga-hardship.long.spec.ts': 1,
  'apps/allinone/e2e/snn-routes.e2e.spec.ts': 1,
  'apps/department/e2e/task-death.long.spec.ts': 1,
  'apps/department/e2e/task-queue.e2e.spec.ts': 2,
  'apps/department/src/desks/call-progress.spec.ts': 1,
  'apps/gateway/e2e/burst-limits.spec.ts': 1,
  'apps/gateway/e2e/mcp-calls.spec.ts': 2,
  'apps/gateway/e2e/mesh-calls.spec.ts': 1,
  'apps/mesh-signalling/e2e/document.e2e.spec.ts': 2,
  'apps/mesh-signalling/e2e/replicas.e2e.spec.ts': 1,
  'apps/mesh-signalling/e2e/tool.e2e.spec.ts': 2,
  'apps/mesh-signalling/src/document/update-keeper.spec.ts': 2,
  'apps/payments/e2e/claim-upkeep.e2e.spec.ts': 1,
  'apps/payments/e2e/telemetry.e2e.spec.ts': 1,
  'apps/prover/e2e/idempotent-calls.spec.ts': 1,
  'apps/prover/src/jobs/job-worker.spec.ts': 2,
  'libs/durability/src/saga/saga-runner.spec.ts': 2,
  'libs/engines/spiking/src/node/spiking-threads.spec.ts': 1,
  'libs/platform/e2e/schema-migration.spec.ts': 2,
  'libs/platform/e2e/work-queue-jetstream.spec.ts': 1,
  'libs/platform/src/presence/server-clock.spec.ts': 1,
  'tools/sandbox/e2e/chain/local-chain.spec.ts': 1,
  'tools/sandbox/e2e/webhooks.e2e.spec.ts': 1,
};

/**
 * Waits of tests for a time instead of for a condition: an awaited timer outside of a loop. A timer in a loop asks again whether
 * something holds. A wait that is too short on a busy machine fails, one that is long enough there costs everybody.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @param {Record<string, number>} [left]
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function fixedWaits({ files, read }, left = LEFT) {
  return files
    .filter(file => /\.ts$/.test(file) && TEST.test(file))
    .flatMap(file => {
      const text = read(file);
      const lines = /\b(delay|sleep|wait|setTimeout)\(/.test(text) ? waitsIn(file, text) : [];
      const allowed = left[file] ?? 0;
      if (lines.length > allowed)
        return lines
          .slice(allowed)
          .map(line => ({ file, line, message: 'waits for a time: wait for what it is to bring about' }));
      const message = `has ${lines.length} fixed waits, and tools/tidy/fixed-waits.mjs lets it have ${allowed}`;
      return lines.length < allowed ? [{ file, line: 1, message }] : [];
    });
}

/** Lines of the awaited timers that stand in no loop of their function. */
function waitsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = [];
  const visit = (node, isPolling) => {
    const polls = ts.isIterationStatement(node, false) || (isPolling && !ts.isFunctionLike(node));
    // The timer of a promise is a function of its own, and no other wait.
    if (ts.isAwaitExpression(node) && !isPolling && isTimer(node.expression)) {
      lines.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
      return;
    }
    ts.forEachChild(node, child => visit(child, polls));
  };
  visit(source, false);
  return lines;
}

/** `delay(20)`, `setTimeout(20)` of timers/promises, or `new Promise(resolve => setTimeout(resolve, 20))`. */
function isTimer(expression) {
  if (ts.isCallExpression(expression))
    return ts.isIdentifier(expression.expression) && WAITS.has(expression.expression.text);
  if (!ts.isNewExpression(expression)) return false;
  const [executor] = expression.arguments ?? [];
  return (
    executor !== undefined && ts.isArrowFunction(executor) && /^setTimeout\(/.test(executor.body.getText())
  );
}
