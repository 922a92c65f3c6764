import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { auditedPart, canonicalDigest, toHex } from '@svc/audit-proof';
import { certificateTruth, generateCertificate, publishedCertificate } from '@svc/certificates/testing';
import { certificatesContract, CoiVerifyRequest, CoiVerifyResult } from '@svc/contracts';
import { PDFDocument } from '@cantoo/pdf-lib';
import { problemOf } from '@svc/platform';
import { createHash } from 'node:crypto';
import { requirementsOf, sentCertificate, verify, holder, isoDay } from './coi-fixture.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { describeUploads } from './uploads.cases.js';

let fixture: DepartmentFixture;

const auditCount = async () =>
  Number((await fixture.database.query('SELECT count(*) FROM coi_audit'))[0].count);

async function emptyPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage();
  return document.save();
}

export function describeCoiAudit(): void {
  describe('coi audit', () => {
    beforeAll(async () => {
      fixture = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' } });
    });
    afterAll(() => fixture?.close());

    describeUploads(() => fixture);

    describe('an audit of fields', () => {
      it('is COMPLIANT where every rule that was asked for is sure to hold, with evidence of each', async () => {
        const { request } = sentCertificate(1);
        const answer = await verify(fixture, request, {
          accountId: holder('a').accountId,
          creditsRemaining: 39,
        });
        expect(answer.rules.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
        expect(answer).toMatchObject({
          ...{ compliant: 'COMPLIANT', variant: 'fields', charged: true, creditsRemaining: 39 },
          ...{ deficiencyLetter: null, requirementSetId: null, expiresAt: isoDay(200), asOf: isoDay(0) },
        });
        expect(CoiVerifyResult.parse(answer)).toEqual(answer);
        expect(answer.starkRoot).toBe(answer.auditProof.root);
        const claimed = answer.auditProof.rules;
        expect(claimed.every(({ holds }) => holds)).toBe(true);
        expect(claimed.find(({ id }) => id === 'GL_GENERAL_AGGREGATE')).toMatchObject({
          threshold: '2000000',
        });
        expect(claimed.at(-1)).toMatchObject({ id: 'COMPLIANT', value: '0', threshold: '0' });
      });

      it('binds the evidence to the answer and to the request as the contract reads it', async () => {
        const { request } = sentCertificate(2);
        const answer = await verify(fixture, request);
        const read = CoiVerifyRequest.parse(request);
        expect(answer.auditProof.requestDigest).toBe(toHex(canonicalDigest(read as never)));
        // What is on record is what was answered: its digest is still that of the evidence.
        const { audit } = await fixture.bus.call(certificatesContract.audit, { auditId: answer.auditId });
        expect(audit).toEqual(answer);
        expect(answer.auditProof.resultDigest).toBe(
          toHex(canonicalDigest(auditedPart(answer as never) as never)),
        );
      });

      it.each([
        ['gl-occurrence-low', 'GL_EACH_OCCURRENCE', 'DEFICIENT'],
        ['holder-wrong', 'HOLDER', 'DEFICIENT'],
        ['wc-excluded', 'WC_EXCLUSIONS', 'DEFICIENT'],
        ['endorsement-page-missing', 'AI_UNPROVEN', 'REVIEW'],
        ['gl-both-forms-ticked', 'GL_OCCURRENCE_FORM', 'REVIEW'],
      ] as const)(
        'finds %s, and its letter asks for what is missing',
        async (deficiency, ruleId, verdict) => {
          const { request } = sentCertificate(3, { deficiencies: [deficiency] });
          const answer = await verify(fixture, request);
          expect(answer.compliant).toBe(verdict);
          // A verdict that a person has to look is an answer, and costs what the others do.
          expect(answer.charged).toBe(true);
          const rule = answer.rules.find(({ id }) => id === ruleId);
          expect(rule?.outcome).not.toBe('pass');
          expect(answer.deficiencyLetter).toContain(rule!.detail);
          expect(answer.deficiencyLetter).toContain(answer.auditId);
          expect(answer.auditProof.rules.at(-1)).toMatchObject({ id: 'COMPLIANT', holds: false });
          expect(answer.auditProof.rules.find(({ id }) => id === ruleId)).toMatchObject({ holds: false });
        },
      );

      it('takes a field that was sent twice with two values for a sign of tampering, never for either', async () => {
        const { request } = sentCertificate(4);
        const fields = {
          ...request.fields,
          'F[0].P1[0].GeneralLiability_EachOccurrence_LimitAmount_A[0]': '9,000,000',
        };
        const answer = await verify(fixture, { ...request, fields });
        expect(answer.compliant).not.toBe('COMPLIANT');
        expect(answer.extracted.GeneralLiability_EachOccurrence_LimitAmount).toBeUndefined();
        expect(answer.rules.find(({ id }) => id === 'TAMPER')).toMatchObject({ outcome: 'warn' });
      });

      it('says which names it does not know', async () => {
        const { request } = sentCertificate(5);
        const answer = await verify(fixture, { ...request, fields: { ...request.fields, NoSuchField: '1' } });
        expect(answer.limits.some(limit => limit.includes('NoSuchField'))).toBe(true);
      });
    });

    describe('an audit of a file', () => {
      it('reads it, keeps nothing of it but what was read, and commits to its digest', async () => {
        const { bytes, truth } = await generateCertificate(11, { variant: 'fillable', deficiencies: [] });
        const request = {
          requirements: requirementsOf(truth),
          asOf: truth.asOf,
          projectEnd: truth.projectEnd,
        };
        expect(await fixture.bus.call(certificatesContract.admit, { request, pdf: bytes })).toEqual({});
        const answer = await verify(fixture, request, { pdf: bytes });
        expect(answer.variant).toBe('fillable');
        expect(answer.rules.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
        expect(answer.compliant).toBe('COMPLIANT');
        const pdfSha256 = `0x${createHash('sha256').update(bytes).digest('hex')}`;
        expect(answer.auditProof.requestDigest).toBe(
          toHex(canonicalDigest({ ...request, pdfSha256 } as never)),
        );
        const [{ kept }] = await fixture.database.query(
          `SELECT answer::text AS kept FROM coi_audit WHERE audit_id = $1`,
          [answer.auditId],
        );
        expect(kept).not.toContain(Buffer.from(bytes).subarray(0, 60).toString('base64'));
      });

      it('names the edition of the published form, and what that edition says of its limits', async () => {
        const truth = certificateTruth(12, { deficiencies: [] });
        for (const edition of ['2016/03', '2025/12'] as const) {
          const pdf = await publishedCertificate(truth, { edition, isScripted: true });
          const answer = await verify(
            fixture,
            { requirements: requirementsOf(truth), asOf: truth.asOf },
            { pdf },
          );
          expect(answer).toMatchObject({ compliant: 'COMPLIANT', variant: 'fillable', edition });
          expect(answer.limits.some(limit => limit.includes('inclusive'))).toBe(edition === '2025/12');
        }
      });

      it.each([
        ['no PDF', Buffer.from('not a certificate'), 'NOT_A_PDF'],
        ['an empty PDF', undefined, 'NO_CERTIFICATE|no field'],
      ])(
        'refuses %s with the field and the reason, before payment or after, and stores nothing',
        async (_, file, code) => {
          const pdf = file ?? Buffer.from(await emptyPdf());
          const before = await auditCount();
          const request = { requirementSetId: 'electrical' };
          const refused = await problemOf(verify(fixture, request, { pdf }));
          expect(refused.code).toBe('UNPROCESSABLE');
          expect(JSON.stringify(refused.payload)).toMatch(new RegExp(code, 'i'));
          expect(refused.payload.errors?.[0].path).toBe('pdfBase64');
          if (file) {
            const notAdmitted = await problemOf(
              fixture.bus.call(certificatesContract.admit, { request, pdf }),
            );
            expect(notAdmitted.code).toBe('UNPROCESSABLE');
          }
          expect(await auditCount()).toBe(before);
        },
      );
    });

    describe('what cannot be audited', () => {
      const { request } = sentCertificate(6);
      const { requirements: _, ...withoutTerms } = request;

      it.each([
        ['a set that is not known', { ...withoutTerms, requirementSetId: 'no-such-set' }, 'requirementSetId'],
        ['a day far in the past', { ...request, asOf: '1999-01-01' }, 'asOf'],
        ['a day far in the future', { ...request, asOf: '2999-01-01' }, 'asOf'],
        [
          'a project that ended before',
          { ...request, asOf: isoDay(0), projectEnd: isoDay(-1) },
          'projectEnd',
        ],
        [
          'an endorsement that names no form',
          {
            ...request,
            requirements: { ...(request.requirements as object), endorsements: ['all of them'] },
          },
          'requirements.endorsements[0]',
        ],
        ['fields of something else', { ...request, fields: { hello: 'world' } }, 'fields'],
      ])('%s is refused by admission and by the audit, naming the field', async (_name, bad, path) => {
        for (const work of [
          fixture.bus.call(certificatesContract.admit, { request: bad }),
          verify(fixture, bad),
        ]) {
          const refused = await problemOf(work);
          expect([refused.code, refused.payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', path]);
        }
      });

      it('is not on record where its evidence could not be had', async () => {
        const before = await auditCount();
        fixture.attest.before = () => Promise.reject(new Error('the prover is away'));
        try {
          await problemOf(verify(fixture, request));
        } finally {
          fixture.attest.before = async () => undefined;
        }
        expect(await auditCount()).toBe(before);
      });

      it('is not on record where its caller waits no longer: the payment was given back', async () => {
        const before = await auditCount();
        const now = performance.now.bind(performance);
        let passedMs = 0;
        const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
        fixture.attest.before = async () => {
          passedMs = certificatesContract.verify.timeoutMs;
        };
        try {
          expect((await problemOf(verify(fixture, request))).code).toBe('TIMEOUT');
        } finally {
          clock.mockRestore();
          fixture.attest.before = async () => undefined;
        }
        expect(await auditCount()).toBe(before);
      });
    });
  });
}
