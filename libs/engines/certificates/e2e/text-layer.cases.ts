import { PDFDocument, type PDFPage, rgb } from '@cantoo/pdf-lib';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  certificateTruth,
  draftCertificate,
  drawValues,
  fieldBoxes,
  generateCertificate,
  type LayoutId,
  LAYOUTS,
  tamperedCertificate,
} from '../src/testing/index.js';
import type { Box } from '../src/extracted-certificate.js';
import { reader } from './warm-reader.js';

/** A PNG of one pixel. */
const BLUE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGMQEYkCAADCAIMrKiC/AAAAAElFTkSuQmCC';
const SIGNATURE = 'Producer_AuthorizedRepresentative_Signature';
const IS_LONG = process.env.SUITE_TIER === 'long';
const SEEDS = IS_LONG ? 30 : 1;
const ALL_LAYOUTS = ['columns', 'panels', 'ledger'] as const;
const POPPLER_SEED = IS_LONG ? 517 : 500;

const readings = new Map<string, ReturnType<typeof readPrinted>>();
/** A certificate that was printed, and what is read of it: once, for a reading takes a second. */
function printed(seed: number, layout: LayoutId) {
  const key = `${seed} ${layout}`;
  const reading = readings.get(key) ?? readPrinted(seed, layout);
  readings.set(key, reading);
  return reading;
}
async function readPrinted(seed: number, layout: LayoutId) {
  const { bytes, truth } = await generateCertificate(seed, { layout, variant: 'flattened' });
  return { bytes, truth, reading: await reader.read(bytes) };
}

const plain = (text: string | undefined) => text?.replace(/\s+/g, ' ').trim();

// At commit the other kind is told of where a file with it is read anyway: read-and-audit.spec.ts.
const OVERLAID = IS_LONG ? (['overlaid-box', 'overlaid-text'] as const) : (['overlaid-box'] as const);

const hasPdftotext = spawnSync('pdftotext', ['-v']).error === undefined;

export function describeTextLayer(): void {
  describe('text layer', () => {
    it.each(ALL_LAYOUTS)('reads every field of the layout %s as it was printed', async layout => {
      for (let seed = 500; seed < 500 + SEEDS; seed++) {
        const { truth, reading } = await printed(seed, layout);
        const { variant, fields, tamperSigns } = reading;
        expect(variant).toBe('flattened');
        expect(tamperSigns).toEqual([]);
        const read = Object.fromEntries(
          Object.entries(fields).map(([field, { value }]) => [field, plain(value)]),
        );
        const issued = Object.fromEntries(
          Object.entries(truth.fields).map(([field, value]) => [field, plain(value)]),
        );
        expect(read).toEqual(issued);
      }
    });

    /** A printed certificate without a signature, its publisher's lines at the foot, with what is drawn in its signature's box. */
    async function unsigned(
      seed: number,
      layout: LayoutId,
      draw?: (page: PDFPage, box: Box) => Promise<void>,
    ) {
      const truth = certificateTruth(seed);
      const { Producer_AuthorizedRepresentative_Signature: _, ...fields } = truth.fields;
      const draft = await draftCertificate(LAYOUTS[layout], []);
      drawValues(draft, fields);
      const font = draft.fonts.bold;
      const box = fieldBoxes(draft.layout).get(SIGNATURE) as Box;
      const [left, , , bottom] = box;
      const foot = draft.layout.height - bottom - 11;
      draft.page.drawText('© 1988-2015 ACORD CORPORATION. All rights reserved.', {
        x: left,
        y: foot,
        size: 7,
        font,
      });
      draft.page.drawText('ACORD 25 (2016/03)', { x: 22, y: 14, size: 8, font });
      await draw?.(draft.page, box);
      return (await reader.read(await draft.document.save())).fields[SIGNATURE]?.value;
    }

    it.each(IS_LONG ? ALL_LAYOUTS : (['ledger'] as const))(
      'takes no line of the publisher for a signature in the layout %s',
      async layout => {
        expect(await unsigned(500, layout)).toBeUndefined();
      },
    );

    it('takes a picture and strokes in the box for a drawn mark', async () => {
      const pasted = await unsigned(500, 'columns', async (page, [left, top, , bottom]) => {
        const image = await page.doc.embedPng(Buffer.from(BLUE_PIXEL, 'base64'));
        const y = page.getHeight() - bottom + 1;
        page.drawImage(image, { x: left + 4, y, width: 46, height: bottom - top - 3 });
      });
      expect(pasted).toBe('a drawn mark');
      const strokes = await unsigned(500, 'columns', async (page, [left, top, , bottom]) => {
        const scribble = 'M 0 0 C 10 -14 14 8 22 -6 S 36 6 44 -10 S 60 2 66 -4';
        page.drawSvgPath(scribble, {
          ...{ x: left + 6, y: page.getHeight() - bottom + (bottom - top) / 2, borderWidth: 0.8 },
          borderColor: rgb(0.1, 0.1, 0.4),
        });
      });
      expect(strokes).toBe('a drawn mark');
    });

    it('keeps the pages that are no certificate as attachments, word by word', async () => {
      const { truth, reading } = await printed(IS_LONG ? 504 : 500, 'columns');
      const { attachments, pages } = reading;
      expect(pages).toBe(1 + truth.endorsementPages.length);
      expect(attachments.map(({ page }) => page)).toEqual(truth.endorsementPages.map((_, i) => i + 2));
      truth.endorsementPages.forEach(({ form, lines }, i) => {
        for (const line of [form, ...lines]) expect(plain(attachments[i].text)).toContain(plain(line));
      });
    });
    it.each(OVERLAID)('tells of %s: new text over old', async kind => {
      for (const layout of IS_LONG ? ALL_LAYOUTS : (['panels'] as const)) {
        for (let seed = 40; seed < (IS_LONG ? 43 : 41); seed++) {
          const { bytes, forgery } = await tamperedCertificate(seed, kind, layout);
          const { tamperSigns } = await reader.read(bytes);
          const word = forgery.issued.split(' ')[0];
          expect(
            tamperSigns.filter(sign => sign.includes('printed over each other') && sign.includes(word)),
          ).not.toEqual([]);
        }
      }
    });

    it('tells of text that is printed where a field of the form stands', async () => {
      const { bytes } = await generateCertificate(509, { layout: 'columns', variant: 'fillable' });
      const document = await PDFDocument.load(bytes);
      const [left, , , bottom] = fieldBoxes(LAYOUTS.columns).get(
        'GeneralLiability_EachOccurrence_LimitAmount',
      )!;
      const page = document.getPage(0);
      page.drawText('9,000,000', { x: left + 2, y: page.getHeight() - bottom + 2, size: 8 });
      const after = await reader.read(await document.save({ updateFieldAppearances: false }));
      if (IS_LONG) expect((await reader.read(bytes)).tamperSigns).toEqual([]);
      expect(after.tamperSigns.join()).toContain(
        'GeneralLiability_EachOccurrence_LimitAmount: "9,000,000" is printed where',
      );
    });
    if (!hasPdftotext) it('needs pdftotext', () => console.log('SKIPPED: pdftotext is not installed'));
    else {
      it('finds each value where poppler finds its words', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'text-layer-'));
        try {
          for (const layout of ['columns', 'panels', 'ledger'] as const) {
            const { bytes, reading } = await printed(POPPLER_SEED, layout);
            const file = join(folder, `${layout}.pdf`);
            writeFileSync(file, bytes);
            const html = execFileSync('pdftotext', ['-bbox', '-f', '1', '-l', '1', file, '-'], {
              encoding: 'utf8',
            });
            const words = [
              ...html.matchAll(/xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)</g),
            ];
            const { fields } = reading;
            expect(Object.keys(fields).length).toBeGreaterThan(40);
            for (const { value, box } of Object.values(fields)) {
              const [left, top, right, bottom] = box!;
              const inside = words.filter(([, x1, y1, x2, y2]) => {
                const [x, y] = [(Number(x1) + Number(x2)) / 2, (Number(y1) + Number(y2)) / 2];
                return x > left - 3 && x < right + 3 && y > top - 3 && y < bottom + 3;
              });
              const seen = inside
                .map(word => word[5].replace(/&amp;/g, '&').replace(/&apos;/g, "'"))
                .join('');
              expect(seen.replace(/[\s$]/g, '')).toContain(value.replace(/\s/g, '').slice(0, 40));
            }
          }
        } finally {
          rmSync(folder, { recursive: true });
        }
      });
    }
  });
}
