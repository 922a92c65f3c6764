import 'reflect-metadata';
import { proverContract, starkProveContract, type StarkProveReply } from '@svc/contracts';
import { preimageDigest } from '@svc/stark-air';
import type { BusClient } from '@svc/platform';
import { describeOwnStatements } from './own-statements.cases.js';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const FIELDS = [
  ['goldilocks', starkProveContract.proveGoldilocks, 'P100', 'gl3', '0xffffffff00000001', 100],
  ['m31', starkProveContract.proveM31, 'm31', 'm31', '0x7fffffff', 80],
] as const;

let prover: ProverOnBus;
let client: BusClient;

export function describeStatements(): void {
  describe('statements', () => {
    beforeAll(async () => {
      prover = await startProverOnBus();
      client = prover.client;
    });
    afterAll(() => prover?.close());

    describe.each(FIELDS)('a statement over %s', (field, procedure, parameterSet, profile, prime, bits) => {
      const prove = (request: object): Promise<StarkProveReply> =>
        client.call(procedure as typeof starkProveContract.proveGoldilocks, {
          request: request as never,
          receipt: 'receipt-text',
        });
      const verdictOf = (reply: StarkProveReply, more: object = {}) => {
        const { proof, publicInputs, airId, contextDomain } = reply;
        return client.call(proverContract.verifyProof, {
          ...{ proof, publicInputs, airId, contextDomain },
          ...more,
        });
      };

      it('binds inputs: every field of the tool, verified, hidden, and opened by what the caller got', async () => {
        const request = { publicInputs: ['0x2a', '7'], privateWitness: ['123456789'], contextDomain: 'demo' };
        const reply = await prove(request);
        expect(reply).toMatchObject({
          verified: true,
          fieldPrimeHex: prime,
          executionTimeMs: expect.any(Number),
          starkRootCommitment: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          friQueryProofBytes: expect.any(Number),
          securityLevelBits: expect.any(Number),
          paymentReceipt: 'receipt-text',
          statement: 'binding',
          contextDomain: 'demo',
          airId: 'binding/v2',
          parameterSet,
          zeroKnowledge: true,
          opening: { salt: expect.stringMatching(/^0x[0-9a-f]+$/) },
        });
        expect(reply.securityLevelBits).toBeGreaterThanOrEqual(bits);
        expect(JSON.stringify(reply.publicInputs)).not.toContain('123456789');
        await expect(verdictOf(reply)).resolves.toMatchObject({
          valid: true,
          profile,
          zeroKnowledge: true,
          parameterSet,
        });
        await expect(verdictOf(reply, { contextDomain: 'other' })).resolves.toMatchObject({ valid: false });
        // The same inputs again: another salt, another commitment.
        const again = await prove(request);
        expect(again.publicInputs).not.toEqual(reply.publicInputs);
      });

      it('refuses a domain tag that could not be kept', async () => {
        await expect(prove({ publicInputs: ['1'], contextDomain: 'a\0b' })).rejects.toMatchObject({
          code: 'VALIDATION_FAILED',
          payload: { errors: [{ path: 'request.contextDomain', bound: 'no U+0000' }] },
        });
      });

      it('proves knowledge of a preimage, and refuses a witness that is none', async () => {
        const digest = preimageDigest(field, 'demo', ['99']);
        const request = { statement: 'preimage', contextDomain: 'demo', publicInputs: digest };
        const reply = await prove({ ...request, privateWitness: ['99'] });
        expect(reply).toMatchObject({ verified: true, statement: 'preimage', zeroKnowledge: true });
        await expect(verdictOf(reply)).resolves.toMatchObject({ valid: true });
        // Whoever has no digest yet learns it so.
        await expect(prove({ ...request, privateWitness: ['98'] })).rejects.toMatchObject({
          code: 'UNPROCESSABLE',
          payload: { errors: [{ path: 'privateWitness', got: preimageDigest(field, 'demo', ['98']) }] },
        });
        await expect(
          prove({ ...request, publicInputs: digest.slice(1), privateWitness: ['99'] }),
        ).rejects.toMatchObject({ payload: { errors: [{ path: 'publicInputs' }] } });
      });

      it('proves a trace from its inputs or as a whole, in zero knowledge where that is asked for', async () => {
        const raw = { statement: 'raw', airId: 'raw/counter/v1' };
        const inputs = { start: '5', step: '3', rows: 4 };
        const open = await prove({ ...raw, inputs });
        expect(open).toMatchObject({ zeroKnowledge: false, traceLength: 64 });
        const hidden = await prove({ ...raw, inputs, zeroKnowledge: true });
        expect(hidden.zeroKnowledge).toBe(true);
        expect(hidden.traceLength).toBeGreaterThanOrEqual(2_048);
        const longer = await prove({ ...raw, inputs, degree: 256 });
        expect(longer.traceLength).toBe(256);
        const brought = await prove({
          ...raw,
          trace: [
            ['5', '8', '11', 14],
            ['3', '0x3', 3, '3'],
          ],
        });
        expect(brought.publicInputs).toEqual(open.publicInputs);
        for (const reply of [open, hidden, longer, brought]) {
          await expect(verdictOf(reply)).resolves.toMatchObject({ valid: true });
        }
      });

      it('names row and constraint of a trace that breaks one', async () => {
        const raw = { statement: 'raw', airId: 'raw/counter/v1' };
        await expect(
          prove({
            ...raw,
            trace: [
              ['5', '8', '12', '15'],
              ['3', '3', '3', '3'],
            ],
          }),
        ).rejects.toMatchObject({
          code: 'UNPROCESSABLE',
          payload: {
            errors: [{ path: expect.stringMatching(/^trace/) }],
            extensions: { row: 1, constraint: expect.any(String) },
          },
        });
      });
    });

    describeOwnStatements(() => client);

    describe('a statement that cannot be proved', () => {
      const admit = (request: object) => client.call(starkProveContract.admitGoldilocks, request as never);

      it.each([
        [
          'an AIR that nobody knows',
          { statement: 'raw', airId: 'raw/nothing/v1', inputs: {} },
          'UNPROCESSABLE',
          'airId',
        ],
        ['a binding without public inputs', { statement: 'binding' }, 'VALIDATION_FAILED', 'publicInputs'],
        ['a trace in a binding', { publicInputs: [], trace: [['1', '1']] }, 'VALIDATION_FAILED', 'trace'],
        [
          'inputs and a trace at once',
          { statement: 'raw', airId: 'raw/counter/v1', inputs: {}, trace: [['1', '1']] },
          'VALIDATION_FAILED',
          'trace',
        ],
        ['an input that is no number', { publicInputs: ['0x'] }, 'VALIDATION_FAILED', 'publicInputs[0]'],
        [
          'a set of the other field',
          { publicInputs: [], parameterSet: 'm31' },
          'VALIDATION_FAILED',
          'parameterSet',
        ],
        [
          'fewer rows than it needs',
          { statement: 'raw', airId: 'raw/counter/v1', inputs: { start: 0, step: 1, rows: 100 }, degree: 64 },
          'UNPROCESSABLE',
          'degree',
        ],
        [
          'more memory than a proof may take',
          {
            statement: 'raw',
            airId: 'raw/lif-step/v1',
            inputs: {
              decay: 1,
              threshold: 100,
              reset: 0,
              refractorySteps: 1,
              initialPotential: 0,
              currents: [1],
            },
            degree: 2 ** 20,
            friBlowup: 32,
            zeroKnowledge: true,
          },
          'UNPROCESSABLE',
          'degree',
        ],
      ])('is refused before anything is paid: %s', async (_, request, code, path) => {
        await expect(admit(request)).rejects.toMatchObject({ code, payload: { errors: [{ path }] } });
      });

      const counter = { statement: 'raw', airId: 'raw/counter/v1' };
      const lif = { decay: 1, threshold: 100, reset: 0, refractorySteps: 1, initialPotential: 0 };
      it.each([
        ['a missing input', { ...counter, inputs: { step: 1 } }, 'inputs.start', {}],
        ['an unknown input', { ...counter, inputs: { start: 0, step: 1, more: 1 } }, 'inputs.more', {}],
        [
          'inputs of a neuron without currents',
          { statement: 'raw', airId: 'raw/lif-step/v1', inputs: lif },
          'inputs.currents',
          {},
        ],
        [
          'an element that is none',
          {
            ...counter,
            trace: [
              ['1', '18446744069414584321'],
              ['1', '1'],
            ],
          },
          'trace[0][1]',
          { bound: '18446744069414584320' },
        ],
        [
          'a threshold that is not above the reset',
          { statement: 'raw', airId: 'raw/lif-step/v1', inputs: { ...lif, threshold: -5, currents: [1] } },
          'inputs.threshold',
          {},
        ],
        [
          'a current out of range',
          { statement: 'raw', airId: 'raw/lif-step/v1', inputs: { ...lif, currents: [1, 40_000] } },
          'inputs.currents[1]',
          { bound: 32_767, got: 40_000 },
        ],
        [
          'a witness that is no preimage',
          { statement: 'preimage', publicInputs: ['1', '2', '3', '4'], privateWitness: ['1'] },
          'privateWitness',
          { got: preimageDigest('goldilocks', '', ['1']) },
        ],
        [
          'a digest of three elements',
          { statement: 'preimage', publicInputs: ['1', '2', '3'], privateWitness: ['1'] },
          'publicInputs',
          { bound: 4 },
        ],
      ])('names %s as the request has it, and the bound', async (_, request, path, more) => {
        await expect(admit(request)).rejects.toMatchObject({
          payload: {
            detail: expect.stringContaining(`${path} `),
            errors: [{ path, message: expect.stringContaining(`${path} `), ...more }],
          },
        });
      });

      it('names the bound of memory that a statement breaks', async () => {
        const inputs = {
          ...{ decay: 1, threshold: 100, reset: 0, refractorySteps: 1 },
          ...{ initialPotential: 0, currents: [1] },
        };
        const request = {
          statement: 'raw',
          airId: 'raw/lif-step/v1',
          inputs,
          degree: 2 ** 20,
          friBlowup: 32,
        };
        await expect(admit(request)).rejects.toMatchObject({
          payload: { errors: [{ path: 'degree', bound: 1_500_000_000, got: expect.any(Number) }] },
        });
      });
    });

    describe('the tool zk_prove_spatial', () => {
      it('proves that claimed coordinates lie in the stated box, with every field of the tool', async () => {
        const request = { coordinates: [47.3769, 8.5417, 408], parcelId: 'parcel-1' };
        await expect(client.call(starkProveContract.admitSpatial, request)).resolves.toMatchObject({
          traceLength: expect.any(Number),
        });
        const reply = await client.call(starkProveContract.proveSpatial, { request, receipt: 'r' });
        expect(reply).toMatchObject({
          verified: true,
          starkRootCommitment: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          primeField: '2^64 - 2^32 + 1',
          latencyMs: expect.any(Number),
          securityBits: expect.any(Number),
          paymentReceipt: 'r',
          zeroKnowledge: true,
        });
        expect(JSON.stringify(reply.publicInputs)).not.toContain('47.3769');
        const { proof, publicInputs, airId } = reply;
        await expect(
          client.call(proverContract.verifyProof, { proof, publicInputs, airId }),
        ).resolves.toMatchObject({ valid: true });
      });

      it('proves a box that is asked for, and no other: the answer states it, and no verifier takes a smaller one', async () => {
        const request = {
          ...{ coordinates: [47.3769, 8.5417], altitude: 12.5, frame: 'wgs84' as const },
          bounds: [
            [47.37, 47.38],
            [8.54, 8.55],
            [0, 100],
          ],
        };
        const reply = await client.call(starkProveContract.proveSpatial, { request, receipt: 'r' });
        const { proof, publicInputs, airId } = reply;
        const axes = [
          { name: 'latitude', unit: '1e-7 degree', min: 473_700_000, max: 473_800_000 },
          { name: 'longitude', unit: '1e-7 degree', min: 85_400_000, max: 85_500_000 },
          { name: 'altitude', unit: 'millimetre', min: 0, max: 100_000 },
        ];
        expect(publicInputs).toMatchObject({ frame: 'wgs84', axes });
        const verdictOf = (box: typeof axes) =>
          client.call(proverContract.verifyProof, {
            proof,
            publicInputs: { ...publicInputs, axes: box },
            airId,
          });
        await expect(verdictOf(axes)).resolves.toMatchObject({ valid: true });
        await expect(
          verdictOf([{ ...axes[0], max: axes[0].max - 1 }, ...axes.slice(1)]),
        ).resolves.toMatchObject({
          valid: false,
        });
      });

      it('takes two coordinates as metres where the frame says so', async () => {
        const request = { coordinates: [47.3769, 8.5417], frame: 'metric' as const };
        const { publicInputs } = await client.call(starkProveContract.proveSpatial, {
          request,
          receipt: 'r',
        });
        const cell = { name: 'grid', unit: 'centimetre', min: 0, max: 1_000_000 };
        expect(publicInputs).toMatchObject({ frame: 'metric', axes: [cell, cell] });
      });

      const inZurich = [
        [47.37, 47.38],
        [8.54, 8.55],
      ];
      it.each([
        ['a coordinate beyond the frame', { coordinates: [1e9, 1e9] }, 'coordinates[0]'],
        ['a latitude that is none', { coordinates: [91, 8.5417] }, 'coordinates[0]'],
        ['a coordinate beyond the box', { coordinates: [47.3769, 8.56], bounds: inZurich }, 'coordinates[1]'],
        ['an altitude without a bound of its own', { altitude: 1, bounds: inZurich }, 'bounds'],
        ['a bound upside down', { bounds: [[47.38, 47.37], inZurich[1]] }, 'bounds[0]'],
        ['a box of more than 2^32 units', { bounds: [[-300, 300], inZurich[1]] }, 'bounds[0]'],
        ['a bound of three numbers', { bounds: [[1, 2, 3], inZurich[1]] }, 'bounds[0]'],
        ['a frame that nobody knows', { frame: 'moon' }, 'frame'],
      ])('refuses %s before any work, naming it', async (_, more, path) => {
        const request = { coordinates: [47.3769, 8.5417], ...more } as never;
        for (const ask of [
          () => client.call(starkProveContract.admitSpatial, request),
          () => client.call(starkProveContract.proveSpatial, { request, receipt: 'r' }),
        ]) {
          await expect(ask()).rejects.toMatchObject({
            payload: { errors: [{ path: expect.stringContaining(path) }] },
          });
        }
      });
    });
  });
}
