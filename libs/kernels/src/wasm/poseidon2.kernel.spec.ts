import fc from 'fast-check';
import { GOLDILOCKS_MODULUS as P } from '../field/goldilocks.js';
import { poseidon2Goldilocks } from '../hash/poseidon2-instances.js';
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
