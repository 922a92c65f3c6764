import { readFileSync } from 'node:fs';
import { committedRows, GALLERY, type OwnDefinition, statement } from '@svc/stark-air';
import { PARAMETER_SETS, parametersOf, setParameters, traceLengthFor } from '@svc/stark-verifier';
import { OWN_UNITS_MAX, ownProofUnits } from './own-units.js';

const PAGE = readFileSync(new URL('../../../../../docs/own-statements.md', import.meta.url), 'utf8');

/** Of a hidden proof of so many rows, at what is asked for by default. */
function unitsOf(definition: OwnDefinition, rows: number): number {
  const set = PARAMETER_SETS[definition.field === 'm31' ? 'm31' : 'P100'];
  const traceLength = traceLengthFor(setParameters(set, 8, true), rows + 1, 64);
  return ownProofUnits(definition, parametersOf(set, traceLength, 8, true));
}

it('covers the gallery up to the sizes that its page has, and twice as many values no more', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| `[0-9a-f]{64}` .* \| (?:depth )?(\d+)[^|]*\|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(GALLERY));
  for (const [, name, size] of rows) {
    const blocks = name === 'member' ? Number(size) + 2 : name === 'score' ? 4 : Number(size);
    const definition = GALLERY[name]().definition();
    expect([name, unitsOf(definition, committedRows(blocks)) <= OWN_UNITS_MAX]).toEqual([name, true]);
    if (blocks > 100)
      expect([name, unitsOf(definition, committedRows(2 * blocks)) <= OWN_UNITS_MAX]).toEqual([name, false]);
  }
});

it('covers a recurrence of 65,536 rows over either field, and grows with all that a proof does', () => {
  const stepping = (field: 'goldilocks' | 'm31', columns: number, terms: number) => {
    const s = statement(field);
    const list = Array.from({ length: columns }, (_, i) => s.column(`x${i}`));
    list.forEach((x, i) => {
      let value = x.mul(x);
      for (let k = 0; k < terms; k++) value = value.add(x.mul(BigInt(k + 2)));
      s.require(`step_${i}`, x.next.sub(value));
    });
    return s.definition();
  };
  for (const field of ['goldilocks', 'm31'] as const)
    expect(unitsOf(stepping(field, 1, 1), 65_536)).toBeLessThan(OWN_UNITS_MAX);
  const small = unitsOf(stepping('goldilocks', 1, 1), 1_000);
  for (const larger of [
    unitsOf(stepping('goldilocks', 2, 1), 1_000),
    unitsOf(stepping('goldilocks', 1, 40), 1_000),
    unitsOf(stepping('goldilocks', 1, 1), 4_000),
  ])
    expect(larger).toBeGreaterThan(small);
});

it.each([
  ['goldilocks', 42.7 / 56.5],
  ['m31', 49.2 / 48.5],
] as const)('counts what does not grow with the blowup, over %s', (field, measured) => {
  // Milliseconds of one column at blowup 2 and at blowup 8, 2^14 rows (bench/RESULTS.md), within the quarter that estimates are held to.
  const s = statement(field);
  const x = s.column('x');
  s.require('step', x.next.sub([2, 4, 6].reduce((sum, k) => sum.add(x.mul(BigInt(k))), x.mul(1n))));
  s.last(x, s.public('end'));
  const set = PARAMETER_SETS[field === 'm31' ? 'm31' : 'P100'];
  const [small, large] = [2, 8].map(blowup =>
    ownProofUnits(s.definition(), parametersOf(set, 2 ** 14, blowup, true)),
  );
  expect(Math.abs(small / large / measured - 1)).toBeLessThan(0.25);
});
