import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalDigest, verifyAuditProof } from '@svc/audit-proof';
import {
  auditContract,
  type AuditProof,
  type AuditRule,
  type NestedAuditProof,
  type ProvedAuditProof,
  type StarkAuditProof,
  proverContract,
  starkProveContract,
} from '@svc/contracts';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const REQUEST = { certificate: 'acord-25', requirementSetId: 'req_1' };
const RESULT = { compliant: 'DEFICIENT', limitUsd: 1_000_000.5, expires: '2027-01-01' };
/** Of the header of a proof, log2 of its trace length: what a batch costs its callers. */
const lengthLog2Of = (proof: Uint8Array): number => proof[11];
const RULES: AuditRule[] = [
  {
    id: 'each-occurrence',
    statement: 'each occurrence ≥ required limit, USD',
    decimals: 2,
    value: '1000000.5',
    threshold: '2000000',
  },
  {
    id: 'expiry',
    statement: 'days to expiry ≥ 30',
    decimals: 0,
    value: '41',
    threshold: '30',
  },
];

export function describeAudit(): void {
  describe('audits on the bus', () => {
    let prover: ProverOnBus;
    let audit: ProvedAuditProof;

    beforeAll(async () => {
      prover = await startProverOnBus();
      audit = await attest();
    });
    afterAll(() => prover?.close());

    const askEvidence = (more: object) =>
      prover.client.call(auditContract.attest, {
        proves: 'rules',
        doesNotProve: 'That the certificate is genuine.',
        requestDigest: canonicalDigest(REQUEST),
        resultDigest: canonicalDigest(RESULT),
        rulesetId: 'coi/1',
        rules: RULES,
        ...more,
      });
    /** Evidence of an answer that is paid for. */
    const attest = async (more: object = {}) => proved(await askEvidence(more));
    const proved = (auditProof: AuditProof | undefined): ProvedAuditProof => {
      expect(auditProof?.version).toBe(1);
      return auditProof as ProvedAuditProof;
    };
    const fetchProof = async ({ proofId }: Pick<StarkAuditProof, 'proofId'>) =>
      (await prover.client.call(proverContract.fetchProof, { proofId })).proof;
    const publishedKeys = async () => (await prover.client.call(auditContract.proofKeys, {})).keys;
    const verifyHere = async (auditProof: unknown, more: object = {}) =>
      verifyAuditProof({
        auditProof,
        proof: await fetchProof(audit),
        keys: await publishedKeys(),
        result: RESULT,
        request: REQUEST,
        ...more,
      });

    it('gives evidence that the library accepts: verdicts, path, STARK of 100 bits, signature', async () => {
      expect(audit.rules.map(({ holds }) => holds)).toEqual([false, true]);
      const verdict = await verifyHere(audit);
      expect(verdict).toMatchObject({ valid: true, stark: { securityBits: expect.any(Number) } });
      expect(verdict.stark?.securityBits).toBeGreaterThanOrEqual(100);
      expect([audit.leafCount, lengthLog2Of(await fetchProof(audit))]).toEqual([1, 11]);
      // With its members in another order, and with its evidence inside.
      const { compliant, ...rest } = RESULT;
      await expect(
        verifyHere(audit, { result: { ...rest, auditProof: audit, compliant } }),
      ).resolves.toMatchObject({
        valid: true,
      });
    });

    it('gives a hundred answers without rules one leaf of a batch, beside those that have rules: one proof holds all', async () => {
      // The first batch takes what came first; the rest comes together, whatever is in it.
      const commitments = Array.from({ length: 100 }, (_, i) =>
        askEvidence({ rules: [], rulesetId: '', proves: 'commitment', resultDigest: canonicalDigest({ i }) }),
      );
      const ruled = [attest(), attest()];
      const nested = (await Promise.all(commitments)) as NestedAuditProof[];
      await Promise.all(ruled);
      const proofs = new Map<string, Uint8Array>();
      for (const [i, one] of nested.entries()) {
        expect([one.version, one.leaves.length, one.rules]).toEqual([3, 1, []]);
        const proof = proofs.get(one.proofId) ?? (await fetchProof(one));
        proofs.set(one.proofId, proof);
        if (i % 9 > 0) continue;
        await expect(verifyHere(one, { proof, result: { i } })).resolves.toMatchObject({ valid: true });
        await expect(verifyHere(one, { proof, result: { i: i + 1 } })).resolves.toMatchObject({
          reason: 'result-mismatch',
        });
        await expect(
          prover.client.call(auditContract.verifyAudit, { auditProof: one, result: { i } }),
        ).resolves.toMatchObject({
          ...{ valid: true, securityBits: expect.any(Number) },
        });
      }
      expect(proofs.size).toBeLessThanOrEqual(4);
      expect(Math.max(...nested.map(({ inner }) => inner.count))).toBeGreaterThan(50);
    });

    it('fails when one value, threshold or verdict is changed and the STARK is kept', async () => {
      const change = (member: string, value: unknown) => ({
        ...audit,
        rules: audit.rules.map((rule, i) => (i === 0 ? { ...rule, [member]: value } : rule)),
      });
      for (const changed of [
        change('value', '1000000.51'),
        change('threshold', '2000000.01'),
        change('holds', true),
        change('statement', 'each occurrence ≥ half the required limit, USD'),
        change('id', 'general-aggregate'),
        { ...audit, rulesetId: 'coi/2' },
        { ...audit, doesNotProve: 'Nothing.' },
        { ...audit, proves: 'computation' },
        { ...audit, rules: audit.rules.slice(0, 1) },
        { ...audit, rules: [...audit.rules].reverse() },
        { ...audit, leaves: [{ ...audit.leaves[0], index: audit.leaves[0].index ^ 1 }] },
        { ...audit, leaves: [{ ...audit.leaves[0], salt: `0x${'01'.repeat(16)}` }] },
      ]) {
        await expect(verifyHere(changed)).resolves.toMatchObject({
          valid: false,
          reason: expect.stringMatching(/leaf-not-under-root|leaf-not-in-batch/),
        });
      }
    });

    it('fails for one character of result or request, another root, another proof, another key, a later expiry', async () => {
      const result = { ...RESULT, expires: '2027-01-02' };
      await expect(verifyHere(audit, { result })).resolves.toMatchObject({ reason: 'result-mismatch' });
      const request = { ...REQUEST, requirementSetId: 'req_2' };
      await expect(verifyHere(audit, { request })).resolves.toMatchObject({ reason: 'request-mismatch' });
      const other = await attest();
      await expect(verifyHere({ ...audit, root: other.root })).resolves.toMatchObject({
        reason: 'leaf-not-under-root',
      });
      await expect(verifyHere(audit, { proof: await fetchProof(other) })).resolves.toMatchObject({
        reason: 'stark-invalid',
      });
      await expect(verifyHere(audit, { keys: [] })).resolves.toMatchObject({ reason: 'unknown-key' });
      const expiresAt = audit.expiresAt.replace(/^\d{4}/, '2099');
      await expect(verifyHere({ ...audit, expiresAt })).resolves.toMatchObject({ reason: 'bad-signature' });
      await expect(verifyHere({ ...audit, signature: other.signature })).resolves.toMatchObject({
        reason: 'bad-signature',
      });
      await expect(verifyHere({ ...audit, leafCount: audit.leafCount + 1 })).resolves.toMatchObject({
        valid: false,
      });
    });

    it('binds a leaf to its index within the batch: the number of leaves is part of what is proved', async () => {
      const audits = await Promise.all([attest(), attest(), attest()]);
      expect(new Set(audits.map(({ proofId }) => proofId)).size).toBe(1);
      expect(audits.map(({ leaves }) => leaves[0].index)).toEqual([0, 1, 2]);
      const proof = await fetchProof(audits[2]);
      await expect(verifyHere(audits[2], { proof })).resolves.toMatchObject({ valid: true });
      const outside = { ...audits[2], leafCount: 2 };
      await expect(verifyHere(outside, { proof })).resolves.toMatchObject({ reason: 'leaf-not-in-batch' });
      // Each salted on its own: equal statements have leaves that cannot be told to be equal.
      expect(new Set(audits.map(({ leaves }) => leaves[0].salt)).size).toBe(3);
    });

    it('takes more rules than a leaf holds into further leaves, up to 72', async () => {
      const rules = Array.from({ length: 40 }, (_, i) => ({
        id: `rule-${i}`,
        statement: 'value ≥ threshold',
        decimals: 1,
        value: (i - 20.5).toFixed(1),
        threshold: '-3.5',
      }));
      const large = await attest({ rules });
      expect(large.leaves.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(large.rules.map(({ holds }) => holds)).toEqual(rules.map((_, i) => i >= 17));
      const proof = await fetchProof(large);
      await expect(verifyHere(large, { proof })).resolves.toMatchObject({ valid: true });
      const swapped = { ...large, leaves: [large.leaves[1], large.leaves[0], large.leaves[2]] };
      await expect(verifyHere(swapped, { proof })).resolves.toMatchObject({ reason: 'leaf-not-under-root' });
    });

    it('fills batches to their capacity and starts the next, and answers every caller with its own evidence', async () => {
      const results = Array.from({ length: 30 }, (_, i) => ({ i }));
      const audits = await Promise.all(
        results.map(result => attest({ resultDigest: canonicalDigest(result) })),
      );
      const batches = new Set(audits.map(({ proofId }) => proofId));
      expect(batches.size).toBeGreaterThanOrEqual(3);
      expect(batches.size).toBeLessThanOrEqual(5);
      const lengths = new Set<number>();
      for (const [i, one] of audits.entries()) {
        const proof = await fetchProof(one);
        expect(lengthLog2Of(proof)).toBe(one.leafCount > 4 ? 12 : 11);
        lengths.add(lengthLog2Of(proof));
        await expect(verifyHere(one, { proof, result: results[i] })).resolves.toMatchObject({ valid: true });
      }
      expect(lengths).toContain(12);
    });

    it('keeps the answers of one call in one batch, whatever else comes at the same time', async () => {
      const answer = (rules: AuditRule[]) => ({
        proves: 'rules' as const,
        doesNotProve: 'That the certificate is genuine.',
        requestDigest: canonicalDigest(REQUEST),
        resultDigest: canonicalDigest(RESULT),
        rulesetId: 'coi/1',
        rules,
      });
      // Of four leaves and one: more than a short batch holds, and never the end of one batch and the start of the next.
      const large = answer(Array.from({ length: 72 }, (_, i) => ({ ...RULES[1], id: `rule-${i}` })));
      const calls = await Promise.all(
        Array.from({ length: 9 }, async (_, i) =>
          i % 2 === 0
            ? [await attest()]
            : (
                await prover.client.call(auditContract.attestAll, { answers: [large, answer(RULES)] })
              ).auditProofs.map(proved),
        ),
      );
      for (const auditProofs of calls) {
        expect(new Set(auditProofs.map(({ proofId }) => proofId)).size).toBe(1);
        const proof = await fetchProof(auditProofs[0]);
        for (const one of auditProofs)
          await expect(verifyHere(one, { proof })).resolves.toMatchObject({ valid: true });
      }
      expect(calls[1].map(({ leaves }) => leaves.length)).toEqual([4, 1]);
    });

    describe('of free calls', () => {
      const free = (more: object = {}): Promise<AuditProof> => askEvidence({ isFree: true, ...more });
      /** Without a proof: there is none. */
      const verifySigned = async (auditProof: unknown, more: object = {}) =>
        verifyAuditProof({
          auditProof,
          keys: await publishedKeys(),
          result: RESULT,
          request: REQUEST,
          ...more,
        });
      const proofsStored = async () => {
        const [{ rows }] = await prover.database.query<{ rows: number }[]>(
          'SELECT count(*)::int AS rows FROM proof',
        );
        return rows;
      };

      it('are signed, and hold without a proof as long as those of paid ones', async () => {
        const signed = await free();
        const { airId: _air, proofId: _proof, ...members } = audit;
        expect(Object.keys(signed).sort()).toEqual(Object.keys(members).sort());
        expect(signed).toMatchObject({ version: 2, rules: audit.rules });
        expect(Math.abs(Date.parse(signed.expiresAt) - Date.parse(audit.expiresAt))).toBeLessThan(3_600_000);
        await expect(verifySigned(signed)).resolves.toEqual({ valid: true });
        await expect(
          verifySigned(signed, { result: { ...RESULT, expires: '2027-01-02' } }),
        ).resolves.toMatchObject({
          reason: 'result-mismatch',
        });
        await expect(verifySigned({ ...signed, signature: audit.signature })).resolves.toMatchObject({
          reason: 'bad-signature',
        });
      });

      it('are checked on the bus, which says that nothing of them is proved', async () => {
        const call = { auditProof: await free(), result: RESULT };
        const verify = (more: object = {}) =>
          prover.client.call(auditContract.verifyAudit, { ...call, ...more });
        await expect(verify()).resolves.toMatchObject({
          ...{ valid: true, securityBits: 0, conjecturedSecurityBits: 0 },
          doesNotProve: expect.stringContaining('STARK'),
        });
        await expect(verify({ result: {} })).resolves.toMatchObject({
          valid: false,
          reason: 'result-mismatch',
        });
        await expect(verify({ policy: { securityBitsMin: 80 } })).resolves.toMatchObject({
          valid: false,
          reason: expect.stringContaining('not-proved'),
        });
      });

      it('come in one batch where several are asked for together, and never in one with paid ones', async () => {
        const answer = {
          ...{ proves: 'commitment' as const, doesNotProve: 'More.' },
          ...{ requestDigest: canonicalDigest(REQUEST), resultDigest: canonicalDigest(RESULT) },
        };
        const answers = [answer, answer];
        const [unpaid, paid] = await Promise.all(
          [true, false].map(isFree => prover.client.call(auditContract.attestAll, { answers, isFree })),
        );
        for (const [{ auditProofs }, version] of [
          [unpaid, 2],
          [paid, 3],
        ] as const) {
          expect(auditProofs.map(one => one.version)).toEqual([version, version]);
          expect(new Set(auditProofs.map(({ root }) => root)).size).toBe(1);
        }
      });

      it('leave nothing in the database, however many: their batches are full where many come together', async () => {
        const before = await proofsStored();
        const audits = await Promise.all(
          Array.from({ length: 100 }, () => free({ rules: [], proves: 'commitment' })),
        );
        expect(await proofsStored()).toBe(before);
        const roots = new Set(audits.map(({ root }) => root));
        expect(roots.size).toBeLessThanOrEqual(20);
        expect(Math.max(...audits.map(({ leafCount }) => leafCount))).toBe(16);
        for (const one of audits) await expect(verifySigned(one)).resolves.toEqual({ valid: true });
      });
    });

    it('names the answer of a call that has a value which no rule can compare', async () => {
      const { client } = prover;
      const answer = {
        proves: 'rules' as const,
        doesNotProve: 'Anything.',
        requestDigest: canonicalDigest(REQUEST),
        resultDigest: canonicalDigest(RESULT),
      };
      const bad = { ...answer, rules: [{ ...RULES[0], value: '1.234' }] };
      await expect(client.call(auditContract.attestAll, { answers: [answer, bad] })).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
        payload: { errors: [{ path: 'answers[1].rules[0].value' }] },
      });
    });

    it('refuses a value that no rule can compare, naming it, and nothing else of the batch suffers', async () => {
      const bad = [{ ...RULES[0], value: '1.234' }];
      const outcomes = await Promise.allSettled([attest({ rules: bad }), attest()]);
      expect(outcomes).toMatchObject([
        {
          status: 'rejected',
          reason: { code: 'UNPROCESSABLE', payload: { errors: [{ path: 'rules[0].value' }] } },
        },
        { status: 'fulfilled' },
      ]);
    });

    it('verifies an audit on the bus, with the proof it kept', async () => {
      const call = { auditProof: audit, result: RESULT };
      await expect(prover.client.call(auditContract.verifyAudit, call)).resolves.toMatchObject({
        valid: true,
        airId: 'rules/v1',
        parameterSet: 'P100',
      });
      const wrong = { ...call, result: { ...RESULT, compliant: 'COMPLIANT' } };
      await expect(prover.client.call(auditContract.verifyAudit, wrong)).resolves.toMatchObject({
        valid: false,
        reason: 'result-mismatch',
      });
      for (const proofId of [`prf_${'A'.repeat(22)}`, 'prf_\0']) {
        const unknown = { ...call, auditProof: { ...audit, proofId } };
        await expect(prover.client.call(auditContract.verifyAudit, unknown)).resolves.toMatchObject({
          valid: false,
          reason: 'proof-not-kept',
        });
      }
      const strict = { ...call, policy: { securityBitsMin: 128 } };
      await expect(prover.client.call(auditContract.verifyAudit, strict)).resolves.toMatchObject({
        valid: false,
        reason: expect.stringContaining('insufficient-security'),
      });
    });

    it('comes with every proof that is sold, over what the caller gets and over nothing private', async () => {
      const request = { traceData: '0x48656c6c6f', degree: 64, friBlowup: 8 };
      const chain = await prover.client.call(proverContract.prove, { request });
      const asSold = { ...chain, proof: Buffer.from(chain.proof).toString('base64') };
      const check = async (auditProof: AuditProof | undefined, sold: object, asked: object) =>
        verifyHere(auditProof, {
          proof: await fetchProof(auditProof as StarkAuditProof),
          ...{ result: sold, request: asked },
        });
      expect(chain.auditProof).toMatchObject({
        proves: 'computation',
        doesNotProve: chain.doesNotProve,
        ...{ version: 3, rules: [] },
      });
      await expect(check(chain.auditProof, asSold, request)).resolves.toMatchObject({ valid: true });
      const flipped = { ...asSold, fieldOps: asSold.fieldOps + 1 };
      await expect(check(chain.auditProof, flipped, request)).resolves.toMatchObject({
        reason: 'result-mismatch',
      });

      const bind = (privateWitness: string[]) =>
        prover.client.call(starkProveContract.proveGoldilocks, {
          request: { publicInputs: ['7'], privateWitness },
          receipt: 'r',
        });
      const [one, other] = await Promise.all([bind(['1']), bind(['2'])]);
      expect(one.auditProof?.requestDigest).toBe(other.auditProof?.requestDigest);
      // It is checked without what opens the commitment, which whoever checks it must not see.
      expect(one.opening).toEqual({ salt: expect.stringMatching(/^0x[0-9a-f]{48}$/) });
      const { opening: _secret, ...shared } = one;
      const sold = { ...shared, proof: Buffer.from(one.proof).toString('base64') };
      const shown = { publicInputs: ['7'], statement: 'binding', friBlowup: 8, parameterSet: 'P100' };
      await expect(check(one.auditProof, sold, shown)).resolves.toMatchObject({ valid: true });
      const whole = { ...sold, opening: one.opening };
      await expect(check(one.auditProof, whole, shown)).resolves.toMatchObject({ valid: true });
    });

    describe('pq-verify', () => {
      const call = async () => {
        const stored = await prover.client.call(proverContract.fetchProof, { proofId: audit.proofId });
        return {
          proof: stored.proof,
          publicInputs: stored.publicInputs,
          airId: 'rules/v1',
          contextDomain: 'svc/audit/v1',
          signature: Buffer.from(audit.signature, 'base64'),
          keyId: audit.keyId,
          context: 'svc/stark-root/v1',
          expiresAt: audit.expiresAt,
        };
      };

      it('is valid only if the proof and the signature are, and gives both verdicts', async () => {
        const good = await call();
        const [{ publicKey }] = await publishedKeys();
        const verdict = (more: object) => prover.client.call(auditContract.pqVerify, { ...good, ...more });
        await expect(verdict({})).resolves.toMatchObject({
          valid: true,
          proof: { valid: true },
          signature: { valid: true, keyId: audit.keyId },
        });
        const key = { keyId: undefined, publicKey: Buffer.from(publicKey, 'base64url') };
        await expect(verdict(key)).resolves.toMatchObject({ valid: true });

        const proof = Uint8Array.from(good.proof);
        proof[proof.length >> 1] ^= 1;
        await expect(verdict({ proof })).resolves.toMatchObject({
          valid: false,
          proof: { valid: false },
          signature: { valid: false, reason: 'bad-signature' },
        });
        const signature = Uint8Array.from(good.signature);
        signature[100] ^= 1;
        await expect(verdict({ signature })).resolves.toMatchObject({
          valid: false,
          reason: 'signature: bad-signature',
          proof: { valid: true },
          signature: { valid: false },
        });
        // A good signature over a proof that is false under the caller's policy.
        await expect(verdict({ policy: { securityBitsMin: 128 } })).resolves.toMatchObject({
          valid: false,
          reason: expect.stringMatching(/^proof: /),
          proof: { valid: false },
          signature: { valid: true },
        });
        await expect(verdict({ expiresAt: '2099-01-01T00:00:00Z' })).resolves.toMatchObject({
          signature: { valid: false, reason: 'bad-signature' },
        });
        await expect(verdict({ context: 'svc/other/v1' })).resolves.toMatchObject({
          signature: { valid: false, reason: 'wrong-context' },
        });
        await expect(verdict({ keyId: 'nobody' })).resolves.toMatchObject({
          signature: { valid: false, reason: 'unknown-key' },
        });
        await expect(verdict({ contextDomain: '' })).resolves.toMatchObject({
          valid: false,
          proof: { valid: false },
          signature: { valid: false },
        });
      });
    });
  });
}
