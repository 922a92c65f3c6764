import { type Air, cubic8Air, fibonacciAir, findAir, hashChainAir, ownAir, statement } from '@svc/stark-air';
import { memoryOfProof } from '../../testing/inline-memory.js';
import { FIXED_BYTES } from '../circle/wasm/circle-memory.js';
import { createWasmBackend } from '../node/index.js';
import { prove } from '../prove.js';
import {
  assertProverMemory,
  estimateProverMemoryBytes,
  PROVER_MEMORY_BYTES_MAX,
  ProverMemoryError,
  retainsExtension,
} from './prover-memory.js';

const cubic8Witness = { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] };

it.each([
  { traceLength: 1024, profile: 'gl3', zeroKnowledge: false, isRetained: true },
  { traceLength: 8192, profile: 'gl3', zeroKnowledge: false, isRetained: true },
  { traceLength: 8192, profile: 'gl2', zeroKnowledge: false, isRetained: true },
  { traceLength: 8192, profile: 'gl3', zeroKnowledge: false, isRetained: false },
  { traceLength: 32_768, profile: 'gl2', zeroKnowledge: true, isRetained: true },
  { traceLength: 8192, profile: 'gl3', zeroKnowledge: true, isRetained: false },
  // So long that what is fixed cannot make up for what is forgotten.
  { traceLength: 65_536, profile: 'gl3', zeroKnowledge: true, isRetained: false, blowupFactor: 2 },
] as const)(
  'bounds the memory of a proof, and not by a quarter more: %p',
  async ({ isRetained, ...change }) => {
    const parameters = { blowupFactor: 8, queryCount: 20, grindingBits: 0, ...change };
    const statements: [Air, unknown][] = [
      [fibonacciAir as Air, { first: 1n, second: 1n }],
      [cubic8Air as Air, cubic8Witness],
    ];
    if (!change.zeroKnowledge) statements.push([hashChainAir as Air, { traceData: 'x' }]);
    for (const [air, witness] of statements) {
      const { columnCount, constraintDegree } = air;
      const size = { columnCount, constraintDegree, ...parameters };
      const estimate = estimateProverMemoryBytes(size, isRetained ? undefined : 0);
      const used = await memoryOfProof(air, witness, parameters, isRetained);
      expect(used).toBeLessThanOrEqual(estimate);
      expect(used).toBeGreaterThan(0.8 * (estimate - FIXED_BYTES));
    }
  },
);

it.each(['gl3', 'm31'] as const)(
  'bounds the memory of a statement that fixes cells in eight rows, over %s',
  async profile => {
    const s = statement(profile === 'm31' ? 'm31' : 'goldilocks');
    const x = s.column('x');
    s.require('step', x.next.sub(x.add(1)));
    for (let row = 0; row < 8; row++) s.at(x, 5 * row, s.public(`cell_${row}`));
    const air = ownAir(s.definition(), {}) as Air;
    const parameters = {
      ...{
        profile,
        traceLength: 8192,
        blowupFactor: 2,
        queryCount: 20,
        grindingBits: 0,
        zeroKnowledge: false,
      },
    };
    const { columnCount, constraintDegree, boundaryRowCount } = air;
    expect(boundaryRowCount).toBe(8);
    const size = { columnCount, constraintDegree, ...parameters };
    const used = await memoryOfProof(air, { rows: 100, start: { x: 1n } }, parameters, true);
    expect(used).toBeLessThanOrEqual(estimateProverMemoryBytes({ ...size, boundaryRowCount }));
  },
);

it.each(['gl3', 'm31'] as const)(
  'bounds the memory of a small proof by the most threads, over %s',
  async profile => {
    const parameters = {
      ...{
        profile,
        traceLength: 16_384,
        blowupFactor: 2,
        queryCount: 20,
        grindingBits: 0,
        zeroKnowledge: true,
      },
    };
    const air = findAir('raw/fibonacci/v1', profile === 'm31' ? 'm31' : 'goldilocks') as Air;
    const backend = createWasmBackend({ threads: 4 });
    await prove({ air, witness: { first: 1n, second: 1n }, parameters, backend });
    const { columnCount, constraintDegree } = air;
    const estimate = estimateProverMemoryBytes({ ...parameters, columnCount, constraintDegree });
    expect(backend.memoryBytesPeak).toBeLessThanOrEqual(estimate);
    expect(backend.memoryBytesPeak).toBeGreaterThan(0.85 * estimate);
    await backend.close();
  },
);

it('admits the defaults with the extension kept, and 2^20 rows at blowup 8 without', () => {
  const P100 = { profile: 'gl3', queryCount: 57, blowupFactor: 8, zeroKnowledge: false } as const;
  const chain = { columnCount: 25, constraintDegree: 3, ...P100 };
  expect(retainsExtension({ ...chain, traceLength: 65_536 })).toBe(true);
  expect(retainsExtension({ ...chain, traceLength: 2 ** 20 })).toBe(false);
  expect(estimateProverMemoryBytes({ ...chain, traceLength: 2 ** 20 })).toBeLessThan(PROVER_MEMORY_BYTES_MAX);
  const comparison = { columnCount: 8, constraintDegree: 3, ...P100, traceLength: 2 ** 20 };
  for (const profile of ['gl2', 'gl3'] as const) {
    for (const zeroKnowledge of [false, true]) {
      const size = { ...comparison, profile, zeroKnowledge };
      expect(estimateProverMemoryBytes(size)).toBeLessThan(PROVER_MEMORY_BYTES_MAX);
    }
  }
});

it('names the bound and the need when a proof is too large', () => {
  const size = {
    columnCount: 50,
    constraintDegree: 3,
    profile: 'gl3',
    queryCount: 34,
    zeroKnowledge: false,
    traceLength: 2 ** 20,
    blowupFactor: 32,
  } as const;
  expect(() => assertProverMemory(size)).toThrow(ProverMemoryError);
  expect(() => assertProverMemory(size)).toThrow(
    `may take ${PROVER_MEMORY_BYTES_MAX} bytes of memory (degree × blowup × columns), this one needs ${estimateProverMemoryBytes(size)}`,
  );
});
