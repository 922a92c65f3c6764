import fc from 'fast-check';
import { GOLDILOCKS_MODULUS as P } from '../field/goldilocks.js';
import { M31_MODULUS } from '../field/m31.js';
import { poseidon2Goldilocks, poseidon2M31 } from '../hash/poseidon2-instances.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const rounds = arena.store(poseidon2Goldilocks.rounds.flatMap(round => round.constants));
const diagonal = arena.store(poseidon2Goldilocks.internalDiagonal);

function permute(state: readonly bigint[]): bigint[] {
  const mark = arena.usedBytes;
  const at = arena.store(state);
  kernels.poseidon2Permute(at, rounds, diagonal);
  const result = [...arena.elements(at, 8)];
  arena.release(mark);
  return result;
}

it("begins the published answer of Plonky3's default instance", () => {
  const [first, second] = permute([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]);
  expect([first, second]).toEqual([0x020cf04a1b214d14n, 0x84e14aaaeacaed25n]);
});

it('permutes any state as the reference does', () => {
  const lane = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n));
  fc.assert(
    fc.property(fc.array(lane, { minLength: 8, maxLength: 8 }), state => {
      expect(permute(state)).toEqual(poseidon2Goldilocks.permute(state));
    }),
    { numRuns: 50 },
  );
});

describe('over M31', () => {
  const WIDTH = 16;
  const ROWS = 32;

  /** The states before the steps of a permutation, row by row, and the state that it leaves. */
  function states(state: readonly bigint[]) {
    const mark = arena.usedBytes;
    const words = (values: readonly bigint[]) => arena.storeWords(values.map(Number));
    const columns = arena.allocate(4 * ROWS * WIDTH);
    const at = words(state);
    const constants = words(poseidon2M31.rounds.flatMap(round => round.constants));
    kernels.m31SpongeStates(columns, 4 * ROWS, 1, at, 0, 0, constants, words(poseidon2M31.internalDiagonal));
    const rows = Array.from({ length: ROWS }, (_, row) =>
      Array.from({ length: WIDTH }, (__, lane) =>
        BigInt(arena.words(columns + 4 * (ROWS * lane + row), 1)[0]),
      ),
    );
    const left = [...arena.words(at, WIDTH)].map(BigInt);
    arena.release(mark);
    return { rows, left };
  }

  it("begins the published answer of Plonky3's default instance", () => {
    const { left } = states(Array.from({ length: WIDTH }, (_, i) => BigInt(i)));
    expect(left[0]).toBe(0x0b2c803an);
  });

  it('leads any state to where the reference does, in its last row and in its place', () => {
    const lane = fc.oneof(
      fc.bigInt({ min: 0n, max: M31_MODULUS - 1n }),
      fc.constantFrom(0n, 1n, M31_MODULUS - 1n),
    );
    fc.assert(
      fc.property(fc.array(lane, { minLength: WIDTH, maxLength: WIDTH }), state => {
        const { rows, left } = states(state);
        expect(left).toEqual(poseidon2M31.permute(state));
        expect(rows[0]).toEqual(state);
        expect(rows[ROWS - 1]).toEqual(left);
      }),
      { numRuns: 100 },
    );
  });
});
