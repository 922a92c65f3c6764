import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionProofContract, proverContract, toolCallContract, type ToolProgress } from '@svc/contracts';
import { hashChainInputDigest } from '@svc/stark-air';
import { verify } from '@svc/stark-verifier';
import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const { proveExecution, executionOutcome, revokeExecution } = executionProofContract;
const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.prover;
const CONTEXT = 'svc/test-execution/v1';
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

export function describeExecution(): void {
  /** Two provers on one database, which are asked in turn. */
  describe('effects of the prover that a saga asks for', () => {
    let prover: ProverOnBus;
    let database: DataSource;
    beforeAll(async () => {
      prover = await startProverOnBus(2);
      ({ database } = prover);
    });
    afterAll(() => prover?.close());

    const proofCount = async () => {
      const rows: { count: number }[] = await database.query(
        `SELECT count(*)::int AS count FROM proof WHERE air_id <> 'rules/v1'`,
      );
      return rows[0].count;
    };
    const ask = (name: string, text = name) =>
      prover.client.call(proveExecution, {
        ...{ idemKey: keyOf(name), statement: bytesOf(text), contextDomain: CONTEXT },
      });
    const outcomeOf = (name: string) => prover.client.call(executionOutcome, { idemKey: keyOf(name) });
    const revoke = (name: string) => prover.client.call(revokeExecution, { idemKey: keyOf(name) });

    it('proves the bytes once, and gives every replica that is asked again the same proof', async () => {
      const before = await proofCount();
      const text = JSON.stringify({ contractId: 'c1', tier: 'm2m_enterprise_mesh', note: 'x'.repeat(300) });
      const first = await ask('once', text);
      expect(await ask('once', text)).toEqual(first);
      expect(await ask('once', text)).toEqual(first);
      expect(await outcomeOf('once')).toEqual({ state: 'done', proof: first });
      expect(await proofCount()).toBe(before + 1);

      const { proof, airId, publicInputs, contextDomain, ...stored } = await prover.client.call(
        proverContract.fetchProof,
        { proofId: first.proofId },
      );
      expect(stored).toEqual({ proofId: first.proofId, createdAt: stored.createdAt });
      const verdict = verify({ proof, airId, publicInputs, contextDomain }, { securityBitsMin: 100 });
      expect(verdict).toMatchObject({ valid: true, traceLength: 512 });
      expect([airId, contextDomain, publicInputs]).toEqual([
        ...['hash-chain/v1', CONTEXT, first.publicInputs],
      ]);
      expect(first).toMatchObject({ traceLength: 512, securityBits: expect.any(Number) });
      expect(verify({ proof, airId, publicInputs, contextDomain: 'svc/other/v1' }, {}).valid).toBe(false);
      const digest = hashChainInputDigest(`0x${Buffer.from(text).toString('hex')}`);
      expect(publicInputs).toMatchObject({ domain: 'hex', length: text.length });
      expect((publicInputs['inputDigest'] as string[]).map(BigInt)).toEqual(digest);
    });

    it('makes one proof for any number of callers at once; who cannot join is told to come again', async () => {
      const before = await proofCount();
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => ask('crowd')));
      const proofs = asked.flatMap(one => (one.status === 'fulfilled' ? [one.value.proofId] : []));
      expect(new Set(proofs).size).toBe(1);
      for (const one of asked) {
        if (one.status === 'rejected')
          expect(one.reason.payload).toMatchObject({ code: 'CONFLICT', retryAfterSeconds: 1 });
      }
      expect(await proofCount()).toBe(before + 1);
      expect((await ask('crowd')).proofId).toBe(proofs[0]);
    });

    it('refuses another request under the same key, and a key of another kind', async () => {
      await ask('taken', 'these bytes');
      await expect(ask('taken', 'other bytes')).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
      const other = {
        idemKey: keyOf('taken'),
        statement: bytesOf('these bytes'),
        contextDomain: 'svc/other',
      };
      await expect(prover.client.call(proveExecution, other)).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });
      await expect(prover.client.call(revokeTool, { idemKey: keyOf('taken') })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      expect(await outcomeOf('taken')).toMatchObject({ state: 'done' });
    });

    it.each([
      ['no bytes', 0],
      ['more bytes than are taken', 16_385],
    ])('refuses %s, and the key is free for what can be proved', async (name, byteCount) => {
      const call = { idemKey: keyOf(name), statement: new Uint8Array(byteCount), contextDomain: CONTEXT };
      await expect(prover.client.call(proveExecution, call)).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
      expect(await outcomeOf(name)).toEqual({ state: 'unknown' });
      await expect(ask(name)).resolves.toMatchObject({ airId: 'hash-chain/v1' });
    });

    it('never makes what was revoked before it came', async () => {
      const before = await proofCount();
      expect(await outcomeOf('late')).toEqual({ state: 'unknown' });
      expect(await revoke('late')).toEqual({ was: 'unknown' });
      for (const _replica of [1, 2]) {
        await expect(ask('late')).rejects.toMatchObject({
          payload: { code: 'CONFLICT', extensions: { state: 'revoked' } },
        });
      }
      expect(await revoke('late')).toEqual({ was: 'revoked' });
      expect(await outcomeOf('late')).toEqual({ state: 'revoked' });
      expect(await proofCount()).toBe(before);
    });

    it('says of a proof that it was revoked, which stays true and is not made again', async () => {
      const { proofId, publicInputs } = await ask('undone');
      const startedAt = Date.now();
      expect(await revoke('undone')).toEqual({ was: 'done' });
      expect(await revoke('undone')).toEqual({ was: 'revoked' });
      expect(await outcomeOf('undone')).toEqual({ state: 'revoked' });
      await expect(ask('undone')).rejects.toMatchObject({ code: 'CONFLICT' });
      const stored = await prover.client.call(proverContract.fetchProof, { proofId });
      expect(Math.abs(Date.parse(stored.revokedAt!) - startedAt)).toBeLessThan(60_000);
      const { proof, airId, contextDomain } = stored;
      expect(verify({ proof, airId, publicInputs, contextDomain }, {}).valid).toBe(true);
    });

    it('keeps a proof that was revoked for a day, and one that stands for its whole time', async () => {
      const hoursKept = async (name: string) => {
        const { proofId } = await ask(name);
        if (name === 'soon gone') await revoke(name);
        const rows: { hours: number }[] = await database.query(
          'SELECT extract(epoch FROM kept_until - now())::float / 3600 AS hours FROM proof WHERE proof_id = $1',
          [proofId],
        );
        return Math.round(rows[0]!.hours);
      };
      expect([await hoursKept('soon gone'), await hoursKept('stands')]).toEqual([24, 30 * 24]);
    });

    const BOX = { coordinates: [47.3769, 8.5417], altitude: 408, parcelId: 'parcel-7' };
    const STATEMENT = { publicInputs: ['0x2a', '7'], privateWitness: ['123456789'], contextDomain: 'demo' };

    it.each([
      ['zk_prove_spatial', BOX, ['primeField', 'latencyMs', 'securityBits'], 'spatial-box/v1'],
      [
        'generate_goldilocks_stark_proof',
        STATEMENT,
        ['fieldPrimeHex', 'executionTimeMs', 'friQueryProofBytes', 'securityLevelBits'],
        'binding/v2',
      ],
    ] as const)('runs %s once, with the outputs of the catalogue', async (tool, input, members, airId) => {
      const call = { tool, input, idemKey: keyOf(tool), receipt: 'receipt-1' };
      expect(await prover.client.call(admitTool, { tool, input })).toEqual({});
      const before = await proofCount();
      const reply = await prover.client.call(callTool, call);
      const outputs = ['verified', 'starkRootCommitment', 'paymentReceipt', ...members];
      expect(Object.keys(reply.output).sort()).toEqual([...outputs].sort());
      expect(reply).toMatchObject({
        output: { verified: true, paymentReceipt: 'receipt-1', starkRootCommitment: reply.starkRoot },
        proofId: expect.stringMatching(/^prf_/),
        airId,
        opening: { salt: expect.stringMatching(/^0x[0-9a-f]+$/) },
      });
      const { proofId = '', publicInputs, contextDomain } = reply;
      const named = await prover.client.call(proverContract.fetchProof, { proofId });
      expect(named).toMatchObject({ airId, publicInputs, contextDomain });
      expect(publicInputs).toHaveProperty('commitment');
      expect(await prover.client.call(callTool, call)).toEqual(reply);
      expect(await prover.client.call(toolOutcome, { idemKey: call.idemKey })).toEqual({
        state: 'done',
        reply,
      });
      expect(await proofCount()).toBe(before + 1);
      expect(await prover.client.call(revokeTool, { idemKey: call.idemKey })).toEqual({ was: 'done' });
      const stored = await prover.client.call(proverContract.fetchProof, { proofId: reply.proofId! });
      expect(await prover.client.call(proverContract.proofDigest, { proofId: reply.proofId! })).toEqual({
        bytes: stored.proof.length,
        sha256: `0x${createHash('sha256').update(stored.proof).digest('hex')}`,
      });
      const none = { proofId: `prf_${'A'.repeat(22)}` };
      await expect(prover.client.call(proverContract.proofDigest, none)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(stored.revokedAt).toBeDefined();
    });

    it('tells the stages of a proof while it is made, each once, and when it has ended', async () => {
      const idemKey = keyOf('progress');
      const publicInputs = Array.from({ length: 256 }, (_, index) => String(index));
      const call = { tool: 'generate_goldilocks_stark_proof' as const, input: { publicInputs }, idemKey };
      const running = prover.client.call(callTool, { ...call, receipt: '' });
      const steps: ToolProgress[] = [];
      let isRunning = true;
      void running.finally(() => (isRunning = false)).catch(() => undefined);
      while (isRunning && !steps.at(-1)?.ended) {
        const { seq: afterSeq } = steps.at(-1) ?? { seq: 0 };
        const step = await prover.client.call(toolProgress, { idemKey, afterSeq, waitMs: 1_000 });
        if (step.seq > afterSeq) steps.push(step);
      }
      await running;
      const seqs = steps.map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThan(1);
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
      expect(steps[0].stage).toBeDefined();
      expect(await prover.client.call(toolProgress, { idemKey, waitMs: 1_000 })).toMatchObject({
        ...{ progress: 1, ended: true },
      });
      const unknown = await prover.client.call(toolProgress, { idemKey: keyOf('nobody') });
      expect(unknown).toEqual({ seq: 0, progress: 0, ended: false });
    });

    it('keeps no private input, and nothing that opens a commitment, where the database can be read', async () => {
      const idemKey = keyOf('private');
      const call = {
        tool: 'generate_goldilocks_stark_proof' as const,
        input: STATEMENT,
        idemKey,
        receipt: '',
      };
      const { opening } = await prover.client.call(callTool, call);
      const rows: { row: string }[] = await database.query(
        `SELECT row_to_json(call)::text || encode(reply, 'escape') || encode(request_digest, 'escape') AS row
         FROM idempotent_call AS call WHERE idem_key = decode($1, 'hex')`,
        [idemKey],
      );
      const secrets = [opening!.salt.slice(2), '123456789', Buffer.from(opening!.salt).toString('hex')];
      for (const secret of secrets) expect(rows[0].row).not.toContain(secret);
    });

    it.each([
      ['zk_prove_spatial', { ...BOX, degree: 64 }, 'VALIDATION_FAILED'],
      ['zk_prove_spatial', { coordinates: [95, 8] }, 'UNPROCESSABLE'],
      ['generate_goldilocks_stark_proof', { ...STATEMENT, statement: 'raw' }, 'VALIDATION_FAILED'],
      ['generate_goldilocks_stark_proof', { publicInputs: ['x'] }, 'VALIDATION_FAILED'],
      ['arena_challenge', {}, 'NOT_YET_AVAILABLE'],
    ] as const)('refuses %s with %j before anything is taken', async (tool, input, code) => {
      await expect(prover.client.call(admitTool, { tool, input })).rejects.toMatchObject({ code });
      const call = { tool, input, idemKey: keyOf(JSON.stringify(input)), receipt: '' };
      await expect(prover.client.call(callTool, call)).rejects.toMatchObject({ code });
      expect(await prover.client.call(toolOutcome, { idemKey: call.idemKey })).toEqual({ state: 'unknown' });
    });
  });
}
