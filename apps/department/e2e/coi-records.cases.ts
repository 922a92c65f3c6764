import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificatesContract, CoiRequirements, OverrideRequest } from '@svc/contracts';
import { problemOf, startService } from '@svc/platform';
import { departmentService } from '../src/index.js';
import { holder, isoDay, sentCertificate, verify } from './coi-fixture.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

let fixture: DepartmentFixture;

const { override, audit, letter, expiring, requirementSets, requirementSet, putRequirementSet } =
  certificatesContract;
const ALICE = holder('a');
const BOB = holder('b');
const auditOf = (seed: number, more: Parameters<typeof sentCertificate>[1], by = ALICE) =>
  verify(fixture, sentCertificate(seed, more).request, { accountId: by.accountId });
const decide = (auditId: string, ruleId: string, outcome: 'pass' | 'fail', by = ALICE) =>
  fixture.bus.call(override, {
    ...{ by, auditId },
    request: { ruleId, outcome, reason: 'seen on the policy itself', by: 'Dana Duvall' },
  });

export function describeCoiRecords(): void {
  describe('coi records', () => {
    beforeAll(async () => {
      fixture = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' } });
    });
    afterAll(() => fixture?.close());

    describe('overrides', () => {
      it('stand in a trail, oldest first, and the verdict is that of the rules with the last of each', async () => {
        const { auditId, compliant } = await auditOf(1, {
          deficiencies: ['gl-occurrence-low', 'umbrella-missing'],
        });
        expect(compliant).toBe('DEFICIENT');
        const { audit: found } = await fixture.bus.call(audit, { auditId });
        const failing = found.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
        for (const ruleId of failing.slice(1)) await decide(auditId, ruleId, 'pass');
        expect((await fixture.bus.call(audit, { auditId })).compliant).toBe('DEFICIENT');
        await decide(auditId, failing[0], 'pass');
        const settled = await fixture.bus.call(audit, { auditId });
        expect(settled.compliant).toBe('COMPLIANT');
        expect(settled.audit).toEqual(found);
        const taken = await decide(auditId, failing[0], 'fail');
        expect(taken).toMatchObject({ from: 'pass', outcome: 'fail', by: 'Dana Duvall', keyId: ALICE.keyId });
        const after = await fixture.bus.call(audit, { auditId });
        expect(after.compliant).toBe('DEFICIENT');
        expect(after.overrides.map(({ ruleId }) => ruleId)).toEqual([
          ...failing.slice(1),
          failing[0],
          failing[0],
        ]);
      });

      it('are for the account of the audit alone, and for rules that it has', async () => {
        const { auditId } = await auditOf(2, { deficiencies: ['holder-wrong'] });
        expect((await problemOf(decide(auditId, 'HOLDER', 'pass', BOB))).code).toBe('FORBIDDEN');
        const unknown = await problemOf(decide(auditId, 'NO_SUCH_RULE', 'pass'));
        expect([unknown.code, unknown.payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'ruleId']);
        const nobodys = await verify(fixture, sentCertificate(3, { deficiencies: ['holder-wrong'] }).request);
        expect((await problemOf(decide(nobodys.auditId, 'HOLDER', 'pass'))).code).toBe('FORBIDDEN');
        expect((await problemOf(decide(`aud_${'x'.repeat(22)}`, 'HOLDER', 'pass'))).code).toBe('NOT_FOUND');
        expect((await fixture.bus.call(audit, { auditId })).overrides).toEqual([]);
      });

      it('are at most 500 of one audit, so that its trail can always be shown', async () => {
        const { auditId } = await auditOf(5, { deficiencies: ['holder-wrong'] });
        await fixture.database.query(
          `INSERT INTO coi_override (override_id, audit_id, rule_id, from_outcome, outcome, reason, answered_by, key_id, verdict)
       SELECT 'ovr_' || lpad(i::text, 22, '0'), $1, 'HOLDER', 'fail', 'fail', $2, $3, 'k', 'DEFICIENT'
         FROM generate_series(1, 500) i`,
          [auditId, '保'.repeat(2_000), '險'.repeat(128)],
        );
        const refused = await problemOf(decide(auditId, 'HOLDER', 'pass'));
        expect([refused.code, refused.payload.errors?.[0]]).toMatchObject([
          'UNPROCESSABLE',
          { path: 'auditId', bound: 500, got: 501 },
        ]);
        expect((await fixture.bus.call(audit, { auditId })).overrides).toHaveLength(500);
      });

      it.each(['\u200b\u200b\u200b', 'seen \u202eton', '\u2067abc', '...'])(
        'have a reason and a name that can be read: %j is none',
        text => {
          const decision = {
            ruleId: 'HOLDER',
            outcome: 'pass',
            reason: 'seen on the policy',
            by: 'Dana Duvall',
          };
          expect(OverrideRequest.safeParse(decision).success).toBe(true);
          expect(OverrideRequest.safeParse({ ...decision, reason: text }).success).toBe(false);
          expect(OverrideRequest.safeParse({ ...decision, by: text }).success).toBe(false);
        },
      );

      it('made at once come one after the other: each says what the rule was before it', async () => {
        const { auditId } = await auditOf(4, { deficiencies: ['holder-wrong'] });
        // As many connections as the pool has are open by then.
        await Promise.all(Array.from({ length: 20 }, () => fixture.bus.call(audit, { auditId })));
        const decisions = Array.from({ length: 20 }, (_, index) =>
          decide(auditId, 'HOLDER', index % 2 === 0 ? 'pass' : 'fail'),
        );
        await Promise.all(decisions);
        const { overrides } = await fixture.bus.call(audit, { auditId });
        let standing: string = 'fail';
        for (const { from, outcome } of overrides) {
          expect(from).toBe(standing);
          standing = outcome;
        }
        expect(overrides).toHaveLength(20);
      });

      it('and audits can be changed by nobody, not even the owner of the tables', async () => {
        const { auditId } = await auditOf(5, { deficiencies: ['holder-wrong'] });
        await decide(auditId, 'HOLDER', 'pass');
        for (const statement of [
          `UPDATE coi_audit SET verdict = 'COMPLIANT'`,
          `DELETE FROM coi_audit`,
          `UPDATE coi_override SET reason = 'another reason'`,
          `DELETE FROM coi_override`,
          `TRUNCATE coi_override`,
          `TRUNCATE coi_audit CASCADE`,
        ]) {
          await expect(fixture.database.query(statement)).rejects.toThrow('append only');
        }
        const [rights] = await fixture.database.query(
          `SELECT has_table_privilege('department', 'coi_audit', 'UPDATE, DELETE, TRUNCATE') AS audits,
              has_table_privilege('department', 'coi_override', 'UPDATE, DELETE, TRUNCATE') AS overrides,
              has_table_privilege('department', 'coi_requirement_set', 'UPDATE, DELETE, TRUNCATE') AS sets`,
        );
        expect(rights).toEqual({ audits: false, overrides: false, sets: false });
      });
    });

    describe('letters', () => {
      it('come as PDF where something was asked for, whatever letters a name has, and are 404 elsewhere', async () => {
        const insured = 'Łódź 保険 Électricité Όμηρος ООО';
        const { auditId } = await auditOf(6, { deficiencies: ['holder-wrong'], insured });
        const { pdf } = await fixture.bus.call(letter, { auditId });
        expect(Buffer.from(pdf).subarray(0, 5).toString()).toBe('%PDF-');
        const sound = await auditOf(7, {});
        expect((await problemOf(fixture.bus.call(letter, { auditId: sound.auditId }))).code).toBe(
          'NOT_FOUND',
        );
      });
    });

    describe('requirement sets', () => {
      const mine = CoiRequirements.parse({
        name: 'Mine',
        generalLiability: { eachOccurrenceUsd: 3_000_000 },
      });

      it('are those built in and the own ones, which no other account sees or is audited against', async () => {
        const stored = await fixture.bus.call(putRequirementSet, {
          ...{ by: ALICE, requirementSetId: 'my-set', requirements: mine },
        });
        expect(stored).toMatchObject({ requirementSetId: 'my-set', builtIn: false, requirements: mine });
        const { items } = await fixture.bus.call(requirementSets, { by: ALICE });
        expect(items.filter(({ builtIn }) => builtIn)).toHaveLength(5);
        expect(items.at(-1)).toEqual(stored);
        const others = await fixture.bus.call(requirementSets, { by: BOB });
        expect(others.items.map(({ requirementSetId }) => requirementSetId)).not.toContain('my-set');
        const asked = { by: BOB, requirementSetId: 'my-set' };
        expect((await problemOf(fixture.bus.call(requirementSet, asked))).code).toBe('NOT_FOUND');
        const { requirements: _, ...request } = sentCertificate(8).request;
        const withSet = { ...request, requirementSetId: 'my-set' };
        const answer = await verify(fixture, withSet, { accountId: ALICE.accountId });
        expect(answer).toMatchObject({
          compliant: 'DEFICIENT',
          requirementSetId: 'my-set',
          requirements: mine,
        });
        for (const accountId of [BOB.accountId, undefined]) {
          expect((await problemOf(verify(fixture, withSet, { accountId }))).code).toBe('UNPROCESSABLE');
        }
      });

      it('are replaced under their id, and never those built in', async () => {
        const put = (requirementSetId: string, requirements: CoiRequirements) =>
          fixture.bus.call(putRequirementSet, { by: ALICE, requirementSetId, requirements });
        await put('replaced', mine);
        await put('replaced', { ...mine, name: 'Other' });
        const { items } = await fixture.bus.call(requirementSets, { by: ALICE });
        expect(items.filter(({ requirementSetId }) => requirementSetId === 'replaced')).toMatchObject([
          { requirements: { name: 'Other' } },
        ]);
        expect((await problemOf(put('roofing', mine))).code).toBe('CONFLICT');
        const bad = await problemOf(put('bad', { ...mine, endorsements: ['CG 20 10', 'whatever'] }));
        expect([bad.code, bad.payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'endorsements[1]']);
      });
    });

    describe('what expires', () => {
      const CAROL = holder('c');
      const list = (more: { withinDays?: number; limit?: number; cursor?: string } = {}, by = CAROL) =>
        fixture.bus.call(expiring, { by, ...more });

      it('is the newest audit of each insured, by the day on which it ends, in pages without gap or double', async () => {
        const ends = [5, 25, -3, 5, 90, 12];
        for (const [index, endsInDays] of ends.entries()) {
          await auditOf(20 + index, { endsInDays, insured: `Company ${index} LLC` }, CAROL);
        }
        // The renewal of the first replaces it, however its name is spelt.
        await auditOf(30, { endsInDays: 300, insured: 'COMPANY 0, L.L.C.' }, CAROL);
        const { items, nextCursor } = await list();
        expect(items.map(({ insured }) => insured)).toEqual([
          ...['Company 2 LLC', 'Company 3 LLC', 'Company 5 LLC', 'Company 1 LLC'],
        ]);
        expect(items.map(({ daysLeft }) => daysLeft)).toEqual([-3, 5, 12, 25]);
        expect(items[0].compliant).toBe('DEFICIENT');
        expect(nextCursor).toBeNull();
        const paged: typeof items = [];
        let cursor: string | undefined;
        do {
          const page = await list({ limit: 1, cursor });
          paged.push(...page.items);
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(paged).toEqual(items);
        expect((await list({}, BOB)).items).toEqual([]);
        expect((await list({ withinDays: 5 })).items).toHaveLength(2);
      });

      it('shows the verdict with the overrides, and takes no cursor of another list', async () => {
        const { items } = await list();
        const { auditId } = items[1];
        await decide(auditId, 'HOLDER', 'fail', CAROL);
        expect((await list()).items[1]).toMatchObject({
          auditId,
          compliant: 'DEFICIENT',
          expiresAt: isoDay(5),
        });
        const { nextCursor } = await list({ limit: 1 });
        for (const bad of [
          list({ withinDays: 31, cursor: nextCursor! }),
          list({ cursor: nextCursor! }, BOB),
          list({ cursor: 'AAAA' }),
        ]) {
          const refused = await problemOf(bad);
          expect([refused.code, refused.payload.errors?.[0].path]).toEqual(['VALIDATION_FAILED', 'cursor']);
        }
      });
    });

    describe('another instance on the same database', () => {
      it('has every audit, override and set: nothing is in memory alone', async () => {
        const { auditId } = await auditOf(40, { deficiencies: ['holder-wrong'] });
        await decide(auditId, 'HOLDER', 'pass');
        const before = await fixture.bus.call(audit, { auditId });
        const again = await startService(departmentService, fixture.environment);
        try {
          expect(await fixture.bus.call(audit, { auditId })).toEqual(before);
          expect(await fixture.bus.call(audit, { auditId })).toEqual(before);
          const { items } = await fixture.bus.call(requirementSets, { by: ALICE });
          expect(items.map(({ requirementSetId }) => requirementSetId)).toContain('my-set');
        } finally {
          await again.close();
        }
      });
    });
  });
}
