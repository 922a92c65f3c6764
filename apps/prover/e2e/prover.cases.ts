import 'reflect-metadata';
import { EVENTS, pingProcedure, type ProvedAuditProof, proverContract } from '@svc/contracts';
import {
  type BusClient,
  createLogger,
  type DeliveredEvent,
  openBusLink,
  openEventStream,
} from '@svc/platform';
import { ProofStore } from '../src/proofs/proof-store.js';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const REQUEST = { traceData: '0x48656c6c6f', degree: 64, friBlowup: 8 };

const logger = createLogger('prover', { level: 'silent' });

export function describeProver(): void {
  describe('the prover on the bus', () => {
    let prover: ProverOnBus;
    let client: BusClient;

    beforeAll(async () => {
      prover = await startProverOnBus();
      client = prover.client;
    });
    afterAll(() => prover?.close());

    const verifying = (reply: { proof: Uint8Array; publicInputs: never; airId: string }) =>
      client.call(proverContract.verifyProof, {
        proof: reply.proof,
        publicInputs: reply.publicInputs,
        airId: reply.airId,
      });

    // The first: nothing else is told of yet.
    it('tells of each proof that is kept, once, and of nothing that it proves', async () => {
      const told: DeliveredEvent[] = [];
      let noticeAll = () => {};
      const allTold = new Promise<void>(resolve => (noticeAll = resolve));
      const stream = openEventStream(openBusLink(prover.bus, 'department', logger), {}, logger);
      const reading = await stream.subscribe(
        { filter: 'events.proof.made.*', durable: 'reader' },
        async event => {
          if (told.push(event) === 2) noticeAll();
        },
      );
      try {
        const { proofId, airId, auditProof } = await prover.client.call(proverContract.prove, {
          request: { traceData: 'a secret of the tests', degree: 64, friBlowup: 8 },
        });
        const wanted = [proofId, (auditProof as ProvedAuditProof).proofId];
        await allTold;
        expect(told.map(({ subject }) => subject).sort()).toEqual(
          wanted.map(id => `events.proof.made.${id}`).sort(),
        );
        const { schema } = EVENTS.proof.messages['svc.proof.made.v1'];
        for (const { id, data } of told) {
          const event: unknown = JSON.parse(Buffer.from(data).toString());
          expect(schema.parse(event)).toEqual(event);
          expect(event).toMatchObject({ id });
          expect(JSON.stringify(event)).not.toContain('secret');
        }
        const own = told.find(({ subject }) => subject.endsWith(proofId))!;
        expect(JSON.parse(Buffer.from(own.data).toString())).toMatchObject({
          subject: proofId,
          data: { airId },
        });
      } finally {
        await reading.stop();
      }
    });

    it('proves, keeps the proof under its id, and verifies it; one flipped bit does not verify', async () => {
      const reply = await client.call(proverContract.prove, { request: REQUEST });
      expect(reply).toMatchObject({
        status: 'VERIFIED_VALID',
        airId: 'hash-chain/v1',
        degree: 64,
        traceLength: 64,
        proves: 'computation',
        proofBytes: reply.proof.length,
      });
      expect(reply.securityBits).toBeGreaterThanOrEqual(100);

      const stored = await client.call(proverContract.fetchProof, { proofId: reply.proofId });
      expect(Buffer.compare(stored.proof, reply.proof)).toBe(0);
      expect(stored.publicInputs).toEqual(reply.publicInputs);

      await expect(verifying(reply as never)).resolves.toMatchObject({
        valid: true,
        securityBits: reply.securityBits,
      });
      const flipped = { ...reply, proof: reply.proof.slice() };
      flipped.proof[flipped.proof.length >> 1] ^= 1;
      await expect(verifying(flipped as never)).resolves.toMatchObject({ valid: false, securityBits: 0 });
    });

    it('verifies under the policy and the trace length that it is asked for', async () => {
      const { proof, publicInputs, airId } = await client.call(proverContract.prove, { request: REQUEST });
      const claim = { proof, publicInputs, airId };
      const verdict = (more: object) => client.call(proverContract.verifyProof, { ...claim, ...more });
      await expect(verdict({ traceLength: 64 })).resolves.toMatchObject({
        valid: true,
        traceLength: 64,
        friBlowup: 8,
        parameterSet: 'P100',
      });
      await expect(verdict({ traceLength: 128 })).resolves.toMatchObject({
        valid: false,
        reason: expect.stringContaining('trace-length-mismatch'),
      });
      await expect(verdict({ policy: { securityBitsMin: 128 } })).resolves.toMatchObject({
        valid: false,
        reason: expect.stringContaining('insufficient-security'),
      });
      await expect(verdict({ contextDomain: 'elsewhere' })).resolves.toMatchObject({ valid: false });
    });

    it('reports a tiny degree as the trace length it was proved at', async () => {
      const reply = await client.call(proverContract.prove, { request: { ...REQUEST, degree: 8 } });
      expect(reply).toMatchObject({ degree: 8, traceLength: 64, status: 'VERIFIED_VALID' });
    });

    it('reports the latency of its real proofs when pinged', async () => {
      await client.call(proverContract.prove, { request: REQUEST });
      const { measurements } = await client.call(pingProcedure('prover'), {});
      expect(measurements.proverLatencyMs.value).toBeGreaterThan(0);
      expect(measurements.proverLatencyMs.samples).toBeGreaterThan(0);
    });

    it.each([
      ['more bytes than the chain absorbs', { ...REQUEST, traceData: 'x'.repeat(57) }, 'traceData', 56],
      ['more than 65,536 bytes', { ...REQUEST, traceData: 'é'.repeat(32_769) }, 'traceData', 65_536],
    ])('refuses %s before any work, naming field, bound and value', async (_, request, path, bound) => {
      for (const ask of [
        () => client.call(proverContract.admit, request),
        () => client.call(proverContract.prove, { request }),
      ]) {
        await expect(ask()).rejects.toMatchObject({
          code: 'UNPROCESSABLE',
          payload: { errors: [{ path, bound, got: expect.any(Number) }] },
        });
      }
    });

    it('takes the longest chain at the highest blowup, which fits the memory', async () => {
      const request = { ...REQUEST, degree: 2 ** 20, friBlowup: 32 };
      const { traceLength, memoryBytes } = await client.call(proverContract.admit, request);
      expect(traceLength).toBe(2 ** 20);
      expect(memoryBytes).toBeLessThanOrEqual(1_500_000_000);
    });

    it('refuses an AIR it does not know, and an id it never gave', async () => {
      const call = { proof: new Uint8Array(10), publicInputs: {}, airId: 'hash-chain/v9' };
      await expect(client.call(proverContract.verifyProof, call)).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });
      const proofId = `prf_${'A'.repeat(22)}`;
      await expect(client.call(proverContract.fetchProof, { proofId })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('answers garbage and wrong public inputs with valid: false', async () => {
      const reply = await client.call(proverContract.prove, { request: REQUEST });
      for (const [proof, publicInputs] of [
        [new Uint8Array(0), reply.publicInputs],
        [new Uint8Array(5_000).fill(255), reply.publicInputs],
        [reply.proof, { ...reply.publicInputs, length: 6 }],
        [reply.proof, {}],
      ] as const) {
        const call = { proof, publicInputs, airId: reply.airId };
        await expect(client.call(proverContract.verifyProof, call)).resolves.toMatchObject({ valid: false });
      }
    });

    // The last: days pass for every proof that is kept.
    it('keeps the proof of a batch as long as its signature holds, and other proofs for 30 days', async () => {
      const { proofId, auditProof } = await prover.client.call(proverContract.prove, {
        request: { traceData: 'kept', degree: 64, friBlowup: 8 },
      });
      const store = new ProofStore(prover.database);
      const isKept = (id: string) =>
        prover.client.call(proverContract.fetchProof, { proofId: id }).then(
          () => true,
          () => false,
        );
      // As if so many days had passed.
      const steps = [
        { days: 29, kept: [true, true] },
        { days: 2, kept: [false, true] },
        { days: 334, kept: [false, true] },
        { days: 2, kept: [false, false] },
      ];
      for (const { days, kept } of steps) {
        await prover.database.query('UPDATE proof SET kept_until = kept_until - make_interval(days => $1)', [
          days,
        ]);
        await store.purgeExpired();
        expect([await isKept(proofId), await isKept((auditProof as ProvedAuditProof).proofId)]).toEqual(kept);
      }
    });
  });
}
