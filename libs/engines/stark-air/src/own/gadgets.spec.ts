import { goldilocks, m31, poseidon2Goldilocks, poseidon2M31 } from '@svc/kernels';
import { commit, commitmentOf, committedRows, poseidon2, termField } from './gadgets.js';
import { merkleParent, merklePath, merklePathOf, merkleRoot } from './merkle-path.js';
import { makeOwnTrace } from './own-trace.js';
import { statement } from './statement.js';

const SPONGES = {
  goldilocks: { field: goldilocks, permutation: poseidon2Goldilocks, limbBytes: 7 },
  m31: { field: m31, permutation: poseidon2M31, limbBytes: 3 },
};

/** A commitment written out: salt and tag, then a permutation before each block and one after the last. */
function digestOf(
  name: keyof typeof SPONGES,
  salt: readonly bigint[],
  blocks: readonly (readonly bigint[])[],
) {
  const { field, permutation, limbBytes } = SPONGES[name];
  const half = permutation.width / 2;
  const tag = Buffer.from('commit');
  let state = Array.from({ length: permutation.width }, (_, lane) => {
    if (lane < half) return salt[lane];
    const limb = tag.subarray(limbBytes * (lane - half), limbBytes * (lane - half + 1));
    return [...limb].reduceRight((value, byte) => 256n * value + BigInt(byte), 0n);
  });
  state = permutation.permute(state);
  for (const block of blocks)
    state = permutation.permute(state.map((lane, i) => (lane + (block[i] ?? 0n)) % field.modulus));
  return state.slice(0, half);
}

describe.each(['goldilocks', 'm31'] as const)('a commitment over %s', name => {
  const rate = SPONGES[name].permutation.width / 2;
  const salt = Array.from({ length: rate }, (_, i) => BigInt(1_000 + 7 * i));
  const blocks = [
    [5n, 6n],
    [7n, 8n],
    [SPONGES[name].field.modulus - 1n, 0n],
  ];

  it('is the digest of a sponge over salt and values, and a statement shows just that', () => {
    expect(commitmentOf(name, salt, blocks)).toEqual(digestOf(name, salt, blocks));
    const s = statement(name);
    const pair = [s.column('x'), s.column('y')];
    const { ends } = commit(s, 'seal', pair);
    const sum = s.column('sum');
    s.require('sum', sum.next.sub(sum.add(ends.mul(pair[0]))));
    s.first(sum, 0);
    s.last(sum, s.public('total'));
    const rows = committedRows(blocks.length);
    const cells = (at: number) =>
      Array.from({ length: rows }, (_, row) =>
        row % 32 === 31 ? (blocks[(row - 31) / 32]?.[at] ?? 9n) : 3n,
      );
    const made = makeOwnTrace(
      s.definition(),
      {
        rows,
        start: Object.fromEntries(salt.map((value, i) => [`seal_s${i}`, value])),
        given: { x: cells(0), y: cells(1) },
      },
      rows + 50,
    );
    const shown = Object.fromEntries(digestOf(name, salt, blocks).map((value, i) => [`seal_${i}`, value]));
    expect(made.publicInputs).toEqual({ ...shown, total: 11n });
  });

  it('ends where a permutation does', () => {
    const s = statement(name);
    const x = s.column('x');
    commit(s, 'seal', [x]);
    const start = Object.fromEntries(salt.map((value, i) => [`seal_s${i}`, value]));
    for (const rows of [65, 95])
      expect(() =>
        makeOwnTrace(s.definition(), { rows, start, given: { x: Array<bigint>(rows).fill(1n) } }, 128),
      ).toThrow('breaks column seal_at_end');
  });

  it('takes as many values a block as the rate has lanes, and one at least', () => {
    for (const count of [0, rate + 1]) {
      const s = statement(name);
      const values = Array.from({ length: count }, (_, i) => s.column(`x${i}`));
      expect(() => commit(s, 'seal', values)).toThrow(RangeError);
    }
  });

  it('has permutations that are those of the engine', () => {
    const s = statement(name);
    const { state } = poseidon2(s, 'hash', (_lane, columns) => columns[0]);
    state.forEach((column, lane) => s.at(column, 31, s.public(`out_${lane}`)));
    const input = state.map((_, lane) => BigInt(lane * lane + 1));
    const start = Object.fromEntries(input.map((value, lane) => [`hash_s${lane}`, value]));
    const { publicInputs, columns } = makeOwnTrace(s.definition(), { rows: 40, start }, 64);
    const out = SPONGES[name].permutation.permute(input);
    expect(state.map((_, lane) => publicInputs[`out_${lane}`])).toEqual(out);
    // The next block begins with what it is told to.
    expect(state.map(column => columns[s.definition().columns.indexOf(column.name)][32])).toEqual(
      out.map(() => out[0]),
    );
  });
});

it('is written over terms as over elements, but for quotients', () => {
  const s = statement('m31');
  const over = termField(s);
  const x = s.column('x');
  expect(over.equals(over.scale(x, 3n), over.mul(over.fromBase(3n), x))).toBe(false);
  expect(over.equals(over.add(x, over.one), x.add(1))).toBe(true);
  expect(() => over.inverse(x)).toThrow(TypeError);
});

describe('a path to a root', () => {
  const { field, permutation } = SPONGES.goldilocks;
  const leaf = [3n, 1n, 4n, field.modulus - 1n];
  /** A level written out: the permutation of both children, and the left one added. */
  const parentOf = (left: readonly bigint[], right: readonly bigint[]) =>
    permutation
      .permute([...left, ...right])
      .slice(0, 4)
      .map((lane, i) => (lane + left[i]) % field.modulus);
  const s = statement('goldilocks');
  const columns = [0, 1, 2, 3].map(i => s.column(`leaf_${i}`));
  columns.forEach((x, i) => s.require(`kept_${i}`, x.next.sub(x)));
  merklePath(s, 'tree', columns);
  const definition = s.definition();
  const starting = (values: readonly bigint[]) =>
    Object.fromEntries(values.map((value, i) => [`leaf_${i}`, value]));
  const pathOf = (depth: number) => ({
    siblings: Array.from({ length: depth }, (_, level) =>
      [0n, 1n, 2n, 3n].map(i => BigInt(level + 7) ** (i + 3n)),
    ),
    isRight: Array.from({ length: depth }, (_, level) => level % 3 !== 1),
  });
  /** The statement of a path, changed before its trace is made. */
  const made = (depth: number, change: (of: ReturnType<typeof merklePathOf>) => void = () => undefined) => {
    const path = merklePathOf('tree', leaf, pathOf(depth));
    change(path);
    const { rows, start, given } = path;
    const filler = Object.fromEntries(Object.keys(given).map(name => [name, 0n]));
    return makeOwnTrace(
      definition,
      { rows, start: { ...start, ...starting(leaf) }, given, filler },
      rows + 40,
    );
  };

  it.each([1, 2, 5])('of %d levels comes to what a plain program finds', depth => {
    const { siblings, isRight } = pathOf(depth);
    const root = siblings.reduce<bigint[]>(
      (node, sibling, level) => (isRight[level] ? parentOf(sibling, node) : parentOf(node, sibling)),
      leaf,
    );
    const shown = Object.fromEntries(root.map((value, i) => [`tree_${i}`, value]));
    expect(made(depth).publicInputs).toEqual(shown);
    expect(merkleRoot(leaf, pathOf(depth))).toEqual(root);
    expect(merkleParent(leaf, root)).toEqual(parentOf(leaf, root));
  });

  it.each<[string, RegExp, (of: ReturnType<typeof merklePathOf>) => void]>([
    [
      'begins with another leaf',
      /tree_begins4/,
      ({ start }) => ((start as Record<string, bigint>)['tree_s4'] += 1n),
    ],
    [
      'holds another left child',
      /tree_held0/,
      ({ start }) => ((start as Record<string, bigint>)['tree_held0'] = 5n),
    ],
    ['comes from a side that is none', /tree_right/, ({ given }) => (given['tree_right'][31] = 2n)],
    [
      'ends within a block',
      /tree_at_end|tree_node/,
      of => {
        for (const column of Object.values(of.given)) column.pop();
        Object.assign(of, { rows: of.rows - 1 });
      },
    ],
  ])('that %s does not hold', (_what, breaks, change) => {
    expect(() => made(3, change)).toThrow(breaks);
  });

  it('leads to another root by another sibling, and takes four elements over Goldilocks alone', () => {
    const other = made(3, ({ given }) => (given['tree_sibling2'][31] += 1n));
    expect(other.publicInputs).not.toEqual(made(3).publicInputs);
    // Other rows than those where a level begins are not looked at.
    const unseen = made(3, ({ given }) => (given['tree_sibling2'][30] += 1n));
    expect(unseen.publicInputs).toEqual(made(3).publicInputs);
    expect(() => merklePath(statement('goldilocks'), 'tree', [])).toThrow('a leaf of 4 elements, got 0');
    expect(() => merklePath(statement('m31'), 'tree', [])).toThrow('over goldilocks, got m31');
  });

  it('has no constraint to spare that begins, holds or passes on', () => {
    // Without it another leaf passes for the one that the statement is about.
    const cheats: [string, (start: Record<string, bigint>) => void][] = [
      ...[0, 5].map((lane): [string, (start: Record<string, bigint>) => void] => [
        `tree_begins${lane}`,
        start => (start[`tree_s${lane}`] += 1n),
      ]),
      ['tree_held1', start => (start['tree_held1'] += 1n)],
    ];
    for (const [name, change] of cheats) {
      const path = merklePathOf('tree', leaf, pathOf(2));
      const start: Record<string, bigint> = { ...path.start, ...starting(leaf) };
      change(start);
      const { rows, given } = path;
      const trace = (of: typeof definition) =>
        makeOwnTrace(of, { rows, start, given }, rows + 1).publicInputs;
      const without = {
        ...definition,
        constraints: definition.constraints.filter(each => each.name !== name),
      };
      expect(() => trace(definition)).toThrow(name);
      expect(Object.values(trace(without))).not.toEqual(merkleRoot(leaf, pathOf(2)));
    }
  });
});
