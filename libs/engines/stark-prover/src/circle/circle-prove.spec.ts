import { CountingField, m31 } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import { findAir } from '@svc/stark-air';
import { AIR_SAMPLES } from '@svc/stark-air/testing';
import { BLOWUP_FACTORS, leastTraceLength, type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { seededRandomSource } from '../../testing/seeded-random.js';
import { fieldOperations } from '../field-ops.js';
import { prove, type ProveResult } from '../prove.js';
import { referenceProverBackend } from '../reference-backend.js';

const ONES = { first: 1n, second: 1n };
const EIGHT = { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] };
const HELLO = { traceData: '0x48656c6c6f' };

const parameters = (change: Partial<ProofParameters> = {}): ProofParameters => ({
  profile: 'm31',
  traceLength: 64,
  blowupFactor: 2,
  queryCount: 4,
  grindingBits: 2,
  zeroKnowledge: false,
  ...change,
});

const MASKED = { queryCount: 2, zeroKnowledge: true };
const MASKED_LENGTH = leastTraceLength({ profile: 'm31', ...MASKED });

function airOf(id: string): Air {
  return findAir(id, 'm31') as Air;
}

function verifyResult(result: ProveResult<unknown>, proof = result.proof) {
  const publicInputs: unknown = JSON.parse(
    JSON.stringify(airOf(result.airId).publicInputsToJson(result.publicInputs)),
  );
  return verify({ proof, airId: result.airId, publicInputs }, laxPolicy(result.parameters));
}

describe('honest proofs on the circle', () => {
  it.each(
    BLOWUP_FACTORS.flatMap(blowupFactor => [
      [blowupFactor, 'raw/fibonacci/v1', ONES],
      [blowupFactor, 'hash-chain/v1', HELLO],
      [blowupFactor, 'raw/cubic8/v1', EIGHT],
    ]) as [number, string, unknown][],
  )('verify at blowup %i for %s', async (blowupFactor, airId, witness) => {
    const air = airOf(airId);
    const traceLength = Math.max(64, air.traceLengthMin);
    const result = await prove({ air, witness, parameters: parameters({ traceLength, blowupFactor }) });
    expect(verifyResult(result)).toMatchObject({ valid: true, airId, blowupFactor, profile: 'm31' });
  });

  it.each([64, 128, 256, 512, 2048, 4096])(
    'verify at %i rows, with every number of folds',
    async traceLength => {
      const result = await prove({
        air: airOf('raw/fibonacci/v1'),
        witness: ONES,
        parameters: parameters({ traceLength }),
      });
      expect(verifyResult(result)).toMatchObject({ valid: true, traceLength });
    },
  );

  it('verify for constraints of degree 2, whose one chunk leaves three coefficients over', async () => {
    const air = airOf('raw/lif-step/v1');
    const sample = AIR_SAMPLES.find(({ id, field }) => id === air.id && field === 'm31');
    const witness = air.witnessFromJson?.(sample?.witness);
    const traceLength = Math.max(air.traceLengthMin, 2 ** Math.ceil(Math.log2(air.rowsNeeded(witness))));
    expect(air.constraintDegree).toBe(2);
    const result = await prove({ air, witness, parameters: parameters({ traceLength }) });
    expect(verifyResult(result)).toMatchObject({ valid: true });
  });

  it.each([
    ['raw/fibonacci/v1', ONES],
    ['raw/cubic8/v1', EIGHT],
  ])('verify in zero knowledge for %s', async (airId, witness) => {
    const result = await prove({
      air: airOf(airId),
      witness,
      parameters: parameters({ traceLength: MASKED_LENGTH, ...MASKED }),
      random: seededRandomSource('circle'),
    });
    expect(verifyResult(result)).toMatchObject({ valid: true, zeroKnowledge: true });
  });
});

it.each([
  ['raw/fibonacci/v1', ONES, {}],
  ['raw/fibonacci/v1', ONES, { traceLength: 4096 }],
  ['raw/cubic8/v1', EIGHT, { blowupFactor: 8 }],
  ['hash-chain/v1', HELLO, { traceLength: 64 }],
  ['raw/fibonacci/v1', ONES, { traceLength: MASKED_LENGTH, ...MASKED }],
  ['raw/cubic8/v1', EIGHT, { traceLength: MASKED_LENGTH, ...MASKED }],
] as [string, unknown, Partial<ProofParameters>][])(
  'counts as many operations for %s as the closed formula says: %j %j',
  async (airId, witness, change) => {
    const field = new CountingField(m31);
    const air = airOf(airId);
    const traceLength = Math.max(change.traceLength ?? 64, air.traceLengthMin);
    const proved = parameters({ ...change, traceLength });
    const backend = referenceProverBackend(field);
    const { publicInputs } = await prove({
      air,
      witness,
      parameters: proved,
      backend,
      random: seededRandomSource('circle'),
    });
    const { additions, multiplications } = fieldOperations(air, publicInputs, proved);
    expect([field.additions, field.multiplications]).toEqual([additions, multiplications]);
  },
);
