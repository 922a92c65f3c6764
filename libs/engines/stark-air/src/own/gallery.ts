import { SPONGES } from '../poseidon2-sponge.js';
import { commit, poseidon2 } from './gadgets.js';
import { bit, bits, type ColumnTerm, flag, type Statement, statement, sum, type Term } from './statement.js';

/** Statements that an agent would buy, by what `svc air show gallery/NAME` calls them. */
export const GALLERY: Readonly<Record<string, () => Statement>> = {
  mean: meanOfReadings,
  balance: balanceNeverNegative,
  score: scoreOfFeatures,
  member: memberWithNullifier,
  controller: controllerKeptItsLaw,
};

let galleryTexts: ReadonlyMap<string, string> | undefined;

/** The text of a statement of the gallery, by its id; undefined for any other. */
export function galleryText(id: string): string | undefined {
  galleryTexts ??= new Map(
    Object.values(GALLERY).map(write => {
      const definition = write().definition();
      return [definition.id, definition.canonical];
    }),
  );
  return galleryTexts.get(id);
}

const SPONGE = SPONGES.goldilocks;
const DIGEST = SPONGE.rate;
const [LEAF_TAG, NULLIFIER_TAG] = ['leaf', 'nullify'];

/** 2^0 … 2^(count − 1), and zeros to the end of the cycle. */
const powersOfTwo = (count: number, length: number): bigint[] =>
  Array.from({ length }, (_, row) => (row < count ? 1n << BigInt(row) : 0n));

/** `total` less a hidden number of at least 0, whose bits are spread over the rows: at the end it is at most what the terms come to. */
function atLeast(s: Statement, name: string, term: Term, weights: readonly bigint[]): void {
  const slack = bit(s, 'slack').mul(s.cycle('weight', weights));
  const total = s.column('total');
  s.require('sum', total.next.sub(total.add(term).sub(slack)));
  s.first(total, 0n);
  s.last(total, s.public(name));
}

/**
 * The mean of n hidden readings is at least t: each is an integer below 2^16, all were committed to before as `seal`, a block of 32 rows each
 * (`committedRows(n)`), and their sum is at least `least` = n·t.
 *
 * Why it holds: `range` and `bit_…` make every reading 0 … 2^16 − 1; only those of rows in which a block ends are added, and just these are absorbed. The
 * sum stays below 2^31 for any trace that is sold, and what is taken off is a sum of bits times powers of two, so nothing wraps while `least` is
 * below 2^63, which a reader sees. It does not show that a sensor read them, nor that n was not chosen to please.
 */
export function meanOfReadings(): Statement {
  const s = statement('goldilocks');
  const reading = s.column('reading');
  s.require('range', reading.sub(bits(s, 'bit', 16)));
  const { ends } = commit(s, 'seal', [reading]);
  atLeast(s, 'least', ends.mul(reading), powersOfTwo(16, 32));
  return s;
}

/**
 * A balance never went negative: from `opening` to `closing`, after each of n committed entries (field elements, −5 is p − 5) it was an integer
 * from 0 to 2^32 − 1.
 *
 * Why it holds: the balance is constant but for the rows in which a block ends, where just the entry is added that is absorbed; in every row it is
 * the sum of 32 bits. It does not show that the entries are complete, or that money moved.
 */
export function balanceNeverNegative(): Statement {
  const s = statement('goldilocks');
  const entry = s.column('entry');
  const balance = s.column('balance');
  const { ends } = commit(s, 'seal', [entry]);
  s.require('adds', balance.next.sub(balance.add(ends.mul(entry))));
  s.require('range', bits(s, 'bit', 32).sub(balance));
  s.first(balance, s.public('opening'));
  s.last(balance, s.public('closing'));
  return s;
}

/** Rows of a block of committed values. */
const BLOCK = 32;
/** Rows in which a block goes on. */
const kept = (s: Statement) =>
  s.cycle(
    'kept',
    Array.from({ length: BLOCK }, (_, row) => (row < BLOCK - 1 ? 1 : 0)),
  );

/**
 * A number whose bits are put together row by row, so that it is whole, and below 2^count, where a block ends.
 * @returns its value as of this row
 */
function assembled(
  s: Statement,
  name: string,
  { power, goesOn }: { readonly power: Term; readonly goesOn: Term },
): Term {
  const before = s.column(name);
  const value = before.add(power.mul(bit(s, `${name}_bit`)));
  s.require(`${name}_whole`, before.next.sub(goesOn.mul(value)));
  s.first(before, 0);
  return value;
}

/** Weights of {@link scoreOfFeatures}, and how many a block has. */
const WEIGHTS = 16;
const WEIGHTS_A_BLOCK = 4;

/**
 * A score by hidden weights is at least `least`: 16 weights below 2^32, committed to four a block (`committedRows(4)`: 160 rows), times 16 public
 * features `feature_0` ….
 *
 * Why it holds: a weight is assembled from a bit a row, so that it is below 2^32 when its block ends and is absorbed; each is multiplied by the feature of
 * its place. With features below 2^20, which a reader sees, the score is below 2^56, and nothing wraps. It does not show that the model is
 * fair, or the one in use.
 */
export function scoreOfFeatures(): Statement {
  const s = statement('goldilocks');
  const length = (WEIGHTS / WEIGHTS_A_BLOCK) * BLOCK;
  const features = Array.from({ length: WEIGHTS }, (_, i) => s.public(`feature_${i}`));
  const bitOf = { power: s.cycle('power', powersOfTwo(BLOCK, BLOCK)), goesOn: kept(s) };
  const weights = Array.from({ length: WEIGHTS_A_BLOCK }, (_, i) => assembled(s, `weight_${i}`, bitOf));
  commit(s, 'seal', weights);
  const blocks = Array.from({ length: WEIGHTS / WEIGHTS_A_BLOCK }, (_, block) => {
    const ends = Array.from({ length }, (_row, row) => (row === BLOCK * (block + 1) - 1 ? 1 : 0));
    const products = weights.map((weight, i) => features[WEIGHTS_A_BLOCK * block + i].mul(weight));
    return s.cycle(`ends_${block}`, ends).mul(sum(products));
  });
  atLeast(s, 'least', sum(blocks), powersOfTwo(60, length));
  return s;
}

/**
 * Somebody knows a secret whose leaf lies under `root_0` … `root_3`, and `nullifier_0` … is that secret's for `context_0` …: who uses it twice in one
 * context shows the same nullifier. The nullifier is the sponge of secret and context, the leaf that of the secret ({@link memberLeaf}), and a
 * parent is {@link merkleParent}. A tree of depth d takes 32·(d + 3) rows, which a verifier holds to the depth that it knows.
 *
 * Why it holds: flags pass from block to block, once; the secret is held in columns of its own, begins the first block and the third; `node` and `left` are what
 * they are called in every row, and just they begin the blocks of the path. Capacities are constants. A leaf is hashed under a tag of its own, a parent adds its
 * left child to the permutation, so that neither is the other. It does not show who knows the secret.
 */
export function memberWithNullifier(): Statement {
  const s = statement('goldilocks');
  const four = (name: string) => Array.from({ length: DIGEST }, (_, i) => s.column(`${name}_${i}`));
  const shown = (name: string) => Array.from({ length: DIGEST }, (_, i) => s.public(`${name}_${i}`));
  const [context, nullifier, root] = [shown('context'), shown('nullifier'), shown('root')];
  const [secret, sibling, held] = [four('secret'), four('sibling'), four('held')];
  // The blocks that are left for the next, the first three of them by name.
  const [first, second, third] = ['first', 'second', 'third'].map(name => s.column(name));
  const later = s.constant(1).sub(first).sub(second);
  const right = bit(s, 'right');
  const node: ColumnTerm[] = [];
  const left: ColumnTerm[] = [];
  const nodeOf = (lane: number, state: readonly ColumnTerm[]) =>
    (node[lane] ??= s.let(`node_${lane}`, state[lane].add(later.sub(third).mul(held[lane]))));
  const leftOf = (lane: number, state: readonly ColumnTerm[]) =>
    (left[lane] ??= s.let(
      `left_${lane}`,
      nodeOf(lane, state).add(right.mul(sibling[lane].sub(nodeOf(lane, state)))),
    ));
  const leafTag = SPONGE.initialState(LEAF_TAG);
  const begun = (lane: number, state: readonly ColumnTerm[]) => {
    const i = lane % DIGEST;
    if (lane < DIGEST)
      return first
        .mul(state[lane].add(context[i]))
        .add(second.mul(secret[i]))
        .add(later.mul(leftOf(i, state)));
    const other = sibling[i].add(nodeOf(i, state)).sub(leftOf(i, state));
    return first.mul(state[lane]).add(second.mul(leafTag[lane])).add(later.mul(other));
  };
  const { state, ends } = poseidon2(s, 'hash', begun);
  const begins = s.cycle(
    'begins',
    Array.from({ length: BLOCK }, (_, row) => (row === 0 ? 1 : 0)),
  );
  secret.forEach((column, i) => {
    s.require(`secret_${i}`, column.next.sub(column));
    s.require(`begun_${i}`, first.mul(begins).mul(state[i].sub(column)));
    s.require(`held_${i}`, held[i].next.sub(held[i].add(ends.mul(begun(i, state).sub(held[i])))));
    s.first(held[i], 0);
  });
  s.require('first', first.next.sub(first.sub(ends.mul(first))));
  s.require('second', second.next.sub(second.add(ends.mul(first.sub(second)))));
  s.require('third', third.next.sub(third.add(ends.mul(second.sub(third)))));
  [first, second, third].forEach((column, i) => s.first(column, i === 0 ? 1 : 0));
  const nullifyTag = SPONGE.initialState(NULLIFIER_TAG);
  for (let lane = DIGEST; lane < state.length; lane++) s.first(state[lane], nullifyTag[lane]);
  nullifier.forEach((value, i) => s.at(state[i], 2 * BLOCK - 1, value));
  root.forEach((value, i) => s.last(node[i], value));
  s.last(s.let('at_end', ends), 1);
  return s;
}

/** The leaf of a secret of four elements. */
export const memberLeaf = (secret: readonly bigint[]): bigint[] => spongeOf(LEAF_TAG, [secret]);
/** What a secret shows in a context, both of four elements. */
export const memberNullifier = (secret: readonly bigint[], context: readonly bigint[]): bigint[] =>
  spongeOf(NULLIFIER_TAG, [secret, context]);
function spongeOf(tag: string, blocks: readonly (readonly bigint[])[]): bigint[] {
  const { permutation } = SPONGE;
  const state = blocks.reduce<readonly bigint[]>(
    (before, block) =>
      permutation.permute(
        before.map((lane, i) => (i < DIGEST ? permutation.field.add(lane, block[i]) : lane)),
      ),
    SPONGE.initialState(tag),
  );
  return state.slice(0, DIGEST);
}

/**
 * 1 where a block ends whose values are committed to, for what must hold of those alone: the last block, and what fills the trace, go without.
 *
 * `live` is a flag that goes off once; `was_live` has what it was when the block before ended, and is 1 in the last row: so it was on in each block
 * but the last.
 */
function countedBlocks(s: Statement, ends: Term): ColumnTerm {
  const live = flag(s, 'live');
  const before = s.column('was_live');
  s.require('was_live', before.next.sub(before.add(ends.mul(live.sub(before)))));
  s.first(before, 1);
  s.last(before, 1);
  return s.let('counts', ends.mul(live));
}

/** Bits of what {@link controllerKeptItsLaw} holds to bounds, and what a command is a multiple of. */
const SIGNAL_BITS = 16;
const INTEGRAL_BITS = 24;
export const CONTROLLER_SCALE = 1_024n;

/**
 * A controller kept its law on n committed samples, a block each (`committedRows(n)`): with the error e = `setpoint` − y and the integral I of the
 * errors before, each command is u = −(`proportional`·e + `integral`·I) / 1,024, rounded to the nearest and from the middle down; y was 0 … 2^16 − 1, u −2^15 … 2^15 − 1, and I
 * −2^23 … 2^23 − 1 throughout. Committed are (y, u), u as its remainder by p.
 *
 * Why it holds: y, u, the remainder of the division and I are put together from bits, and looked at where a block of the n ends, where y and u are absorbed and e
 * is added to I. With gains and setpoint below 2^20, which a reader sees, both sides of the law are below 2^45, and nothing wraps. It does not
 * show that the plant did what the samples say.
 */
export function controllerKeptItsLaw(): Statement {
  const s = statement('goldilocks');
  const [setpoint, proportional, integral] = ['setpoint', 'proportional', 'integral'].map(name =>
    s.public(name),
  );
  const powers = (count: number) => s.cycle(`power_${count}`, powersOfTwo(count, BLOCK));
  const goesOn = kept(s);
  const signal = { power: powers(SIGNAL_BITS), goesOn };
  const y = assembled(s, 'y', signal);
  const u = assembled(s, 'u', signal).sub(2n ** BigInt(SIGNAL_BITS - 1));
  const remainder = assembled(s, 'rest', { power: powers(10), goesOn }).sub(CONTROLLER_SCALE / 2n);
  const ranged = assembled(s, 'area', { power: powers(INTEGRAL_BITS), goesOn }).sub(
    2n ** BigInt(INTEGRAL_BITS - 1),
  );
  const { ends } = commit(s, 'seal', [y, u]);
  const error = setpoint.sub(y);
  const counts = countedBlocks(s, ends);
  const sumOfErrors = s.column('errors');
  s.require('adds', sumOfErrors.next.sub(sumOfErrors.add(ends.mul(error))));
  s.first(sumOfErrors, 0);
  s.require('range', counts.mul(ranged.sub(sumOfErrors)));
  const wanted = proportional.mul(error).add(integral.mul(sumOfErrors));
  s.require('law', counts.mul(u.mul(CONTROLLER_SCALE).add(wanted).sub(remainder)));
  return s;
}
