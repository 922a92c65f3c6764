import { type Air, findAir } from '@svc/stark-air';
import { AIR_SAMPLES, type AirSample } from '@svc/stark-air/testing';
import { type ProfileName, traceLengthFor, verify } from '@svc/stark-verifier';
import { seededRandomSource } from '../testing/seeded-random.js';
import { createWasmBackend } from './node/index.js';
import { prove } from './prove.js';

const PROFILES: Readonly<Record<AirSample['field'], readonly ProfileName[]>> = {
  goldilocks: ['gl2', 'gl3'],
  m31: ['m31'],
};
const backend = createWasmBackend({ threads: 1 });
afterAll(() => backend.close());

const cases = AIR_SAMPLES.flatMap(sample =>
  PROFILES[sample.field].map(profile => [sample.id, profile, sample] as const),
);

it.each(cases)(
  'proves %s under profile %s, and no other statement by that proof',
  async (id, profile, sample) => {
    const air = findAir(id, sample.field) as Air;
    const witness = air.witnessFromJson?.(sample.witness);
    const shape = { profile, queryCount: 2, zeroKnowledge: air.zeroKnowledge !== 'never' };
    const traceLength = traceLengthFor(shape, air.rowsNeeded(witness), air.traceLengthMin);
    const parameters = { ...shape, traceLength, blowupFactor: 2, grindingBits: 0 };
    const { proof, publicInputs } = await prove({
      air,
      witness,
      parameters,
      backend,
      random: seededRandomSource(`${id} ${profile}`),
    });
    const claim = { airId: id, proof, contextDomain: '' };
    const set = { id: 'test', profile, grindingBits: 0, queryCounts: { 2: shape.queryCount } };
    const policy = { parameterSets: [set], securityBitsMin: 0 };
    const json = air.publicInputsToJson(publicInputs);
    expect(verify({ ...claim, publicInputs: json }, policy)).toMatchObject({ valid: true });
    const [key] = Object.keys(json)
      .filter(name => Array.isArray(json[name]))
      .slice(-1);
    const other = key ? { ...json, [key]: (json[key] as unknown[]).toReversed() } : { ...json, rows: 3 };
    expect(verify({ ...claim, publicInputs: other }, policy)).toMatchObject({ valid: false });
  },
);
