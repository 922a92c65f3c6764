import { rgb } from '@cantoo/pdf-lib';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AuditTally,
  certificateTruth,
  draftCertificate,
  drawValues,
  fieldBoxes,
  LAYOUTS,
  publishedCertificate,
  type PublishedEdition,
  publishedLayout,
  type PublishedOptions,
} from '../src/testing/index.js';
import { auditCertificate, BUILT_IN_REQUIREMENTS } from '../src/index.js';
import { scanCertificate } from '../src/testing/node/index.js';
import { reader } from './warm-reader.js';

const IS_LONG = process.env.SUITE_TIER === 'long';
const EDITIONS: readonly PublishedEdition[] = ['2016/03', '2025/12'];
const FIRST_SEED = 31_000;
const SEEDS = IS_LONG ? 9 : 1;

/** As printers leave glyphs whose font they do not embed. */
const OUTLINED_CROSS = 'M -3 -2 L -2 -3 L 0 -1 L 2 -3 L 3 -2 L 1 0 L 3 2 L 2 3 L 0 1 L -2 3 L -3 2 L -1 0 Z';
const plain = (text: string | undefined) => text?.replace(/\s+/g, ' ').trim();
const values = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, plain(value)]));

/** What is read of a published form, with a sound truth. */
async function soundly(seed: number, options: PublishedOptions, change = (bytes: Uint8Array) => bytes) {
  const truth = certificateTruth(seed, { deficiencies: [] });
  const read = await reader.read(change(await publishedCertificate(truth, options)));
  const tally = new AuditTally();
  tally.add(truth, read);
  const fields = Object.entries(read.fields).map(([field, { value }]) => [field, value] as const);
  return { truth, read, tally, fields: values(Object.fromEntries(fields)), issued: values(truth.fields) };
}

const PRINTS: readonly PublishedOptions[] = [
  { print: 'cross' },
  { print: 'hook', font: 'Times-Roman' },
  { print: 'letter', font: 'Courier' },
];

export function describePublishedForms(): void {
  describe('the published form', () => {
    const cases = EDITIONS.flatMap((edition, i) =>
      PRINTS.filter((_, j) => IS_LONG || i === j).map(print => ({ edition, ...print })),
    );
    it.each(cases)('is read where its fields stand: $edition, ticked by $print', async options => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        const { read, fields, issued, tally } = await soundly(seed, options);
        expect(read).toMatchObject({ variant: 'flattened', edition: options.edition, tamperSigns: [] });
        expect(fields).toEqual(issued);
        expect(tally.sound).toMatchObject({ REVIEW: 0, DEFICIENT: 0 });
      }
    });

    it('is read with its scripts, which are not run and are named', async () => {
      const { read, fields, issued, tally } = await soundly(FIRST_SEED, { isScripted: true });
      expect(read).toMatchObject({ variant: 'fillable', ignored: ['a script'], tamperSigns: [] });
      expect(fields).toEqual(issued);
      expect(tally.sound).toMatchObject({ REVIEW: 0, DEFICIENT: 0 });
    });

    it('is read where a font names its digits', async () => {
      const { read, fields, issued, tally } = await soundly(FIRST_SEED + 1, { namesGlyphs: true });
      expect(read).toMatchObject({ variant: 'fillable', tamperSigns: [] });
      expect(fields).toEqual(issued);
      expect(tally.sound.COMPLIANT).toBeGreaterThan(0);
    });

    it.each(IS_LONG ? (['form', 'cross'] as const) : (['form'] as const))(
      'has cells that may take everything back: print %s',
      async print => {
        const truth = certificateTruth(FIRST_SEED + 3, { deficiencies: [] });
        const cells = { GeneralLiability_OtherCoverageDescription_B: 'SIR $500,000' };
        const bytes = await publishedCertificate(
          { ...truth, fields: { ...truth.fields, ...cells } },
          { print, edition: '2025/12' },
        );
        const { rules, verdict } = auditCertificate(
          await reader.read(bytes),
          BUILT_IN_REQUIREMENTS.roofing,
          truth,
        );
        expect([verdict, rules.find(({ id }) => id === 'REMARKS')?.evidence?.value]).toEqual([
          'REVIEW',
          'SIR $500,000',
        ]);
      },
    );

    if (IS_LONG)
      it.each(EDITIONS.flatMap(edition => ([300, 200] as const).map(dpi => ({ edition, dpi }))))(
        'is read from a scan: $edition at $dpi dpi',
        async ({ edition, dpi }) => {
          const verdicts = { COMPLIANT: 0, REVIEW: 0, DEFICIENT: 0 };
          for (let seed = FIRST_SEED; seed < FIRST_SEED + 3; seed++) {
            const truth = certificateTruth(seed, { deficiencies: [] });
            const printed = await publishedCertificate(truth, { edition, print: 'cross' });
            const tally = new AuditTally();
            tally.add(truth, await reader.read(await scanCertificate(printed, seed, { dpi })));
            for (const [verdict, count] of Object.entries(tally.sound))
              verdicts[verdict as keyof typeof verdicts] += count;
          }
          expect(verdicts.DEFICIENT).toBe(0);
          expect(verdicts.COMPLIANT).toBeGreaterThan(0);
        },
      );

    const faulty = IS_LONG ? SEEDS : 2;
    it('is never COMPLIANT where the certificate is not', async () => {
      const tally = new AuditTally();
      for (let seed = FIRST_SEED + 100; seed < FIRST_SEED + 100 + faulty; seed++) {
        const truth = certificateTruth(seed, {
          deficiencies: seed % 2 ? ['wc-missing'] : ['auto-owned-only'],
        });
        tally.add(truth, await reader.read(await publishedCertificate(truth, { print: 'cross' })));
      }
      expect(tally.unsound).toBeGreaterThan(0);
      expect(tally.falselyCompliant).toEqual([]);
      expect(tally.sound.DEFICIENT).toBe(0);
    });

    it.each(IS_LONG ? (['published', 'columns'] as const) : (['published'] as const))(
      'is never COMPLIANT by a tick that is drawn as an outline: layout %s',
      async kind => {
        const layout = kind === 'published' ? publishedLayout('2016/03') : LAYOUTS.columns;
        const field = 'GeneralLiability_ClaimsMadeIndicator';
        const truth = certificateTruth(FIRST_SEED, { deficiencies: ['gl-both-forms-ticked'] });
        const { [field]: _, ...others } = truth.fields;
        const draft = await draftCertificate(layout, truth.endorsementPages);
        drawValues(draft, others);
        const [left, top, right, bottom] = fieldBoxes(layout).get(field)!;
        const middle = { x: (left + right) / 2, y: layout.height - (top + bottom) / 2 };
        draft.page.drawSvgPath(OUTLINED_CROSS, { ...middle, color: rgb(0, 0, 0) });
        const tally = new AuditTally();
        tally.add(truth, await reader.read(await draft.document.save()));
        expect(tally.unsound).toBeGreaterThan(0);
        expect(tally.falselyCompliant).toEqual([]);
      },
    );

    describeWith('pdftocairo', '-v', () => {
      it('is read as another program has flattened it', async () => {
        // In Times and Courier the date of issue stands a little higher, on the lines of the title.
        const fonts = ['Courier', 'Times-Roman', 'Helvetica'] as const;
        const cases = EDITIONS.flatMap(edition => fonts.map(font => ({ edition, font })));
        for (const { edition, font } of IS_LONG ? cases : cases.slice(0, 1)) {
          const { read, fields, issued, tally } = await soundly(FIRST_SEED + 2, { edition, font }, bytes =>
            changedBy('pdftocairo', ['-pdf'], bytes),
          );
          expect(read).toMatchObject({ variant: 'flattened', edition, tamperSigns: [] });
          expect(fields).toEqual(issued);
          expect(tally.sound).toMatchObject({ REVIEW: 0, DEFICIENT: 0 });
        }
      });
    });

    describeWith('qpdf', '--version', () => {
      const ciphers = [['128', '--use-aes=y'], ['256'], ['128', '--use-aes=n']].slice(0, IS_LONG ? 3 : 1);
      it.each(ciphers)(
        'is read where it is encrypted and opens without a password: %s bits %s',
        async (...cipher) => {
          for (const objects of IS_LONG ? ['generate', 'disable'] : ['generate']) {
            const options = [
              '--allow-weak-crypto',
              `--object-streams=${objects}`,
              '--encrypt',
              '',
              'owner',
              ...cipher,
              '--',
            ];
            const { read, fields, issued, tally } = await soundly(
              FIRST_SEED + 4,
              { isScripted: true },
              bytes => changedBy('qpdf', options, bytes),
            );
            expect(read).toMatchObject({ variant: 'fillable', tamperSigns: [], ignored: ['a script'] });
            expect(fields).toEqual(issued);
            expect(tally.sound).toMatchObject({ REVIEW: 0, DEFICIENT: 0 });
          }
        },
      );
    });
  });
}

function describeWith(tool: string, version: string, tests: () => void): void {
  if (spawnSync(tool, [version]).error === undefined) tests();
  else it(`needs ${tool}`, () => console.log(`SKIPPED: ${tool} is not installed`));
}

/** A file as another program writes it. */
function changedBy(tool: string, options: readonly string[], bytes: Uint8Array): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'published-'));
  try {
    const [from, to] = ['from.pdf', 'to.pdf'].map(name => join(folder, name));
    writeFileSync(from, bytes);
    execFileSync(tool, [...options, from, to]);
    return new Uint8Array(readFileSync(to));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
