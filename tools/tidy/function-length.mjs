import ts from 'typescript';

const LINES_MAX = 70;
const TEST_BLOCK = /^(describe([A-Z]\w*)?|suite)$/;

/** Functions that may be longer, each with the reason; an entry that no function needs is a finding too. */
export const LONG_FUNCTIONS = [
  {
    file: 'libs/platform/src/messaging/bus.contract.ts',
    name: 'itKeepsTheBusContract',
    reason: 'a list of tests, as the callback of a describe is; two suites call it',
  },
  {
    file: 'libs/platform/src/messaging/event-stream.contract.ts',
    name: 'itKeepsTheEventStreamContract',
    reason: 'a list of tests, as the callback of a describe is; two suites call it',
  },
  {
    file: 'libs/platform/src/messaging/work-queue.contract.ts',
    name: 'itKeepsTheWorkQueueContract',
    reason: 'a list of tests, as the callback of a describe is; two suites call it',
  },
  {
    file: 'libs/platform/src/saga/saga-store.contract.ts',
    name: 'describeSagaStore',
    reason: 'a list of tests, as the callback of a describe is; two stores are held by it',
  },
];

/**
 * Functions of more than 70 lines. The callback of a `describe`, and a `describeX` of a file of cases, is a list of tests and
 * not counted.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @param {{ file: string; name: string; reason: string }[]} [exceptions]
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function functionLength(tree, exceptions = LONG_FUNCTIONS) {
  const unused = new Set(exceptions);
  const findings = [];
  for (const file of tree.files.filter(name => /\.(ts|mjs)$/.test(name))) {
    for (const { name, line, lines } of longFunctions(file, tree.read(file))) {
      const exception = exceptions.find(entry => entry.file === file && entry.name === name);
      if (exception) unused.delete(exception);
      else
        findings.push({ file, line, message: `${name} has ${lines} lines, and ${LINES_MAX} is the bound` });
    }
  }
  for (const { file, name } of unused) {
    findings.push({ file, line: 1, message: `the exception for ${name} is no longer needed` });
  }
  return findings;
}

function longFunctions(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const lineOf = position => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = node => {
    if (ts.isFunctionLike(node) && node.body && !isTestBlock(node) && !isListOfCases(file, node)) {
      const line = lineOf(node.getStart(source));
      const lines = lineOf(node.end) - line + 1;
      if (lines > LINES_MAX) found.push({ name: nameOf(node, source), line, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `describe('…', () => …)`, `describe.each(…)('…', () => …)`, and `describeX(() => …)` of a file of cases. */
function isTestBlock(node) {
  let callee = ts.isCallExpression(node.parent) ? node.parent.expression : undefined;
  while (callee && (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee))) {
    callee = callee.expression;
  }
  return callee !== undefined && ts.isIdentifier(callee) && TEST_BLOCK.test(callee.text);
}

/** What a quick and a long suite both call: `export function describeX(…)` in `X.cases.ts`. */
function isListOfCases(file, node) {
  return (
    /\.cases\.ts$/.test(file) && ts.isFunctionDeclaration(node) && /^describe[A-Z]/.test(node.name?.text)
  );
}

function nameOf(node, source) {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  if (named) return named.getText(source);
  return ts.isConstructorDeclaration(node) ? 'constructor' : 'a function without a name';
}
