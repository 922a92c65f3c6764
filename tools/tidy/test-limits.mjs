import ts from 'typescript';
import { TEST_FILE } from './forbidden-text.mjs';

/** Functions of Jest that take a limit, and behind how many arguments. */
const LIMIT_AFTER = { it: 2, test: 2, beforeAll: 1, beforeEach: 1, afterAll: 1, afterEach: 1 };

/**
 * Limits of wall time that a test sets itself. What hangs is ended by the limit of its tier (tools/test/suites.mjs): a lower one
 * judges how fast the machine is, a higher one belongs into a longer tier.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function testLimits({ files, read }) {
  return files
    .filter(file => /\.ts$/.test(file) && TEST_FILE.test(file))
    .flatMap(file => {
      const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
      const findings = [];
      const visit = node => {
        if (ts.isCallExpression(node) && setsLimit(node)) {
          const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
          findings.push({ file, line, message: 'sets a limit of its own: that of the tier ends what hangs' });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return findings;
    });
}

/** `it('x', work, 5_000)`, `it.each(rows)('x', work, LIMIT)`, `beforeAll(work, 5_000)`, `jest.setTimeout(5_000)`. */
function setsLimit({ expression, arguments: given }) {
  if (ts.isPropertyAccessExpression(expression) && expression.getText() === 'jest.setTimeout') return true;
  // The name in front of `.each(rows)` or of a template of rows.
  let name = expression;
  if (ts.isCallExpression(name)) name = name.expression;
  else if (ts.isTaggedTemplateExpression(name)) name = name.tag;
  else if (ts.isPropertyAccessExpression(name) && name.name.text === 'each') return false;
  while (ts.isPropertyAccessExpression(name)) name = name.expression;
  return ts.isIdentifier(name) && given.length > (LIMIT_AFTER[name.text] ?? Infinity);
}
