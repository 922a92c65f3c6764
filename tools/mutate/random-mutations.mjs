import ts from 'typescript';

/**
 * @typedef {{ id: string; area: string; file: string; old: string; new: string; what: string }} Mutation
 * @typedef {{ operator: string; start: number; end: number; replacement: string }} Site
 *   a place of a text where an operator can put a fault
 */

/** Product sources, by the package that they are in; what tests alone import is none. */
const PRODUCT = /^(apps\/[\w-]+|libs\/engines\/[\w-]+|libs\/(?!engines\/)[\w-]+)\/src\/.+\.ts$/;
const NO_PRODUCT = /\.(spec|cases|contract|bench|fuzz|generated|d)\.ts$|\/(testing|simulation|bench)\//;

const OTHER_BOUND = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** What a fault of the operator is, for people. */
const WORDS = { negate: 'a condition negated', drop: 'a statement dropped', bound: 'a bound shifted' };

/**
 * Draws faults: each in a package of its own as long as there are such, so that none is left out for being small; there in
 * a file by its length, and in that by an operator and a place that it can be put at.
 *
 * @param {{ files: string[]; read: (file: string) => string }} tree
 * @param {number} count
 * @param {number} seed
 * @returns {Mutation[]} the same for the same sources, count and seed
 */
export function drawMutations({ files, read }, count, seed) {
  const random = randomOf(seed);
  const byPackage = grouped(files.filter(isProduct).sort(), file => PRODUCT.exec(file)[1]);
  const mutations = [];
  let left = [];
  while (mutations.length < count && byPackage.size > 0) {
    if (left.length === 0) left = [...byPackage.keys()];
    const [name] = left.splice(Math.floor(random() * left.length), 1);
    const found = drawWithin(byPackage.get(name), read, random);
    if (found) mutations.push({ id: `random-${mutations.length + 1}`, area: name, ...found });
    else byPackage.delete(name);
  }
  return mutations;
}

/** @param {string} file */
export const isProduct = file => PRODUCT.test(file) && !NO_PRODUCT.test(file);

function drawWithin(files, read, random) {
  const candidates = files.map(file => ({ file, weight: read(file).length }));
  while (candidates.length > 0) {
    let at = random() * candidates.reduce((sum, { weight }) => sum + weight, 0);
    const index = Math.max(
      candidates.findIndex(({ weight }) => (at -= weight) < 0),
      0,
    );
    const [{ file }] = candidates.splice(index, 1);
    const found = drawInFile(file, read(file), random);
    if (found) return found;
  }
  return undefined;
}

function drawInFile(file, text, random) {
  const byOperator = grouped(sitesOf(file, text), ({ operator }) => operator);
  if (byOperator.size === 0) return undefined;
  const pick = list => list[Math.floor(random() * list.length)];
  const site = pick(byOperator.get(pick([...byOperator.keys()].sort())));
  const line = text.slice(0, site.start).split('\n').length;
  return { file, what: `${WORDS[site.operator]} in line ${line}`, ...lineChange(text, site) };
}

/**
 * Every place of a text that a fault can be put at.
 *
 * @param {string} file
 * @param {string} text
 * @returns {Site[]}
 */
export function sitesOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Site[]} */
  const sites = [];
  const add = (operator, node, replacement) =>
    sites.push({ operator, start: node.getStart(source), end: node.end, replacement });
  const visit = node => {
    if (ts.isIfStatement(node)) add('negate', node.expression, `!(${node.expression.getText(source)})`);
    if (ts.isConditionalExpression(node))
      add('negate', node.condition, `!(${node.condition.getText(source)})`);
    if (mayGo(node)) add('drop', node, '');
    if (ts.isBinaryExpression(node)) {
      const other = OTHER_BOUND[node.operatorToken.getText(source)];
      if (other) add('bound', node.operatorToken, other);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

/** Statements that the text is still a program without: calls, assignments, and what is done on a condition alone. */
function mayGo(node) {
  if (!ts.isBlock(node.parent ?? node)) return false;
  if (ts.isIfStatement(node)) return node.elseStatement === undefined;
  return ts.isExpressionStatement(node) && !node.getText().startsWith('super(');
}

/** A place as whole lines, and as many more before them as it takes to occur once. */
function lineChange(text, { start, end, replacement }) {
  let from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end) === -1 ? text.length : text.indexOf('\n', end);
  while (from > 0 && text.split(text.slice(from, to)).length > 2) {
    from = text.lastIndexOf('\n', from - 2) + 1;
  }
  return {
    old: text.slice(from, to),
    new: text.slice(from, start) + replacement + text.slice(end, to),
  };
}

/**
 * The lines in which two texts differ, as a diff has them.
 *
 * @param {{ old: string; new: string }} change
 * @returns {string[]}
 */
export function diffLines({ old, new: replacement }) {
  const [before, after] = [old.split('\n'), replacement.split('\n')];
  while (before.length > 0 && before[0] === after[0]) {
    before.shift();
    after.shift();
  }
  while (before.length > 0 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return [...before.map(line => `- ${line.trim()}`), ...after.map(line => `+ ${line.trim()}`)].filter(
    line => line.length > 2,
  );
}

/** @returns {Map<string, unknown[]>} */
function grouped(list, nameOf) {
  const groups = new Map();
  for (const item of list) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}

/** mulberry32. @returns {() => number} from 0 to below 1 */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
