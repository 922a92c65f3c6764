import 'reflect-metadata';
import { type Procedure, snnContract, toolCallContract } from '@svc/contracts';
import fc from 'fast-check';
import { packed, type SnnOnBus, startSnnOnBus } from './snn-on-bus.js';

/** A base of small work, so that what is by chance all right is soon done. */
const NETWORK = { neuronCount: 200, iterations: 20, outDegree: 10, seed: 1 };
const GRAPH = {
  problem: 'mis',
  nodes: 4,
  edges: [
    [0, 1, 2],
    [1, 2, 3],
  ],
  seed: 1,
  steps: 10,
  restarts: 1,
};
const MODEL = {
  A: [
    [0.9, 0.2],
    [0.1, 0.8],
  ],
  B: [
    [
      [1, 0],
      [0, 1],
    ],
  ],
  C: [0, 1],
  D: [0.5, 0.5],
  observations: [0],
};

/** Values at and beyond the edges of what is taken, small ones where they cost work. */
const odd = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    1,
    1.5,
    0.01,
    100,
    1e9,
    -1e9,
    2 ** 31,
    2 ** 32,
    1e308,
    '',
    'none',
    null,
    true,
    [],
    {},
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
/** A request with some members replaced, left out or added. */
const spoiled = (base: object, names: readonly string[]) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(base), ...names), fc.option(odd, { nil: undefined }), {
      maxKeys: 3,
    })
    .map(changes => ({ ...base, ...changes }));

const networks = spoiled(NETWORK, [
  'dtMs',
  'delayMs',
  'plasticity',
  'connectivity',
  'record',
  'threads',
  'warmupSteps',
  'extra',
]);
const graphs = spoiled(GRAPH, ['source', 'target', 'extra']);
const models = spoiled(MODEL, ['E', 'policyLength', 'gamma', 'alpha']);

/** @param numRuns payloads that each handler is sent */
export function describeHandlers(numRuns: number): void {
  describe('every handler of the service', () => {
    let snn: SnnOnBus;

    beforeAll(async () => {
      snn = await startSnnOnBus({ variables: { SNN_WORK_MAX: '1e7', SNN_MEMORY_MB_MAX: '64' } });
    });
    afterAll(() => snn?.close());

    const refusals = [
      'VALIDATION_FAILED',
      'UNPROCESSABLE',
      'MALFORMED_JSON',
      'NOT_YET_AVAILABLE',
      'BODY_TOO_LARGE',
    ];
    /** Answers, or refuses with a reason; anything else is a fault of ours. */
    async function isAnswered(procedure: Procedure, payload: unknown): Promise<void> {
      const outcome = await snn.client.call(procedure, payload as never).then(
        () => 'answered',
        (error: { code?: string }) => error.code ?? String(error),
      );
      if (outcome !== 'answered') expect(refusals).toContain(outcome);
    }

    it.each([
      ['solve', networks.map(request => ({ request }))],
      ['admitSolve', networks.map(request => ({ request }))],
      ['solveGraph', graphs.map(request => ({ graph: packed(request) }))],
      ['admitGraph', fc.uint8Array({ maxLength: 64 }).map(graph => ({ graph }))],
      ['infer', models.map(request => ({ model: packed(request) }))],
      [
        'admitInference',
        fc.oneof(models.map(packed), fc.uint8Array({ maxLength: 64 })).map(model => ({ model })),
      ],
    ] as const)('answers or refuses whatever it is sent: %s', async (name, payloads) => {
      const sent = fc.asyncProperty(payloads as fc.Arbitrary<unknown>, payload =>
        isAnswered(snnContract[name], payload),
      );
      await fc.assert(sent, { numRuns, seed: 20_261_122 });
    });

    it('answers or refuses whatever a tool is sent', async () => {
      const inputs = fc.oneof(
        spoiled({ parcelId: 'p', elevationContour: [1, 2, 3] }, ['soilConductivity']).map(input => ({
          tool: 'evaluate_spatial_parcel_fep',
          input,
        })),
        fc.record({ tool: odd, input: odd }),
      );
      const { admitTool, callTool } = toolCallContract.snn;
      let count = 0;
      const sent = fc.asyncProperty(inputs, async input => {
        await isAnswered(admitTool, input);
        const idemKey = (++count).toString(16).padStart(64, '0');
        await isAnswered(callTool, { ...input, idemKey, receipt: '' });
      });
      await fc.assert(sent, { numRuns, seed: 20_261_122 });
    });
  });
}
