import { FIBONACCI, RATIO, UP_AND_SQUARE } from '../testing/own-definitions.js';
import { readDefinition } from './definition.js';
import { definitionFacts, definitionLines } from './definition-facts.js';
import { bits, statement, type Term } from './statement.js';

describe('what is said of a definition', () => {
  it('tells how its columns come about, and what it fixes and shows', () => {
    expect(definitionFacts(readDefinition(FIBONACCI))).toEqual({
      ...{ columns: 2, nodes: 7, constraints: 2, degree: 1, stepped: ['a', 'b'], local: [], given: [] },
      ...{ freeOfNext: [], fixesNothing: false, showsNothing: false, zeroHolds: true },
    });
    expect(definitionFacts(readDefinition(UP_AND_SQUARE))).toMatchObject({
      degree: 3,
      stepped: ['x'],
      zeroHolds: false,
    });
    const s = statement('m31');
    bits(s, 'x', 2);
    expect(definitionFacts(s.definition())).toMatchObject({
      ...{
        given: ['x_0', 'x_1'],
        freeOfNext: ['x_0', 'x_1'],
        fixesNothing: true,
        showsNothing: true,
        zeroHolds: true,
      },
    });
  });

  it('looks for zeros at every row of a cycle, with public inputs that are something', () => {
    const zeroHolds = (write: (x: Term, up: Term, k: Term, s: ReturnType<typeof statement>) => Term) => {
      const s = statement('goldilocks');
      const x = s.column('x');
      const [up, k] = [s.cycle('up', [0, 0, 0, 1]), s.public('k')];
      s.require('step', x.next.sub(write(x, up, k, s)));
      s.require('k_is_used', x.mul(k).sub(x.mul(up)));
      return definitionFacts(s.definition()).zeroHolds;
    };
    expect(zeroHolds((x, up) => x.add(up))).toBe(false);
    expect(zeroHolds((x, up) => x.add(up.mul(up.sub(1))))).toBe(true);
    expect(zeroHolds((x, _up, k) => x.add(k))).toBe(false);
  });

  it('is not asked for zeros where that would take long', () => {
    const s = statement('goldilocks');
    const x = s.column('x');
    const up = s.cycle(
      'up',
      Array.from({ length: 256 }, (_, i) => i),
    );
    let sum: Term = x.add(up);
    for (let i = 0; i < 300; i++) sum = sum.add(i).mul(1);
    s.require('step', x.next.sub(sum));
    expect(definitionFacts(s.definition()).zeroHolds).toBeUndefined();
  });

  it('has a line for each constraint, and for what they share', () => {
    expect(definitionLines(readDefinition(RATIO))).toEqual([
      'multiply: next term − term · ratio = 0',
      'hold: next ratio − ratio = 0',
    ]);
    expect(definitionLines(readDefinition(UP_AND_SQUARE))).toEqual([
      'step: next x − (cycle up · (x + public k) + (1 − cycle up) · x · x) = 0',
    ]);
    const s = statement('goldilocks');
    const [a, b] = [s.column('a'), s.column('b')];
    const shared = a.add(b).mul(a);
    s.require('one', a.next.sub(shared));
    s.require('other', b.next.sub(shared.sub(b)));
    expect(definitionLines(s.definition())).toEqual([
      't3 = (a + b) · a',
      'one: next a − t3 = 0',
      'other: next b − (t3 − b) = 0',
    ]);
  });

  it('is no longer than a few times the definition, however often its terms are added to themselves', () => {
    const s = statement('goldilocks');
    const x = s.column('x');
    let term: Term = x;
    for (let i = 0; i < 2_000; i++) term = i % 2 === 0 ? term.add(term) : term.add(x).add(i);
    s.require('step', x.next.sub(term));
    const lines = definitionLines(s.definition());
    expect(lines.join('\n').length).toBeLessThan(10 * s.json().length);
  });
});
