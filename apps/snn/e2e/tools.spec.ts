import 'reflect-metadata';
import { snnContract, toolCallContract } from '@svc/contracts';
import { createHash } from 'node:crypto';
import { type SnnOnBus, startSnnOnBus } from './snn-on-bus.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.snn;
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');
const CONTOUR = [101.2, 101.4, 101.5, 101.9, 102.4, 102.2];
const PARCEL = {
  tool: 'evaluate_spatial_parcel_fep' as const,
  input: { parcelId: 'lot-7', elevationContour: CONTOUR, soilConductivity: 20 },
};
const ATTRACTOR = { tool: 'webgpu_snn_attractor' as const, input: { neuronCount: 1_000 } };
const LONG = { tool: 'webgpu_snn_attractor' as const, input: { neuronCount: 100_000 } };
const REVOKED = { payload: { code: 'CONFLICT', extensions: { state: 'revoked' } } };

/** The answer of a tool, or the refusal: both are what the key comes to. */
const settledOf = (call: Promise<unknown>) =>
  call.then(
    reply => ({ reply }),
    (error: { payload: unknown }) => ({ payload: error.payload }),
  );

describe('the tools of the service', () => {
  let snn: SnnOnBus;

  beforeAll(async () => {
    snn = await startSnnOnBus({ replicas: 2 });
  });
  afterAll(() => snn?.close());

  const call = (
    request: { tool: 'evaluate_spatial_parcel_fep' | 'webgpu_snn_attractor'; input: Record<string, unknown> },
    key: string,
  ) => snn.client.call(callTool, { ...request, idemKey: keyOf(key), receipt: 'r' });
  /** Asks both replicas, which are asked in turn. */
  const statesOf = async (key: string) => {
    const outcomes = [1, 2].map(() => snn.client.call(toolOutcome, { idemKey: keyOf(key) }));
    return (await Promise.all(outcomes)).map(({ state }) => state);
  };

  it('evaluates a parcel, and a key has one answer at every replica', async () => {
    await snn.client.call(admitTool, PARCEL);
    const [first, second] = [await call(PARCEL, 'parcel'), await call(PARCEL, 'parcel')];
    expect(first.output).toMatchObject({
      variationalFreeEnergy: expect.any(Number),
      homeostaticStatus: expect.stringMatching(/^(HOMEOSTATIC|ADAPTING|DIVERGENT)$/),
    });
    expect(first.output.optimalTrajectory).toHaveLength(CONTOUR.length);
    expect(second).toEqual(first);
    expect(await statesOf('parcel')).toEqual(['done', 'done']);
  });

  it('measures a network under a key alike at every replica, and under another key another one', async () => {
    await snn.client.call(admitTool, ATTRACTOR);
    const first = await settledOf(call(ATTRACTOR, 'attractor'));
    expect(first).toMatchObject({
      reply: { output: { neuronCount: 1_000, durationMs: 10_000, branchingRatioSigma: expect.any(Number) } },
    });
    const second = await settledOf(call(ATTRACTOR, 'attractor'));
    expect(second).toEqual(first);
    expect(await settledOf(call(ATTRACTOR, 'another attractor'))).not.toEqual(first);
  });

  it('refuses another request under a key of the same replica', async () => {
    const other = { ...PARCEL, input: { ...PARCEL.input, parcelId: 'lot-8' } };
    await call(PARCEL, 'used');
    await call(PARCEL, 'used');
    await expect(call(other, 'used')).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  });

  it('ends a run whose key is revoked at another replica, and refuses the key everywhere from then on', async () => {
    const running = call(LONG, 'revoked');
    const refused = expect(running).rejects.toMatchObject(REVOKED);
    // The questions go to both replicas in turn: each hears of the run, wherever it is.
    for (let asked = 0; asked < 20; asked++) {
      const { seq } = await snn.client.call(toolProgress, {
        ...{ idemKey: keyOf('revoked'), afterSeq: 1, waitMs: 500 },
      });
      if (seq > 1) break;
    }
    const states = await statesOf('revoked');
    expect(states.toSorted()).toEqual(['running', 'unknown']);
    // In turn: the outcomes were asked of both, so the next question goes where the first of them went.
    const { was } = await snn.client.call(revokeTool, { idemKey: keyOf('revoked') });
    await refused;
    expect(['running', 'unknown']).toContain(was);
    expect(await statesOf('revoked')).toEqual(['revoked', 'revoked']);
    for (let i = 0; i < 2; i++) await expect(call(LONG, 'revoked')).rejects.toMatchObject(REVOKED);
    const admitted = snn.client.call(snnContract.admitSolve, { request: { neuronCount: 1_000_000 } });
    await expect(admitted).resolves.toMatchObject({ waitMs: 0 });
  });

  it('refuses a key that was revoked before it came', async () => {
    const { was } = await snn.client.call(revokeTool, { idemKey: keyOf('early') });
    expect(was).toBe('unknown');
    for (let i = 0; i < 2; i++) await expect(call(PARCEL, 'early')).rejects.toMatchObject(REVOKED);
  });

  it.each([
    [
      'a contour of two points',
      'evaluate_spatial_parcel_fep',
      { parcelId: 'p', elevationContour: [1, 2] },
      'VALIDATION_FAILED',
      'elevationContour',
    ],
    [
      'an empty contour',
      'evaluate_spatial_parcel_fep',
      { parcelId: 'p', elevationContour: [] },
      'VALIDATION_FAILED',
      'elevationContour',
    ],
    ['half a neuron', 'webgpu_snn_attractor', { neuronCount: 1_000.5 }, 'VALIDATION_FAILED', 'neuronCount'],
    ['too many neurons', 'webgpu_snn_attractor', { neuronCount: 1e9 }, 'VALIDATION_FAILED', 'neuronCount'],
  ] as const)('refuses %s, naming the field', async (_name, tool, input, code, path) => {
    for (const asked of [
      snn.client.call(admitTool, { tool, input }),
      snn.client.call(callTool, { tool, input, idemKey: keyOf('bad'), receipt: 'r' }),
    ]) {
      await expect(asked).rejects.toMatchObject({ code, payload: { errors: [{ path }] } });
    }
  });

  it('says that it does not run a tool of another service', async () => {
    const asked = snn.client.call(admitTool, { tool: 'get_product_catalog', input: {} });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_YET_AVAILABLE' });
  });
});
