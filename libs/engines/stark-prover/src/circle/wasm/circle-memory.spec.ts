import { type Air, findAir } from '@svc/stark-air';
import { memoryOfProof } from '../../../testing/inline-memory.js';
import {
  estimateProverMemoryBytes,
  PROVER_MEMORY_BYTES_MAX,
  retainsExtension,
} from '../../wasm/prover-memory.js';
import { FIXED_BYTES } from './circle-memory.js';

const EIGHT = { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] };

it.each([
  { zeroKnowledge: false, blowupFactor: 8, isRetained: true },
  { zeroKnowledge: false, blowupFactor: 8, isRetained: false },
  { zeroKnowledge: false, blowupFactor: 2, isRetained: true },
  { zeroKnowledge: true, blowupFactor: 8, isRetained: true },
  { zeroKnowledge: true, blowupFactor: 4, isRetained: false },
  { zeroKnowledge: true, blowupFactor: 2, isRetained: true },
])(
  'bounds the memory of a proof on the circle, and not by a quarter more: %p',
  async ({ isRetained, ...change }) => {
    const parameters = {
      profile: 'm31',
      traceLength: 16_384,
      queryCount: 20,
      grindingBits: 0,
      ...change,
    } as const;
    const statements: [string, unknown][] = [
      ['raw/fibonacci/v1', { first: 1n, second: 1n }],
      ['raw/cubic8/v1', EIGHT],
    ];
    for (const [id, witness] of statements) {
      const air = findAir(id, 'm31') as Air;
      const { columnCount, constraintDegree } = air;
      const size = { columnCount, constraintDegree, ...parameters };
      const estimate = estimateProverMemoryBytes(size, isRetained ? undefined : 0);
      const used = await memoryOfProof(air, witness, parameters, isRetained);
      expect(used).toBeLessThanOrEqual(estimate);
      expect(used).toBeGreaterThan(0.75 * (estimate - FIXED_BYTES));
    }
  },
);

it('keeps the extension of 2^20 rows of eight columns at blowup 8', () => {
  const size = {
    profile: 'm31',
    columnCount: 8,
    constraintDegree: 3,
    traceLength: 2 ** 20,
    blowupFactor: 8,
    queryCount: 42,
    zeroKnowledge: false,
  } as const;
  expect(retainsExtension(size)).toBe(true);
  expect(estimateProverMemoryBytes(size)).toBeLessThan(PROVER_MEMORY_BYTES_MAX);
});
