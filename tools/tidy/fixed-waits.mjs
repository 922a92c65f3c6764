import ts from 'typescript';

const TEST = /\.(spec|cases)\.ts$|\/e2e\/|\/testing\//;
/** Functions that wait for a time and for nothing else, by the names that files import or give them. */
const WAITS = new Set(['delay', 'sleep', 'wait', 'setTimeout']);

/**
 * Waits of tests for a time instead of for a condition: an awaited timer outside of a loop. A timer in a loop asks again whether
 * something holds. A wait that is too short on a busy machine fails, one that is long enough there costs everybody.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function fixedWaits({ files, read }) {
  return files
    .filter(file => /\.ts$/.test(file) && TEST.test(file))
    .flatMap(file => {
      const text = read(file);
      const lines = /\b(delay|sleep|wait|setTimeout)\(/.test(text) ? waitsIn(file, text) : [];
      return lines.map(line => ({
        file,
        line,
        message: 'waits for a time: wait for what it is to bring about',
      }));
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
