import { CountingField, goldilocks, GOLDILOCKS_MODULUS, poseidon2Goldilocks } from '@svc/kernels';
import fc from 'fast-check';
import { checkTrace } from './check-trace.js';
import { rulesAir as air } from './rules.air.js';
import {
  type RuleComparison,
  RulesLeafError,
  type RulesLeaf,
  RULES_PER_LEAF,
  RULE_VALUE_BOUND,
  rulesLeafDigest,
  rulesParent,
  rulesRootOf,
  RulesTree,
} from './rules-leaf.js';
import { DIGIT, DIRECTION, HELD, HOLDS, INDEX, INPUT, CUBE, SEVENTH, STATE } from './rules-layout.js';
import { rulesTrace } from './rules-trace.js';

/** Three leaves, and rows for a fourth that no boundary mentions. */
const ROWS = 4 * 256 - 19;
const rule = (value: bigint, threshold: bigint, holds = value >= threshold): RuleComparison => ({
  value,
  threshold,
  holds,
});

function leaf(seed: number, rules: readonly RuleComparison[]): RulesLeaf {
  const bytes = (length: number, step: number) =>
    Uint8Array.from({ length }, (_, i) => (seed * 31 + i * step) % 251);
  return { salt: bytes(16, 3), rulesetHash: bytes(32, 5), contentDigest: bytes(32, 7), rules };
}

const LEAVES = [
  leaf(1, [rule(5n, 3n), rule(-2n, 7n), rule(4n, 4n)]),
  leaf(2, []),
  leaf(3, [rule(RULE_VALUE_BOUND - 1n, -RULE_VALUE_BOUND), rule(-RULE_VALUE_BOUND, RULE_VALUE_BOUND - 1n)]),
];

function trace(leaves: readonly RulesLeaf[] = LEAVES, rows = ROWS) {
  const { columns, root } = rulesTrace(goldilocks, { leaves }, rows);
  return { columns, publicInputs: { root, leafCount: leaves.length } };
}

/** Rows of one leaf and a permutation of the next; and what gives its trace, to be changed at will. */
const ROWS_OF_ONE = 256 + 12;
const traceOfOne = (() => {
  const { columns } = trace(LEAVES.slice(0, 1), ROWS_OF_ONE);
  return () => columns.map(column => column.slice());
})();

/** Names of every transition constraint that a trace breaks between two rows. */
function brokenNames(columns: readonly BigUint64Array[], first = 0, last = columns[0].length - 1): string[] {
  const broken = new Set<string>();
  for (let row = first; row < last; row++) {
    const values = air.evaluateTransition(goldilocks, {
      current: columns.map(column => column[row]),
      next: columns.map(column => column[row + 1]),
      periodic: air.periodicColumns.map(column => column[row % column.length]),
    });
    values.forEach((value, i) => value !== 0n && broken.add(air.transitionNames[i]));
  }
  return [...broken];
}

const bump = (columns: readonly BigUint64Array[], column: number, row: number, by = 1n) =>
  (columns[column][row] = goldilocks.add(columns[column][row], by));

it('hashes a leaf by its definition: tag and count in the capacity, twelve blocks added to the rate', () => {
  const { salt, rulesetHash, contentDigest, rules } = LEAVES[0];
  const word = (bytes: Uint8Array, start: number, end: number) =>
    [...bytes.subarray(start, end)].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const limbs = (bytes: Uint8Array) =>
    [0, 7, 14, 21, 28].map(start => word(bytes, start, Math.min(32, start + 7)));
  const compared = rules.flatMap(({ value, threshold, holds }) => [
    value + 2n ** 49n,
    2n * (threshold + 2n ** 49n) + (holds ? 1n : 0n),
  ]);
  const absent = Array.from({ length: RULES_PER_LEAF - rules.length }, () => [0n, 1n]).flat();
  const elements = [word(salt, 0, 8), word(salt, 8, 16), ...limbs(rulesetHash), ...limbs(contentDigest)];
  elements.push(...compared, ...absent);
  expect(elements).toHaveLength(48);
  let state = [0n, 0n, 0n, 0n, Buffer.from('rules:1\0').readBigUInt64LE(), 3n, 0n, 0n];
  for (let i = 0; i < 48; i += 4) {
    state = state.map((lane, k) => (k < 4 ? goldilocks.add(lane, elements[i + k]) : lane));
    state = poseidon2Goldilocks.permute(state);
  }
  expect(rulesLeafDigest(LEAVES[0])).toEqual(state.slice(0, 4));
});

it('feeds the left child forward, so that the permutation cannot be run backwards to a node', () => {
  const [left, right] = LEAVES.slice(0, 2).map(rulesLeafDigest);
  const permuted = poseidon2Goldilocks.permute([...left, ...right]);
  expect(rulesParent(left, right)).toEqual(left.map((lane, i) => goldilocks.add(lane, permuted[i])));
});

it('builds a tree of sixteen places whose paths lead to the root, and to no other at another index', () => {
  const zero = [0n, 0n, 0n, 0n];
  const digests = LEAVES.map(rulesLeafDigest);
  let level: (readonly bigint[])[] = Array.from({ length: 16 }, (_, i) => digests[i] ?? zero);
  while (level.length > 1) {
    level = Array.from({ length: level.length / 2 }, (_, i) => rulesParent(level[2 * i], level[2 * i + 1]));
  }
  const tree = new RulesTree(digests);
  expect(tree.root).toEqual(level[0]);
  digests.forEach((digest, i) => {
    expect(rulesRootOf(digest, i, tree.path(i))).toEqual(tree.root);
    expect(rulesRootOf(digest, i ^ 1, tree.path(i))).not.toEqual(tree.root);
  });
});

it('gives another leaf for another salt, digest, value, threshold, verdict, order or number of rules', () => {
  const base = LEAVES[0];
  const [first, second, third] = base.rules;
  const changed: RulesLeaf[] = [
    { ...base, salt: base.salt.map((byte, i) => byte ^ (i === 15 ? 1 : 0)) },
    { ...base, rulesetHash: base.rulesetHash.map((byte, i) => byte ^ (i === 31 ? 1 : 0)) },
    { ...base, contentDigest: base.contentDigest.map((byte, i) => byte ^ (i === 31 ? 1 : 0)) },
    { ...base, rules: [{ ...first, value: 6n }, second, third] },
    { ...base, rules: [{ ...first, threshold: 2n }, second, third] },
    { ...base, rules: [{ ...first, holds: false }, second, third] },
    { ...base, rules: [second, first, third] },
    { ...base, rules: [first, second] },
    // What an absent rule is padded with, but counted.
    { ...base, rules: [...base.rules, rule(-(2n ** 49n), -(2n ** 49n))] },
  ];
  const digests = [base, ...changed].map(l => rulesLeafDigest(l).join());
  expect(new Set(digests).size).toBe(changed.length + 1);
});

it('refuses leaves that no tree can hold', () => {
  const [base] = LEAVES;
  const many = Array.from({ length: RULES_PER_LEAF + 1 }, () => rule(1n, 0n));
  const faults: [RulesLeaf, string][] = [
    [{ ...base, salt: new Uint8Array(16).fill(0xff) }, 'salt'],
    [{ ...base, salt: new Uint8Array(15) }, 'salt'],
    [{ ...base, contentDigest: new Uint8Array(31) }, 'contentDigest'],
    [{ ...base, rulesetHash: new Uint8Array(33) }, 'rulesetHash'],
    [{ ...base, rules: many }, 'rules'],
    [{ ...base, rules: [rule(RULE_VALUE_BOUND, 0n)] }, 'rules.0'],
    [{ ...base, rules: [rule(0n, 0n), rule(0n, -RULE_VALUE_BOUND - 1n)] }, 'rules.1'],
  ];
  for (const [bad, field] of faults) {
    expect(() => rulesLeafDigest(bad)).toThrow(expect.objectContaining({ name: RulesLeafError.name, field }));
    expect(() => air.execute(goldilocks, { leaves: [bad] }, ROWS)).toThrow(
      expect.objectContaining({ name: 'WitnessError', field: `leaves.${field}` }),
    );
  }
});

it('has a trace that keeps every constraint, whatever the leaves and the number of rows', () => {
  const operand = fc.bigInt({ min: -RULE_VALUE_BOUND, max: RULE_VALUE_BOUND - 1n });
  const near = fc.tuple(operand, fc.bigInt({ min: -2n, max: 2n })).map(([a, d]) => {
    const b = a + d;
    return rule(a, b < -RULE_VALUE_BOUND || b >= RULE_VALUE_BOUND ? a : b);
  });
  const rules = fc.array(
    fc.oneof(
      near,
      fc.tuple(operand, operand).map(([a, b]) => rule(a, b)),
    ),
    { maxLength: 18 },
  );
  fc.assert(
    fc.property(
      fc.array(rules, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 255 }),
      (sets, extra) => {
        const leaves = sets.map((set, i) => leaf(i + 7, set));
        const rowCount = leaves.length * 256 + extra;
        const { columns, publicInputs } = air.execute(goldilocks, { leaves }, rowCount);
        expect(checkTrace(air, columns, publicInputs, rowCount)).toBeUndefined();
        expect(publicInputs.root).toEqual(new RulesTree(leaves.map(rulesLeafDigest)).root);
      },
    ),
    { numRuns: 6 },
  );
});

it('refuses to run on a wrong verdict, and the constraint breaks if it is run all the same', () => {
  for (const wrong of [rule(5n, 3n, false), rule(3n, 3n, false), rule(2n, 3n, true), rule(-9n, 8n, true)]) {
    const leaves = [leaf(1, [rule(1n, 0n), wrong])];
    expect(() => air.execute(goldilocks, { leaves }, ROWS)).toThrow(
      expect.objectContaining({ code: 'constraint-violated', field: 'leaves.0.rules.1' }),
    );
    expect(brokenNames(trace(leaves).columns)).toEqual(['comparison 1']);
  }
});

it('binds every column: a cell changed in any kind of row breaks a constraint or the boundary', () => {
  // Rows of every kind in a header, a rule and a path permutation.
  const permutations = [0, 1, 5, 11, 13, 15];
  // Columns that mean something only in some permutations: digits and verdicts with rules, a direction in a path.
  const isIdle = (column: number, permutation: number) => {
    const isRule = permutation >= 3 && permutation < 12;
    if (column >= DIGIT && column < DIRECTION) return !isRule;
    return column === DIRECTION && permutation < 12;
  };
  const free: string[] = [];
  const { columns, publicInputs } = trace();
  const boundary = new Set(
    air.boundaryConstraints(publicInputs, ROWS).map(({ column, row }) => `${column} ${row}`),
  );
  for (const permutation of permutations) {
    for (const r of [0, 2, 4, 6, 9, 11, 13, 15]) {
      for (let column = 0; column < air.columnCount; column++) {
        // A verdict is read in the last row, a direction in the first; the number of rules is the prover's to say.
        if (isIdle(column, permutation)) continue;
        if (column >= HOLDS && column < DIRECTION && r !== 15) continue;
        if (column === DIRECTION && r !== 0) continue;
        const row = 256 + permutation * 16 + r;
        const good = columns[column][row];
        bump(columns, column, row);
        if (brokenNames(columns, row - 1, row + 1).length === 0 && !boundary.has(`${column} ${row}`))
          free.push(`${column}@${row}`);
        columns[column][row] = good;
      }
    }
  }
  expect(free).toEqual([]);
});

it('has no redundant constraint: for each there is a trace that breaks it alone', () => {
  const alone = new Set<string>();
  const attempt = (change: (columns: readonly BigUint64Array[]) => void, leaves?: readonly RulesLeaf[]) => {
    const columns = leaves ? trace(leaves, ROWS_OF_ONE).columns : traceOfOne();
    change(columns);
    const names = brokenNames(columns);
    if (names.length === 1) alone.add(names[0]);
  };
  const cubeOf = (x: bigint) => goldilocks.mul(goldilocks.mul(x, x), x);
  const powers = (columns: readonly BigUint64Array[], k: number, row: number) => {
    const x = columns[INPUT + k][row];
    const cube = (columns[CUBE + k][row] = cubeOf(x));
    columns[SEVENTH + k][row] = goldilocks.mul(goldilocks.mul(cube, cube), x);
  };
  const last = ROWS_OF_ONE - 1;
  for (let k = 0; k < 8; k++) {
    // In an idle row no S-box feeds the state.
    attempt(columns => {
      bump(columns, INPUT + k, 13);
      powers(columns, k, 13);
    });
    attempt(columns => {
      const cube = bump(columns, CUBE + k, 13);
      columns[SEVENTH + k][13] = goldilocks.mul(goldilocks.mul(cube, cube), columns[INPUT + k][13]);
    });
    attempt(columns => bump(columns, SEVENTH + k, 13));
    // The last row's state is reached by one step, and left by none.
    attempt(columns => bump(columns, STATE + k, last));
  }
  for (let i = 0; i < 4; i++) attempt(columns => bump(columns, HELD + i, last));
  const twelve = [leaf(1, [rule(12n, 0n), rule(12n, 0n)])];
  for (const j of [0, 1]) {
    const [high, low, sum] = [DIGIT + 2 * j, DIGIT + 2 * j + 1, DIGIT + 4 + j];
    const row = 3 * 16 + 15;
    // 12 is 110 to the base 3: the same number with a digit of 3, once in the lower place and once in the higher.
    attempt(columns => {
      columns[high][row] -= 1n;
      columns[low][row] += 3n;
    }, twelve);
    attempt(columns => {
      columns[low][row - 1] -= 1n;
      columns[sum][row] -= 1n;
      columns[high][row] += 3n;
    }, twelve);
  }
  for (let j = 0; j < 2; j++) {
    attempt(columns => bump(columns, DIGIT + 4 + j, 1));
    attempt(columns => (columns[HOLDS + j][0] = 2n));
    attempt(() => undefined, [leaf(1, j === 0 ? [rule(1n, 2n, true)] : [rule(1n, 0n), rule(1n, 2n, true)])]);
  }
  attempt(columns => (columns[DIRECTION][20] = 2n));
  attempt(columns => bump(columns, INDEX, last));
  for (const name of air.transitionNames.slice(-4)) attempt(columns => startLeaf(columns, name));
  expect(air.transitionNames.filter(name => !alone.has(name))).toEqual([]);
});

/** Gives the first leaf another start, its first permutation and all that follows made anew with it. */
function startLeaf(columns: readonly BigUint64Array[], name: string): void {
  const lane = { 'tag of a leaf': 4, 'first zero of a leaf': 6, 'second zero of a leaf': 7 }[name];
  if (lane === undefined) {
    // An index that starts at 1 and is carried along.
    for (let row = 0; row < 256; row++) bump(columns, INDEX, row);
    return;
  }
  forgeLeaf(columns, 0, lane);
}

// The trace of an honest first leaf with one lane raised in the input of one permutation, and all that follows made anew.
function forgeLeaf(columns: readonly BigUint64Array[], permutation: number, lane: number): void {
  const initial = columns.slice(STATE, STATE + 8).map(column => column[0]);
  const blocks = Array.from({ length: 16 }, (_, p) => [0, 1, 2, 3].map(i => columns[HELD + i][p * 16]));
  const siblings = Array.from({ length: 4 }, (_, level) =>
    [4, 5, 6, 7].map(i => columns[STATE + i][(12 + level) * 16]),
  );
  const fill = (first: number, values: readonly bigint[], firstRow: number, lastRow: number) =>
    values.forEach((value, i) => columns[first + i].fill(value, firstRow, lastRow));
  let input: readonly bigint[] = initial;
  for (let p = 0; p < 16; p++) {
    if (p === permutation) input = input.map((v, i) => (i === lane ? goldilocks.add(v, 1n) : v));
    const output = writeRows(columns, p * 16, input);
    if (p < 11) {
      input = output.map((value, i) => (i < 4 ? goldilocks.add(value, blocks[p + 1][i]) : value));
      continue;
    }
    // Of the leaf its digest; of a parent the left child, which each node is of the first leaf, is added.
    if (p > 11) fill(HELD, input.slice(0, 4), p * 16, (p + 1) * 16);
    const node = output.slice(0, 4).map((v, i) => (p > 11 ? goldilocks.add(v, input[i]) : v));
    fill(STATE, node, p * 16 + 12, (p + 1) * 16);
    if (p < 15) input = [...node, ...siblings[p - 11]];
  }
}

// One permutation's rows, by the permutation's own definition.
function writeRows(columns: readonly BigUint64Array[], firstRow: number, input: readonly bigint[]): bigint[] {
  const P = poseidon2Goldilocks;
  const rounds = P.rounds;
  let state: bigint[] = [...input];
  const writeState = (row: number) => state.forEach((lane, i) => (columns[STATE + i][row] = lane));
  const sbox = (row: number, k: number, x: bigint) => {
    const cube = goldilocks.mul(goldilocks.mul(x, x), x);
    const seventh = goldilocks.mul(goldilocks.mul(cube, cube), x);
    [columns[INPUT + k][row], columns[CUBE + k][row], columns[SEVENTH + k][row]] = [x, cube, seventh];
    return seventh;
  };
  let round = 0;
  for (let r = 0; r < 11; r++) {
    const row = firstRow + r;
    writeState(row);
    const count = r === 4 || r === 5 ? 8 : r === 6 ? 6 : 0;
    for (let k = 0; k < count; k++, round++) {
      const seventh = sbox(row, k, goldilocks.add(state[0], rounds[round].constants[0]));
      state = P.internalMatrix(goldilocks, [seventh, ...state.slice(1)]);
    }
    if (count > 0) continue;
    if (r === 0) state = P.externalMatrix(goldilocks, state);
    const { constants } = rounds[round++];
    state = P.externalMatrix(
      goldilocks,
      state.map((lane, k) => sbox(row, k, goldilocks.add(lane, constants[k]))),
    );
  }
  for (let r = 11; r < 16; r++) writeState(firstRow + r);
  expect(state).toEqual(P.permute(input));
  return state;
}

it('lets nothing enter between permutations but a block into the rate, and a sibling beside the node', () => {
  const forge = (permutation: number, lane: number) => {
    const columns = traceOfOne();
    forgeLeaf(columns, permutation, lane);
    return brokenNames(columns);
  };
  for (const block of [1, 2, 3, 7, 11]) {
    for (const lane of [4, 5, 6, 7]) expect(forge(block, lane)).toEqual([`step of lane ${lane}`]);
    // Into the rate, but not as the block that is held and compared.
    for (const lane of [0, 3]) expect(forge(block, lane)).toEqual([`held element ${lane}`]);
  }
  for (const level of [12, 13, 15]) {
    for (const lane of [0, 1, 2, 3]) expect(forge(level, lane)).toEqual([`step of lane ${lane}`]);
    // Another sibling keeps every constraint, and leads to another root.
    expect(forge(level, 4)).toEqual([]);
  }
});

it('proves a leaf only at its own index: the path of another leaf in its place breaks the boundary', () => {
  const tree = new RulesTree(LEAVES.map(rulesLeafDigest));
  const { columns } = trace();
  // Leaf 0 a second time in the place of leaf 1, with its true path.
  for (const column of columns) column.copyWithin(256, 0, 256);
  expect(brokenNames(columns)).toEqual([]);
  const broken = checkTrace(air, columns, { root: tree.root, leafCount: 3 }, ROWS);
  expect(broken).toEqual({ row: 511, constraint: `column ${INDEX} is fixed by the statement` });
});

it('proves a comparison of no other range: a difference taken modulo p, or half of one, has no digits', () => {
  const { columns, publicInputs } = trace([leaf(1, [rule(4n, 5n)])]);
  // The parity of the packed threshold is the verdict: claiming the other verdict makes the difference a half.
  columns[HOLDS].fill(1n, 3 * 16, 4 * 16);
  expect(checkTrace(air, columns, publicInputs, ROWS)).toEqual({ row: 63, constraint: 'comparison 0' });
  const half = (GOLDILOCKS_MODULUS + 1n) / 2n;
  for (let twice = -(2n ** 52n) + 1n; twice < 2n ** 52n; twice += 2n ** 41n + 2n) {
    const difference = goldilocks.mul(
      ((twice % GOLDILOCKS_MODULUS) + GOLDILOCKS_MODULUS) % GOLDILOCKS_MODULUS,
      half,
    );
    expect(difference >= 3n ** 32n || twice % 2n === 0n).toBe(true);
  }
  expect(3n ** 32n).toBeGreaterThan(2n * RULE_VALUE_BOUND);
});

it('costs what its formulas say', () => {
  const counting = new CountingField();
  const { publicInputs } = air.execute(counting, { leaves: LEAVES }, ROWS);
  expect(air.executionOperations(ROWS, publicInputs)).toEqual({
    additions: counting.additions,
    multiplications: counting.multiplications,
  });
  const transition = new CountingField();
  const zeros = (length: number) => Array.from({ length }, () => 0n);
  air.evaluateTransition(transition, {
    current: zeros(air.columnCount),
    next: zeros(air.columnCount),
    periodic: zeros(air.periodicColumns.length),
  });
  expect(air.transitionOperations).toEqual({
    additions: transition.additions,
    multiplications: transition.multiplications,
  });
});

it('names as many constraints as it has, none above degree 3', () => {
  // Along a line of frames each constraint is a polynomial of the parameter: its fourth difference vanishes.
  const random = (i: number) => goldilocks.mul(0x9e37_79b9_7f4a_7c15n, BigInt(i * i + 1));
  const at = (t: bigint) => {
    let i = 0;
    const point = (length: number) =>
      Array.from({ length }, () => goldilocks.add(random(++i), goldilocks.mul(t, random(++i))));
    return air.evaluateTransition(goldilocks, {
      current: point(air.columnCount),
      next: point(air.columnCount),
      periodic: point(air.periodicColumns.length),
    });
  };
  const samples = [0n, 1n, 2n, 3n, 4n].map(at);
  expect(samples[0]).toHaveLength(air.transitionNames.length);
  samples[0].forEach((_, i) => {
    const [a, b, c, d, e] = samples.map(values => values[i]);
    const P = GOLDILOCKS_MODULUS;
    expect((((a - 4n * b + 6n * c - 4n * d + e) % P) + P) % P).toBe(0n);
  });
});

it('reads its public inputs back from JSON, and refuses others', () => {
  const { publicInputs } = trace();
  expect(air.publicInputsFromJson(air.publicInputsToJson(publicInputs))).toEqual(publicInputs);
  const json = air.publicInputsToJson(publicInputs);
  for (const leafCount of [0, 17, 1.5, '3', null]) {
    expect(() => air.publicInputsFromJson({ ...json, leafCount })).toThrow('leafCount');
  }
  expect(() => air.publicInputsFromJson({ ...json, root: publicInputs.root.slice(1) })).toThrow('root');
  expect(() => air.boundaryConstraints({ ...publicInputs, leafCount: 4 }, ROWS)).toThrow('leafCount');
});
