import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIT_AIR_ID, canonicalDigest, verifyAuditProof } from '@svc/audit-proof';
import { auditContract, AuditProof, spotContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

export function describeStandIns(): void {
  describe('what the department finds on the bus in its tests', () => {
    let department: DepartmentFixture;
    beforeAll(async () => {
      department = await startDepartment();
    });
    afterAll(() => department?.close());

    const answer = (result: object, rules: object[] = []) => ({
      proves: 'rules' as const,
      doesNotProve: 'That it is so.',
      requestDigest: canonicalDigest({}),
      resultDigest: canonicalDigest(result),
      rulesetId: 'test/v1',
      rules: rules as never,
    });
    const rule = { id: 'a', statement: 'a ≥ b', decimals: 1, value: '2.5', threshold: '1' };

    it('is evidence of the published shape, under one root, that lacks nothing but its STARK', async () => {
      const answers = [answer({ a: 1 }, Array(20).fill(rule)), answer({ b: 2 })];
      const { auditProofs } = await department.bus.call(auditContract.attestAll, { answers });
      expect(auditProofs.map(({ leaves }) => leaves.length)).toEqual([2, 1]);
      expect(new Set(auditProofs.map(({ root }) => root)).size).toBe(1);
      for (const [i, auditProof] of auditProofs.entries()) {
        AuditProof.parse(auditProof);
        const claim = { auditProof, request: {}, proof: new Uint8Array(), keys: [] };
        expect(verifyAuditProof({ ...claim, result: [{ a: 1 }, { b: 2 }][i] })).toMatchObject({
          reason: 'stark-invalid',
        });
        expect(verifyAuditProof({ ...claim, result: { c: 3 } })).toMatchObject({ reason: 'result-mismatch' });
      }
      expect(auditProofs[0]).toMatchObject({ airId: AUDIT_AIR_ID, rules: expect.arrayContaining([]) });
      expect(auditProofs[0].rules.every(({ holds }) => holds)).toBe(true);
    });

    it('refuses a value that no rule can compare, as the prover does', async () => {
      const answers = [answer({}, [{ ...rule, value: '2.55' }])];
      const refusal = await problemOf(department.bus.call(auditContract.attestAll, { answers }));
      expect(refusal.code).toBe('UNPROCESSABLE');
    });

    it('is the newest price of each currency of the metal that was asked for', async () => {
      department.spot.set({ metal: 'XAU', price: '2000', asOf: '2026-01-02T00:00:00Z' });
      department.spot.set({ metal: 'XAU', price: '1990', asOf: '2026-01-01T00:00:00Z' });
      department.spot.set({ metal: 'XAU', price: '1800', asOf: '2026-01-02T00:00:00Z', currency: 'EUR' });
      department.spot.set({ metal: 'XAG', price: '30', asOf: '2026-01-03T00:00:00Z' });
      const { items } = await department.bus.call(spotContract.spotPrices, { metal: 'XAU' });
      expect(items.map(({ currency, price }) => `${currency} ${price}`)).toEqual(['EUR 1800', 'USD 2000']);
    });
  });
}
