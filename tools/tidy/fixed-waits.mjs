import ts from 'typescript';

const TEST = /\.(spec|cases|contract|fuzz)\.(ts|mjs)$|\/(e2e|testing)\/.*\.(ts|mjs)$/;
/** Functions that wait for a time and for nothing else, by the names that files import them under. */
const USUAL = ['delay', 'sleep', 'wait', 'pause'];
const CLOCK = /^(Date|performance|process\.hrtime(\.bigint)?|process\.uptime)$|^(Date|performance)\.now$/;
/**
 * A wait that is itself what a test is about, as the pause of a peer that is not ours or the work of a stand-in, says so on its line
 * or on the one above: `// a fixed wait: REASON`.
 */
const ALLOWED = /\/\/ a fixed wait: (.*)$/;
/** Letters of the shortest reason that says something. */
const REASON_LETTERS = 20;

/**
 * Waits of tests for a time instead of for a condition: a promise of a timer that stands in no loop that asks between two waits
 * whether something holds. A wait that is too short on a busy machine fails, one that is long enough there costs everybody. A loop
 * that ends by a count of its turns or by a clock, whatever else ends it, is such a wait in pieces, and a race against a timer is one
 * with a verdict; what hangs is ended by the limit of the tier. A loop that throws when a time is over, to say what it waited for, asks
 * all the same.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function fixedWaits({ files, read }) {
  return files
    .filter(file => TEST.test(file))
    .flatMap(file => {
      const text = read(file);
      if (!/setTimeout|\b(delay|sleep|wait|pause)\(|scheduler\b/.test(text)) return [];
      return waitsIn(file, text).map(([line, message]) => ({ file, line, message }));
    });
}

/** @returns {[line: number, message: string][]} */
function waitsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const timers = new Timers(source);
  const found = [];
  const visit = (node, loop) => {
    const within = ts.isIterationStatement(node, false) ? node : ts.isFunctionLike(node) ? undefined : loop;
    if (timers.isWait(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const complaint = complaintOf(within, lines, line);
      if (complaint) found.push([line + 1, complaint]);
      return;
    }
    if (timers.isAlias(node)) return;
    ts.forEachChild(node, child => visit(child, within));
  };
  visit(source, undefined);
  return found;
}

/** What is wrong with a wait on this line (from 0) in this loop; undefined where nothing is. */
function complaintOf(loop, lines, line) {
  const [, reason] = ALLOWED.exec(lines[line]) ?? ALLOWED.exec(lines[line - 1] ?? '') ?? [];
  if (reason !== undefined)
    return reason.replace(/\W/g, '').length < REASON_LETTERS ? 'a fixed wait says why it is one' : undefined;
  if (loop === undefined) return 'waits for a time: wait for what it is to bring about';
  const exits = exitsOf(loop);
  if (exits.some(readsClock)) return 'polls until a time is over: the limit of the tier ends what hangs';
  if (!exits.some(exit => asksSomething(exit, loop)))
    return 'waits for a time in pieces: nothing but a count ends the loop';
  return exits.flatMap(partsOf).some(part => isCount(part, loop))
    ? 'polls a number of times: the limit of the tier ends what hangs'
    : undefined;
}

/** The names under which a file waits for a time. */
class Timers {
  names = new Set(USUAL);

  constructor(source) {
    const declared = new Map();
    const visit = node => {
      if (ts.isImportDeclaration(node) && /^(node:)?timers\/promises$/.test(node.moduleSpecifier.text))
        for (const { name, propertyName } of node.importClause?.namedBindings?.elements ?? [])
          if ((propertyName ?? name).text === 'setTimeout') this.names.add(name.text);
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
        declared.set(node.name.text, node.initializer);
      if (ts.isFunctionDeclaration(node) && node.name) declared.set(node.name.text, node);
      ts.forEachChild(node, visit);
    };
    visit(source);
    for (const name of USUAL) if (declared.has(name)) this.names.delete(name);
    // An alias may be of an alias that stands below it.
    for (let before = -1; before !== this.names.size;) {
      before = this.names.size;
      for (const [name, value] of declared) if (this.isTimer(value)) this.names.add(name);
    }
  }

  /** Whether a declared value waits when it is called: `delay`, `promisify(setTimeout)`, `ms => delay(ms)`. */
  isTimer(value) {
    if (ts.isIdentifier(value)) return this.names.has(value.text);
    if (ts.isCallExpression(value))
      return /promisify$/.test(value.expression.getText()) && isSetTimeout(value.arguments[0]);
    return ts.isFunctionLike(value) && this.#givesWait(value);
  }

  #givesWait({ body }) {
    if (body === undefined) return false;
    if (!ts.isBlock(body)) return this.isWait(body);
    const [only, more] = body.statements;
    if (only === undefined || more !== undefined) return false;
    if (ts.isExpressionStatement(only) && ts.isAwaitExpression(only.expression))
      return this.isWait(only.expression.expression);
    return ts.isReturnStatement(only) && only.expression !== undefined && this.isWait(only.expression);
  }

  /** The declaration of such a name, whose timer counts where it is called. */
  isAlias(node) {
    return (
      (ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) &&
      node.name !== undefined &&
      this.names.has(node.name.getText()) &&
      this.isTimer(ts.isVariableDeclaration(node) ? (node.initializer ?? node) : node)
    );
  }

  /** `delay(20)`, `timers.setTimeout(20)`, `scheduler.wait(20)`, or a promise that a timer settles. */
  isWait(node) {
    if (ts.isCallExpression(node)) {
      const callee = node.expression;
      if (ts.isIdentifier(callee)) return this.names.has(callee.text);
      return /^(timers|timersPromises|promises)\.setTimeout$|^scheduler\.wait$/.test(callee.getText());
    }
    if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return false;
    const [executor] = node.arguments ?? [];
    return executor !== undefined && ts.isFunctionLike(executor) && setsTimer(executor.body);
  }
}

const isSetTimeout = node =>
  node !== undefined && /^(globalThis\.|timers\.)?setTimeout$/.test(node.getText());

/** Whether code sets a timer itself, not in a function that it hands on. */
function setsTimer(node) {
  if (ts.isFunctionLike(node)) return false;
  if (ts.isCallExpression(node) && isSetTimeout(node.expression)) return true;
  return ts.forEachChild(node, setsTimer) ?? false;
}

/** Expressions on which it depends whether a loop goes on: its condition, and those of what leaves it. */
function exitsOf(loop) {
  const exits = [];
  if (ts.isWhileStatement(loop) || ts.isDoStatement(loop)) exits.push(loop.expression);
  if (ts.isForStatement(loop) && loop.condition) exits.push(loop.condition);
  const visit = (node, conditions) => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) || ts.isBreakStatement(node)) exits.push(...conditions);
    const own = ts.isIfStatement(node) ? [...conditions, node.expression] : conditions;
    // What throws inside a try is a question that is asked again.
    if (ts.isTryStatement(node) && node.catchClause) exits.push(node.tryBlock);
    ts.forEachChild(node, child => visit(child, own));
  };
  visit(loop.statement, []);
  return exits;
}

/** Whether an expression asks what time it is. */
function readsClock(expression) {
  let reads = false;
  const visit = node => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) && CLOCK.test(node.expression.getText())) reads = true;
    ts.forEachChild(node, visit);
  };
  visit(expression);
  return reads && !ts.isBlock(expression);
}

/** Whether an expression depends on more than counters of the loop: on a call, or on a value that others set. */
function asksSomething(expression, loop) {
  const counters = countersOf(loop);
  let asks = false;
  const visit = node => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) || ts.isAwaitExpression(node) || ts.isPropertyAccessExpression(node))
      asks = true;
    if (ts.isIdentifier(node) && !counters.has(node.text) && !/^[A-Z][A-Z0-9_]*$/.test(node.text))
      asks = true;
    ts.forEachChild(node, visit);
  };
  visit(expression);
  return asks;
}

/** What `&&` and `||` join. */
function partsOf(expression) {
  if (ts.isParenthesizedExpression(expression)) return partsOf(expression.expression);
  return ts.isBinaryExpression(expression) && JOINS.has(expression.operatorToken.kind)
    ? [...partsOf(expression.left), ...partsOf(expression.right)]
    : [expression];
}

const JOINS = new Set([ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken]);

/** Whether an expression holds a count of the turns against a number and asks nothing else. */
function isCount(expression, loop) {
  const turns = turnsOf(loop);
  const names = node => (ts.isIdentifier(node) ? turns.has(node.text) : ts.forEachChild(node, names));
  return !ts.isBlock(expression) && !asksSomething(expression, loop) && names(expression) === true;
}

/** Names that a loop counts with in each turn, and not where something came about alone. */
function turnsOf(loop) {
  const always = (loop.statement.statements ?? []).filter(ts.isExpressionStatement);
  return new Set(
    [loop.incrementor, loop.condition, loop.expression, ...always].filter(Boolean).flatMap(steppedIn),
  );
}

const STEPS = new Set([
  ...[ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken],
  ...[ts.SyntaxKind.PlusEqualsToken, ts.SyntaxKind.MinusEqualsToken],
]);

/** Names that code counts with: `n++`, `--n`, `n += 2`. */
function steppedIn(node) {
  const names = [];
  const visit = each => {
    if (ts.isPostfixUnaryExpression(each) || (ts.isPrefixUnaryExpression(each) && STEPS.has(each.operator)))
      names.push(each.operand.getText());
    if (ts.isBinaryExpression(each) && STEPS.has(each.operatorToken.kind)) names.push(each.left.getText());
    ts.forEachChild(each, visit);
  };
  visit(node);
  return names;
}

/** Names that a loop sets in its head or counts with. */
function countersOf(loop) {
  const list = loop.initializer;
  const inHead = list && ts.isVariableDeclarationList(list) ? list.declarations : [];
  return new Set([...inHead.map(({ name }) => name.getText()), ...steppedIn(loop)]);
}
