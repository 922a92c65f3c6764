// The Poseidon2 sponge of width 16 over M31 (poseidon2.ts has the Goldilocks sibling). Four lanes a vector: M4 is a
// circulant, so that a turn of the vector is all that it takes.
import { add31, addX4, doubleX4, loadM31, mul31, mulDoubled, mulX4, sub31 } from './m31';
import { scratchArea } from './scratch';

const RATE_BYTES: usize = 32;
const ROW_BYTES: usize = 64;
const ROUNDS_FULL_HALF: usize = 4;
const ROUNDS_PARTIAL: usize = 14;
const ROWS: usize = 32;

/** circ(2, 3, 1, 1) on four lanes: their sum + x_i + 2·x_(i+1). */
// @ts-ignore: decorator
@inline
function multiplyM4(x: v128, p: v128): v128 {
  const next = v128.shuffle<u32>(x, x, 1, 2, 3, 0);
  const pairs = addX4(x, next, p);
  const sum = addX4(pairs, v128.shuffle<u32>(pairs, pairs, 2, 3, 0, 1), p);
  return addX4(sum, addX4(pairs, next, p), p);
}

/** Leaves circ(2·M4, M4, M4, M4) of sixteen lanes at `to`. */
// @ts-ignore: decorator
@inline
function storeExternalMatrix(to: usize, x0: v128, x1: v128, x2: v128, x3: v128, p: v128): void {
  const y0 = multiplyM4(x0, p);
  const y1 = multiplyM4(x1, p);
  const y2 = multiplyM4(x2, p);
  const y3 = multiplyM4(x3, p);
  const sum = addX4(addX4(y0, y1, p), addX4(y2, y3, p), p);
  v128.store(to, addX4(y0, sum, p));
  v128.store(to, addX4(y1, sum, p), 16);
  v128.store(to, addX4(y2, sum, p), 32);
  v128.store(to, addX4(y3, sum, p), 48);
}

/** (x + k)^5 of the four lanes at `row` and `constants`. */
// @ts-ignore: decorator
@inline
function sboxOf(row: usize, constants: usize, p: v128): v128 {
  const x = addX4(v128.load(row), v128.load(constants), p);
  const square = mulX4(x, x, p);
  return mulX4(mulX4(square, square, p), x, p);
}

/** Row after row from that at `row`, one a round. @returns the last */
function fullRounds(row: usize, constants: usize, p: v128): usize {
  for (let r: usize = 0; r < ROUNDS_FULL_HALF; r++, constants += ROW_BYTES, row += ROW_BYTES) {
    storeExternalMatrix(
      row + ROW_BYTES,
      sboxOf(row, constants, p),
      sboxOf(row + 16, constants + 16, p),
      sboxOf(row + 32, constants + 32, p),
      sboxOf(row + 48, constants + 48, p),
      p,
    );
  }
  return row;
}

/**
 * As fullRounds. Lane 0, which alone passes the S-box, is kept apart, so that all else is done while its powers are awaited;
 * its entry of the diagonal is -2, which makes it the others' sum less the S-box.
 */
function partialRounds(row: usize, constants: usize, diagonal: usize, p: v128): usize {
  const d0 = doubleX4(v128.load(diagonal));
  const d1 = doubleX4(v128.load(diagonal, 16));
  const d2 = doubleX4(v128.load(diagonal, 32));
  const d3 = doubleX4(v128.load(diagonal, 48));
  let first = load<u32>(row);
  let x0 = i32x4.replace_lane(v128.load(row), 0, 0);
  let x1 = v128.load(row, 16);
  let x2 = v128.load(row, 32);
  let x3 = v128.load(row, 48);
  for (let r: usize = 0; r < ROUNDS_PARTIAL; r++, constants += ROW_BYTES) {
    const keyed = add31(first, load<u32>(constants));
    const square = mul31(keyed, keyed);
    const power = mul31(mul31(square, square), keyed);
    const quarters = addX4(addX4(x0, x1, p), addX4(x2, x3, p), p);
    const halves = addX4(quarters, v128.shuffle<u32>(quarters, quarters, 2, 3, 0, 1), p);
    const others = add31(i32x4.extract_lane(halves, 0), i32x4.extract_lane(halves, 1));
    const sum = i32x4.splat(add31(others, power));
    first = sub31(others, power);
    x0 = i32x4.replace_lane(addX4(mulDoubled(x0, d0, p), sum, p), 0, 0);
    x1 = addX4(mulDoubled(x1, d1, p), sum, p);
    x2 = addX4(mulDoubled(x2, d2, p), sum, p);
    x3 = addX4(mulDoubled(x3, d3, p), sum, p);
    row += ROW_BYTES;
    v128.store(row, x0);
    store<u32>(row, first);
    v128.store(row, x1, 16);
    v128.store(row, x2, 32);
    v128.store(row, x3, 48);
  }
  return row;
}

/** The row at `row` again, up to the permutation's last. */
function repeatRow(row: usize, last: usize): void {
  const x0 = v128.load(row);
  const x1 = v128.load(row, 16);
  const x2 = v128.load(row, 32);
  const x3 = v128.load(row, 48);
  for (let to = row + ROW_BYTES; to <= last; to += ROW_BYTES) {
    v128.store(to, x0);
    v128.store(to, x1, 16);
    v128.store(to, x2, 32);
    v128.store(to, x3, 48);
  }
}

/** 32 rows of sixteen lanes to as many columns: squares of four by four are turned. */
function writeColumns(columns: usize, stride: usize, rows: usize): void {
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const to = columns + lane * stride;
    for (let r: usize = 0; r < ROWS; r += 4) {
      const from = rows + r * ROW_BYTES + (lane << 2);
      const r0 = v128.load(from);
      const r1 = v128.load(from, 64);
      const r2 = v128.load(from, 128);
      const r3 = v128.load(from, 192);
      const low01 = v128.shuffle<u32>(r0, r1, 0, 4, 1, 5);
      const low23 = v128.shuffle<u32>(r2, r3, 0, 4, 1, 5);
      const high01 = v128.shuffle<u32>(r0, r1, 2, 6, 3, 7);
      const high23 = v128.shuffle<u32>(r2, r3, 2, 6, 3, 7);
      const at = to + (r << 2);
      v128.store(at, v128.shuffle<u64>(low01, low23, 0, 2));
      v128.store(at + stride, v128.shuffle<u64>(low01, low23, 1, 3));
      v128.store(at + 2 * stride, v128.shuffle<u64>(high01, high23, 0, 2));
      v128.store(at + 3 * stride, v128.shuffle<u64>(high01, high23, 1, 3));
    }
  }
}

/**
 * As spongeStates, over words: sixteen lanes, of which a block fills eight, 22 rows of sixteen constants, and rows after
 * round 22 that repeat its state.
 */
export function m31SpongeStates(
  columns: usize,
  stride: usize,
  permutations: i32,
  state: usize,
  blocks: usize,
  blockCount: i32,
  rounds: usize,
  diagonal: usize,
): void {
  const p = loadM31();
  const rows = scratchArea();
  const last = rows + (ROWS - 1) * ROW_BYTES;
  memory.copy(rows, state, ROW_BYTES);
  for (let i = 0; i < permutations; i++, columns += ROWS << 2) {
    if (i < blockCount) {
      v128.store(rows, addX4(v128.load(rows), v128.load(blocks), p));
      v128.store(rows, addX4(v128.load(rows, 16), v128.load(blocks, 16), p), 16);
      blocks += RATE_BYTES;
    }
    const mixed = rows + ROW_BYTES;
    storeExternalMatrix(
      mixed,
      v128.load(rows),
      v128.load(rows, 16),
      v128.load(rows, 32),
      v128.load(rows, 48),
      p,
    );
    let constants = rounds;
    let row = fullRounds(mixed, constants, p);
    constants += ROUNDS_FULL_HALF * ROW_BYTES;
    row = partialRounds(row, constants, diagonal, p);
    constants += ROUNDS_PARTIAL * ROW_BYTES;
    repeatRow(fullRounds(row, constants, p), last);
    writeColumns(columns, stride, rows);
    memory.copy(rows, last, ROW_BYTES);
  }
  memory.copy(state, last, ROW_BYTES);
}

/** As sboxColumns, over words and for x^5: fifth[row] = cube·(state[row] + k)². */
export function m31SboxColumns(
  cube: usize,
  fifth: usize,
  state: usize,
  constants: usize,
  count: i32,
): void {
  const p = loadM31();
  const end = <usize>count << 2;
  for (let base: usize = 0; base < end; base += ROWS << 2) {
    for (let i: usize = 0; i < ROWS << 2; i += 16) {
      const at = base + i;
      const x = addX4(v128.load(state + at), v128.load(constants + i), p);
      const square = mulX4(x, x, p);
      const x3 = mulX4(square, x, p);
      v128.store(cube + at, x3);
      v128.store(fifth + at, mulX4(x3, square, p));
    }
  }
}
