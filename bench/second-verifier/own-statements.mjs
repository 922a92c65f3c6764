// Statements under definitions of other people: what they say, and a witness of it, by seed.
import { accumulate, bits, ownAir, readDefinition, statement } from '@svc/stark-air';
import { FIBONACCI, RATIO, UP_AND_SQUARE } from '@svc/stark-air/testing';
import { draw, pick, times } from './draw.mjs';

const value = () => BigInt(draw(2 ** 31 - 1));

/** A recurrence of one to five columns of degree up to 3, with a cycle, a public input within its constraints and fixed rows. */
function recurrence(field) {
  const s = statement(field);
  const columns = times(1 + draw(5), i => s.column(`c${i}`));
  const turns = s.cycle(
    'turn',
    times(2 ** (1 + draw(5)), () => draw(1_000)),
  );
  const shown = s.public('k');
  const leaves = [...columns, turns, shown, s.constant(2 + draw(97))];
  const product = () => times(1 + draw(3), () => pick(leaves)).reduce((one, other) => one.mul(other));
  const term = () => times(1 + draw(4), product).reduce((one, other) => one[pick(['add', 'sub'])](other));
  const local = draw(3) === 0 ? s.let('seen', columns[0].mul(shown)) : undefined;
  const start = {};
  columns.forEach((column, c) => {
    // Every name is bound, whatever was drawn.
    const bound = [shown, turns, ...(local ? [local] : [])].reduce((sum, each) => sum.add(each), term());
    s.require(`step_${c}`, column.next.sub(c === 0 ? bound : term()));
    // Row 0 is a constant, shown or hidden.
    const how = draw(3);
    if (how === 0) return s.first(column, draw(100));
    if (how === 1) s.first(column, s.public(`start_${c}`));
    start[column.name] = value();
  });
  for (const [c, column] of columns.entries()) if (draw(4) > 0) s.last(column, s.public(`end_${c}`));
  const row = 1 + draw(63);
  const fixed = draw(2) === 0;
  if (fixed) s.at(pick(columns), row, s.public('between'));
  return { text: s.json(), known: { k: value() }, rowsMin: fixed ? row + 1 : 2, witness: () => ({ start }) };
}

/** Hidden readings of a few bits whose sum, perhaps weighted by a cycle, is shown. */
function readings(field) {
  const s = statement(field);
  const width = 1 + draw(12);
  const reading = bits(s, 'reading', width);
  const weighted = draw(2) === 0 ? reading.mul(s.cycle('weight', [1, 2 + draw(50)])) : reading;
  const sum = accumulate(s, 'before', weighted);
  s.last(sum, s.public('total'));
  const given = rows =>
    Object.fromEntries(
      reading.bits.map(({ name }) => [name, BigUint64Array.from({ length: rows }, () => BigInt(draw(2)))]),
    );
  return { text: s.json(), known: {}, rowsMin: 2, witness: rows => ({ given: given(rows) }) };
}

/** A trace of ones: constraints of one row, cycles of zeros or that nothing names, a column that cells alone fix, and a row that may meet the last. */
function ones(field) {
  const bitNames = times(1 + draw(3), i => `v${i}`);
  const periodic = times(draw(3), i => ({
    name: `idle${i}`,
    values: times(2 ** (1 + draw(8)), () => String(draw(2))),
  }));
  const nodes = [];
  const constraints = bitNames.map(name => {
    const at = nodes.push(['cur', name]) - 1;
    nodes.push(['mul', at, at], ['sub', at + 1, at]);
    return { name: `bit_${name}`, node: at + 2 };
  });
  if (periodic.length === 2) {
    const at = nodes.push(['periodic', 'idle1'], ['mul', nodes.length, 2], ['mul', 2, nodes.length]) - 1;
    constraints.push({ name: 'turn', node: at - 1 }, { name: 'again', node: at });
  }
  const cell = (column, row) => ({ column, row, value: ['const', '1'] });
  const row = draw(64);
  const boundary = [cell('v0', 'last'), cell('free', 0), cell('v0', row)].slice(0, 2 + draw(2));
  const columns = [...bitNames, 'free'];
  const text = JSON.stringify({
    ...{ format: 'air/1', field, columns, public: [], periodic, nodes, constraints, boundary },
  });
  const given = rows =>
    Object.fromEntries(columns.map(name => [name, Array.from({ length: rows }, () => 1n)]));
  return {
    ...{ text, known: {}, rowsMin: boundary.length === 3 ? Math.max(2, row + 1) : 2 },
    witness: rows => ({ given: given(rows) }),
  };
}

const fibonacci = () => ({
  ...{ text: FIBONACCI, known: {}, rowsMin: 2, witness: () => ({ start: { a: value(), b: value() } }) },
});
const ratio = () => ({
  ...{ text: RATIO, known: {}, rowsMin: 2, witness: () => ({ start: { term: value(), ratio: value() } }) },
});
const upAndSquare = () => ({ text: UP_AND_SQUARE, known: { k: value() }, rowsMin: 2, witness: () => ({}) });

const KINDS = {
  goldilocks: [recurrence, recurrence, recurrence, readings, ones, fibonacci, ratio],
  m31: [recurrence, recurrence, recurrence, readings, ones, upAndSquare],
};

/**
 * Draws a statement over a field: the text of its definition, its AIR, and the witness of a statement of so many rows.
 *
 * @param {'goldilocks' | 'm31'} field
 */
export function drawOwnStatement(field) {
  const { text, known, rowsMin, witness } = pick(KINDS[field])(field);
  const publicInputs = Object.keys(known).length > 0 ? { publicInputs: known } : {};
  return {
    text,
    air: ownAir(readDefinition(text), known),
    rowsMin,
    witnessOf: rows => ({ rows, ...publicInputs, ...witness(rows) }),
  };
}

/** The same values, members in another order: objects keep the order in which they are written. */
function reversed(json) {
  if (Array.isArray(json)) return json.map(reversed);
  if (typeof json !== 'object') return json;
  return Object.fromEntries(
    Object.entries(json)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  );
}

/** The same definition as another text: with what may stand between tokens, or its members in another order. @param {string} text */
export function spelledOtherwise(text) {
  const json = JSON.parse(text);
  const indented = JSON.stringify(draw(2) ? reversed(json) : json, undefined, pick([0, 1, '\t']));
  return (
    pick([' ', '\n', '']) + indented.replaceAll('\n', pick(['\n', '\r\n', ' \t\r\n'])) + pick(['\n', ''])
  );
}
