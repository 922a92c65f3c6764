import { describe, expect, it } from '@jest/globals';
import { PDFDocument } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { BUILT_IN_REQUIREMENTS } from '../requirements/built-in-requirements.js';
import { auditCertificate } from '../rules/audit-certificate.js';
import { certificateTruth, DEFICIENCIES, type DeficiencyId } from '../testing/index.js';
import { deficiencyLetter } from './deficiency-letter.js';
import { letterPdf } from './letter-pdf.js';

function auditOf(deficiencies: readonly DeficiencyId[]) {
  const truth = certificateTruth(1, { deficiencies });
  const fields = Object.entries(truth.fields as Record<string, string>).map(([name, value]) => [
    name,
    { value, confidence: 1 },
  ]);
  const attachments = truth.endorsementPages.map(({ lines }, index) => ({
    page: index + 2,
    text: lines.join('\n'),
  }));
  const certificate = {
    variant: 'fields' as const,
    fields: Object.fromEntries(fields),
    pages: 1,
    attachments,
    tamperSigns: [],
  };
  const requirements = {
    ...BUILT_IN_REQUIREMENTS['general-contractor'],
    certificateHolder: truth.expectedHolder,
    namedInsured: truth.expectedInsured,
  };
  return { ...auditCertificate(certificate, requirements, truth), asOf: truth.asOf };
}

const letterOf = (audit: ReturnType<typeof auditOf>, more: object = {}) =>
  deficiencyLetter({ ...audit, producer: 'An Agency', reference: 'aud_1', ...more });

describe('a deficiency letter', () => {
  it('is none where there is nothing to ask for', () => {
    expect(letterOf(auditOf([]))).toBeNull();
  });

  it.each(Object.keys(DEFICIENCIES) as DeficiencyId[])(
    'of %s names every rule that stands in the way, with what to send',
    id => {
      const audit = auditOf([id]);
      const letter = letterOf(audit)!;
      const standing = audit.rules.filter(
        ({ outcome, affectsVerdict }) => outcome === 'fail' || (affectsVerdict && outcome !== 'pass'),
      );
      expect(standing.length).toBeGreaterThan(0);
      for (const { id: ruleId, title, detail } of standing) {
        // A coverage that is not there at all is one item.
        const isWhole =
          letter.includes(`${title.split(':')[0]}. Required:`) && letter.includes('shows no such coverage');
        if (!isWhole) expect([ruleId, letter]).toEqual([ruleId, expect.stringContaining(detail)]);
      }
      expect(letter).toContain('aud_1');
      const items = letter.match(/^\d+\. /gm)!.length;
      expect(letter.match(/^ {3}Please /gm)).toHaveLength(items);
    },
  );

  it('asks for a coverage that is not there once, with all that is required of it', () => {
    const letter = letterOf(auditOf(['wc-missing']))!;
    expect(letter.match(/Workers compensation/g)).toHaveLength(1);
    expect(letter).toContain('employers liability each accident $1,000,000');
  });

  it('says nothing of a limit that holds, and repeats no name beyond a line', () => {
    const long = 'X'.repeat(5_000);
    const letter = letterOf({ ...auditOf(['gl-claims-made']), insured: long })!;
    expect(letter).not.toContain('$2,000,000');
    expect(Math.max(...letter.split('\n').map(line => line.length))).toBeLessThan(1_000);
  });
});

it('asks for another date of issue where the one that is shown lies ahead, and ends names with one full stop', () => {
  const audit = auditOf([]);
  const asOf = '2000-01-01';
  const issued = audit.rules.find(({ id }) => id === 'ISSUED')!;
  const rules = [{ ...issued, outcome: 'fail' as const, required: `by ${asOf}` }];
  expect(letterOf({ ...audit, asOf, rules })).toContain('which has to be by 2000-01-01.');
  const details = audit.rules.filter(({ id }) => id.endsWith('_INSURER')).map(({ detail }) => detail);
  expect(details.length).toBeGreaterThan(0);
  for (const detail of details) expect(detail).toMatch(/^Insurer [A-F]: “.+”\.$/);
});

describe('a letter as PDF', () => {
  it('is made of any text, on as many pages as it takes, and the same from the same', async () => {
    const text = letterOf(auditOf(['gl-occurrence-low', 'holder-wrong', 'policy-expired']))!;
    const bytes = await letterPdf(text, new Date(0));
    expect(Buffer.from(await letterPdf(text, new Date(0))).equals(Buffer.from(bytes))).toBe(true);
    const long = await PDFDocument.load(await letterPdf(`${text}\n`.repeat(6), new Date(0)));
    expect(long.getPageCount()).toBeGreaterThan(2);
    await expect(letterPdf('line\n'.repeat(5_000), new Date(0))).rejects.toThrow(RangeError);
  });

  it('bears names in any script, words of any length, and every character there is', async () => {
    await letterPdf(`To: Łódź 保険 Όμηρος ООО 🏗 \u2028 ${'W'.repeat(3_000)}\n\t\r\n`, new Date(0));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async text => {
        const loaded = await PDFDocument.load(await letterPdf(text, new Date(0)));
        expect(loaded.getPageCount()).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});
