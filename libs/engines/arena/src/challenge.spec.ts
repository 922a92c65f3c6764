import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  type ArenaAnswer,
  drawChallenge,
  type DrawnChallenge,
  FAMILIES,
  gradeAnswer,
  LevelError,
  seedCommitment,
} from './challenge.js';
import { maxCut } from './max-cut.js';
import { modPower, solveLinear } from './modular-algebra.js';
import { RandomSource, SeedLengthError } from './random-source.js';
import { satisfy } from './satisfiability.js';
import { limitMsOf, PAR_MS, progressPpm, scoreOf, scorePpm, scoreRules, timePpm } from './score.js';
import { shortestPath } from './shortest-path.js';

const seedOf = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());

/** The best answer to a challenge of a low level, found by this library's own solvers and by search. */
function bestAnswer(challenge: DrawnChallenge): ArenaAnswer {
  switch (challenge.family) {
    case 'shortest-path':
      return { path: shortestPath(challenge.problem)!.path };
    case 'max-cut': {
      const order = Array.from({ length: challenge.problem.vertices }, (_, i) => i);
      return { side: maxCut(challenge.problem, order).side };
    }
    case 'sat':
      return { assignment: satisfy(challenge.problem)! };
    case 'modular-algebra':
      return { x: algebraAnswer(challenge.problem) };
  }
}

function algebraAnswer(problem: (DrawnChallenge & { family: 'modular-algebra' })['problem']) {
  if (problem.kind === 'linear-system') {
    const rows = problem.matrix.map(row => row.map(BigInt));
    return solveLinear(rows, problem.values.map(BigInt), BigInt(problem.modulus))!.map(String);
  }
  const holds = (x: bigint) =>
    problem.kind === 'chinese-remainder'
      ? problem.moduli.every((modulus, i) => x % BigInt(modulus) === BigInt(problem.residues[i]))
      : modPower(BigInt(problem.base), x, BigInt(problem.modulus)) === BigInt(problem.power);
  for (let x = 0n; ; x++) if (holds(x)) return String(x);
}

const isHeavier = { family: 'max-cut', level: 2 } as const;

describe('challenges', () => {
  it('are made by their seed alone, and no other seed makes the same', () => {
    for (const family of FAMILIES) {
      const one = drawChallenge(family, 4, seedOf('one'));
      expect(drawChallenge(family, 4, seedOf('one'))).toEqual(one);
      expect(drawChallenge(family, 4, seedOf('other'))).not.toEqual(one);
    }
  });

  it('stay what a seed made before: who was shown the seed can make them again', () => {
    const digests = FAMILIES.map(family => {
      const made = [1, 5, 10].map(level => drawChallenge(family, level, seedOf('fixed')));
      return createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 16);
    });
    expect(digests).toMatchInlineSnapshot(`
      [
        "cfafc7b91752ed0c",
        "18a7ecbecb0206ec",
        "cf64c417a115ae89",
        "e7ba2d0b26adf6d6",
      ]
    `);
  });

  it('grow with their level', () => {
    for (const family of FAMILIES) {
      if (family === 'modular-algebra') continue;
      const sizes = [1, 3, 5, 7, 9, 10].map(
        level => JSON.stringify(drawChallenge(family, level, seedOf('size')).problem).length,
      );
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    }
  });

  it('give the best answer full marks, at the levels that a search of everything reaches', () => {
    for (const family of FAMILIES) {
      for (const level of [1, 2, 3]) {
        const challenge = drawChallenge(family, level, seedOf(`best ${level}`));
        const verdict = gradeAnswer(challenge, bestAnswer(challenge));
        expect([family, level, verdict]).toEqual([
          family,
          level,
          expect.objectContaining({ isValid: true, correctness: 1, optimalityPpm: 1_000_000 }),
        ]);
      }
    }
  });

  it('give an answer to another family nothing', () => {
    const answers: ArenaAnswer[] = [{ path: [0, 1] }, { side: '01' }, { assignment: '01' }, { x: '1' }];
    FAMILIES.forEach((family, i) => {
      const verdict = gradeAnswer(drawChallenge(family, 1, seedOf('foreign')), answers[(i + 1) % 4]);
      expect(verdict).toMatchObject({ isValid: false, correctness: 0, optimalityPpm: 0, achieved: null });
    });
  });

  it('never give a cut or an assignment that is not best the marks of the best', () => {
    const cut = drawChallenge(isHeavier.family, isHeavier.level, seedOf('cut'));
    const formula = drawChallenge('sat', 2, seedOf('formula'));
    fc.assert(
      fc.property(fc.nat(2 ** 16), bits => {
        const text = bits.toString(2).padStart(17, '0');
        for (const [challenge, answer] of [
          [cut, { side: text.slice(-6) }],
          [formula, { assignment: text.slice(-9) }],
        ] as const) {
          const { isValid, correctness, optimalityPpm, achieved } = gradeAnswer(challenge, answer);
          expect(isValid).toBe(true);
          expect(correctness === 1).toBe(achieved === challenge.optimum);
          expect(optimalityPpm === 1_000_000).toBe(correctness === 1);
          expect(achieved!).toBeLessThanOrEqual(challenge.optimum);
        }
      }),
    );
  });

  it('are bound by a hash that anybody can make of the seed', () => {
    const seed = seedOf('commitment');
    const plain = createHash('sha256')
      .update('svc.arena/v1/commitment')
      .update(seed)
      .update('sat/3')
      .digest();
    expect(Buffer.from(seedCommitment('sat', 3, seed))).toEqual(plain);
    expect(seedCommitment('sat', 4, seed)).not.toEqual(seedCommitment('sat', 3, seed));
  });

  it('refuse a level or a seed that is none', () => {
    for (const level of [0, 11, 1.5, NaN])
      expect(() => drawChallenge('sat', level, seedOf(''))).toThrow(LevelError);
    expect(() => drawChallenge('sat', 1, new Uint8Array(31))).toThrow(SeedLengthError);
    expect(() => seedCommitment('sat', 1, new Uint8Array(33))).toThrow(SeedLengthError);
  });
});

describe('the numbers of a seed', () => {
  it('lie below their bound and take every value', () => {
    const random = new RandomSource(seedOf('die'));
    const seen = new Set(Array.from({ length: 400 }, () => random.below(6)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    for (const bound of [1n, 7n, 1n << 70n]) expect(random.belowBig(bound) < bound).toBe(true);
    expect(() => random.below(0)).toThrow(RangeError);
  });
});

describe('scores', () => {
  const parts = fc.record({
    correctness: fc.constantFrom(0 as const, 1 as const),
    optimalityPpm: fc.integer({ min: 0, max: 1_000_000 }),
    timePpm: fc.integer({ min: 0, max: 1_000_000 }),
  });

  it('are whole points from 0 to 100, 100 for the best at once and 0 for nothing', () => {
    fc.assert(
      fc.property(parts, each => {
        const score = scoreOf(each);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        expect(score * 1_000_000).toBeLessThanOrEqual(scorePpm(each));
        expect((score + 1) * 1_000_000).toBeGreaterThan(scorePpm(each));
      }),
    );
    expect(scoreOf({ correctness: 1, optimalityPpm: 1_000_000, timePpm: 1_000_000 })).toBe(100);
    expect(scoreOf({ correctness: 0, optimalityPpm: 0, timePpm: 0 })).toBe(0);
    expect(scoreOf({ correctness: 0, optimalityPpm: 999_999, timePpm: 0 })).toBe(29);
  });

  it('lose time evenly from par to the limit, and none before', () => {
    const limit = limitMsOf(1);
    expect([0, PAR_MS, (limit + PAR_MS) / 2, limit, 2 * limit].map(ms => timePpm(ms, limit))).toEqual([
      ...[1_000_000, 1_000_000, 500_000, 0, 0],
    ]);
  });

  it('count progress from chance to the optimum', () => {
    expect([10, 9, 5, 4, 7].map(achieved => progressPpm(achieved, 5, 10))).toEqual([
      ...[1_000_000, 800_000, 0, 0, 400_000],
    ]);
    // Never more than was attained: two thirds are rounded down, and one short of the optimum is not all of it.
    expect([progressPpm(2, 0, 3), progressPpm(9_999_999, 0, 10_000_000)]).toEqual([666_666, 999_999]);
  });

  it('state rules that hold for the score they made, and for no other', () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: -3, max: 3 }), (each, off) => {
        const score = scoreOf(each) + off;
        const facts = { isValid: true, elapsedMs: 7, limitMs: 10, score };
        const rules = scoreRules({ ...each, ...facts }).filter(({ id }) => id.startsWith('arena.score'));
        const holds = rules.every(({ value, threshold }) => Number(value) >= Number(threshold));
        if (score >= 0) expect(holds).toBe(off === 0);
      }),
    );
  });
});
