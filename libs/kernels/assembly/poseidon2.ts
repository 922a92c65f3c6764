// The Poseidon2 sponge of width 8 (ePrint 2023/323) that statements are hashed with, writing its state before
// every step into trace columns. Constants come from the host, which also holds the readable reference.
import { add, mul } from './goldilocks';
import { addX2, loadEpsilon, loadPrime, loadSign, mulX2 } from './goldilocks-x2';

const LANES: usize = 8;
const ROUNDS_FULL_HALF: usize = 4;
const ROUNDS_PARTIAL: usize = 22;
const ROWS: usize = 32;

// @ts-ignore: decorator
@inline
function lane(state: usize, i: usize): u64 {
  return load<u64>(state + (i << 3));
}

/** x^7, canonical. */
// @ts-ignore: decorator
@inline
function seventhPower(x: u64): u64 {
  const cube = mul(mul(x, x), x);
  return mul(mul(cube, cube), x);
}

/** M4 = [[2,3,1,1],[1,2,3,1],[1,1,2,3],[3,1,1,2]] on four lanes, in place. */
function multiplyM4(at: usize): void {
  const x0 = lane(at, 0);
  const x1 = lane(at, 1);
  const x2 = lane(at, 2);
  const x3 = lane(at, 3);
  const x01 = add(x0, x1);
  const x23 = add(x2, x3);
  const sum = add(x01, x23);
  const sumAndX1 = add(sum, x1);
  const sumAndX3 = add(sum, x3);
  store<u64>(at, add(sumAndX1, x01));
  store<u64>(at, add(sumAndX1, add(x2, x2)), 8);
  store<u64>(at, add(sumAndX3, x23), 16);
  store<u64>(at, add(sumAndX3, add(x0, x0)), 24);
}

/** circ(2·M4, M4), in place. */
function externalMatrix(state: usize): void {
  multiplyM4(state);
  multiplyM4(state + 32);
  for (let i: usize = 0; i < 4; i++) {
    const low = lane(state, i);
    const high = lane(state, i + 4);
    const sum = add(low, high);
    store<u64>(state + (i << 3), add(low, sum));
    store<u64>(state + (i << 3), add(high, sum), 32);
  }
}

/** 1 + diag(diagonal), in place. */
function internalMatrix(state: usize, diagonal: usize): void {
  let sum: u64 = 0;
  for (let i: usize = 0; i < LANES; i++) sum = add(sum, lane(state, i));
  for (let i: usize = 0; i < LANES; i++) {
    store<u64>(state + (i << 3), add(sum, mul(lane(state, i), lane(diagonal, i))));
  }
}

function fullRound(state: usize, constants: usize): void {
  for (let i: usize = 0; i < LANES; i++) {
    store<u64>(state + (i << 3), seventhPower(add(lane(state, i), lane(constants, i))));
  }
  externalMatrix(state);
}

function writeRow(columns: usize, stride: usize, row: usize, state: usize): void {
  for (let i: usize = 0; i < LANES; i++) store<u64>(columns + i * stride + (row << 3), lane(state, i));
}

/**
 * Runs `permutations` permutations from the eight lanes at `state`, adding a block of four lanes to the rate before each of
 * the first `blockCount`. Column i (i < 8) of the columns `stride` apart gets lane i before every step, 32 rows a permutation:
 * the absorbed state, the state after the initial matrix, and the states after rounds 1 … 30. `rounds` holds 30 rows of eight
 * constants, `diagonal` the internal matrix's; `state` is left as the last permutation leaves it.
 */
export function spongeStates(
  columns: usize,
  stride: usize,
  permutations: i32,
  state: usize,
  blocks: usize,
  blockCount: i32,
  rounds: usize,
  diagonal: usize,
): void {
  let row: usize = 0;
  for (let p = 0; p < permutations; p++) {
    if (p < blockCount) {
      for (let i: usize = 0; i < 4; i++) {
        store<u64>(state + (i << 3), add(lane(state, i), lane(blocks + (<usize>p << 5), i)));
      }
    }
    writeRow(columns, stride, row++, state);
    externalMatrix(state);
    writeRow(columns, stride, row++, state);
    let constants = rounds;
    for (let r: usize = 0; r < ROUNDS_FULL_HALF; r++, constants += 64) {
      fullRound(state, constants);
      writeRow(columns, stride, row++, state);
    }
    for (let r: usize = 0; r < ROUNDS_PARTIAL; r++, constants += 64) {
      store<u64>(state, seventhPower(add(lane(state, 0), load<u64>(constants))));
      internalMatrix(state, diagonal);
      writeRow(columns, stride, row++, state);
    }
    for (let r: usize = 0; r < ROUNDS_FULL_HALF; r++, constants += 64) {
      fullRound(state, constants);
      writeRow(columns, stride, row++, state);
    }
  }
}

/**
 * cube[row] = (state[row] + k)³ and seventh[row] = cube²·(state[row] + k) with k = constants[row mod
 * 32], for `count` rows, a multiple of 32.
 */
export function sboxColumns(cube: usize, seventh: usize, state: usize, constants: usize, count: i32): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const end = <usize>count << 3;
  for (let base: usize = 0; base < end; base += ROWS << 3) {
    for (let i: usize = 0; i < ROWS << 3; i += 16) {
      const at = base + i;
      const x = addX2(v128.load(state + at), v128.load(constants + i), sign, prime);
      const x3 = mulX2(mulX2(x, x, epsilon, sign, prime), x, epsilon, sign, prime);
      v128.store(cube + at, x3);
      v128.store(seventh + at, mulX2(mulX2(x3, x3, epsilon, sign, prime), x, epsilon, sign, prime));
    }
  }
}

/** One permutation in place; constants as in spongeStates. */
export function poseidon2Permute(state: usize, rounds: usize, diagonal: usize): void {
  externalMatrix(state);
  let constants = rounds;
  for (let r: usize = 0; r < 2 * ROUNDS_FULL_HALF + ROUNDS_PARTIAL; r++, constants += 64) {
    if (r < ROUNDS_FULL_HALF || r >= ROUNDS_FULL_HALF + ROUNDS_PARTIAL) {
      fullRound(state, constants);
    } else {
      store<u64>(state, seventhPower(add(lane(state, 0), load<u64>(constants))));
      internalMatrix(state, diagonal);
    }
  }
}
