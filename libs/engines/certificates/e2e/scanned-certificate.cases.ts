import { PDFDocument } from '@cantoo/pdf-lib';
import { greyOf } from '../src/scan/grey-picture.js';
import { pastedPatches } from '../src/scan/pasted-patch.js';
import {
  AuditTally,
  type CertificateOptions,
  certificateTruth,
  draftCertificate,
  drawValues,
  fieldBoxes,
  generateCertificate,
  LAYOUTS,
} from '../src/testing/index.js';
import { renderPages, scanCertificate, tamperedScan } from '../src/testing/node/index.js';
import { reader } from './warm-reader.js';

/** A certificate that is printed, scanned and read: its seed, and what is printed. */
type Scan = CertificateOptions & { readonly seed: number };

/** At commit: one page at 200 dots an inch, which is read once for all that is said of it, in six seconds. */
export const QUICK_SCAN: Scan = {
  ...{ seed: 35, layout: 'columns' },
  deficiencies: ['gl-occurrence-low', 'endorsement-page-missing'],
};

const scanned = async ({ seed, ...options }: Scan) => {
  const { bytes, truth } = await generateCertificate(seed, { ...options, variant: 'flattened' });
  return { truth, reading: await reader.read(await scanCertificate(bytes, seed)) };
};
const readOnce = new Map<Scan, ReturnType<typeof scanned>>();
function readScan(scan: Scan): ReturnType<typeof scanned> {
  const read = readOnce.get(scan) ?? scanned(scan);
  readOnce.set(scan, read);
  return read;
}

const plain = (text: string | undefined) => text?.toUpperCase().replace(/\s+/g, ' ').trim();

export function describeScannedFields(scans: readonly Scan[]): void {
  it('reads scans askew, grey and noisy: F1 of all fields at least 0.93, and nothing sure that is wrong', async () => {
    let [right, wrong, missing] = [0, 0, 0];
    const surelyWrong: string[] = [];
    for (const scan of scans) {
      const { truth, reading } = await readScan(scan);
      const { variant, fields } = reading;
      expect(variant).toBe('scanned');
      for (const [field, printed] of Object.entries(truth.fields)) {
        const read = fields[field as keyof typeof fields];
        if (read && plain(read.value) === plain(printed)) right++;
        else missing++;
        if (!read || plain(read.value) === plain(printed)) continue;
        wrong++;
        const isDecisive = /Amount$|Date$|Code$|Indicator$/.test(field);
        if (isDecisive && read.confidence >= 0.8)
          surelyWrong.push(`${scan.seed} ${field}: ${printed} as ${read.value}`);
      }
      wrong += Object.keys(fields).filter(field => !(field in truth.fields)).length;
    }
    expect((2 * right) / (2 * right + wrong + missing)).toBeGreaterThanOrEqual(0.93);
    expect(surelyWrong).toEqual([]);
  });
}

export function describeScannedAudits(scans: readonly Scan[]): void {
  it('is never COMPLIANT where the certificate is not, of scans', async () => {
    const tally = new AuditTally();
    for (const scan of scans) {
      const { truth, reading } = await readScan(scan);
      tally.add(truth, reading);
    }
    expect(tally.falselyCompliant).toEqual([]);
    expect(tally.unsound).toBeGreaterThan(0);
    expect(tally.sound.DEFICIENT).toBe(0);
  });
}

const DPI = 200;

async function grey(bytes: Uint8Array) {
  const [canvas] = await renderPages(bytes, DPI);
  const { width, height } = canvas;
  return greyOf(canvas.getContext('2d').getImageData(0, 0, width, height).data, width, height, DPI);
}

async function firstPage(bytes: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  while (document.getPageCount() > 1) document.removePage(1);
  return document.save();
}

export function describeScans({
  seeds,
  forged,
}: {
  seeds: readonly number[];
  forged: readonly number[];
}): void {
  describe('scans of synthetic certificates', () => {
    it.each(seeds)(
      'are pages as noisy pictures: the same for the same seed, no piece of one clean, nothing of it text (seed %d)',
      async seed => {
        const truth = certificateTruth(seed);
        const draft = await draftCertificate(LAYOUTS.columns, []);
        drawValues(draft, truth.fields);
        const page = await draft.document.save();
        const scan = await scanCertificate(page, seed, { dpi: DPI });
        expect(Buffer.from(await scanCertificate(page, seed, { dpi: DPI })).equals(scan)).toBe(true);
        expect(Buffer.from(scan).includes('/BaseFont')).toBe(false);
        const [drawn, picture] = [await grey(page), await grey(scan)];
        expect([picture.width, picture.height]).toEqual([drawn.width, drawn.height]);
        const levels = new Set(picture.pixels.subarray(0, 50_000));
        expect(levels.size).toBeGreaterThan(8);
        expect(pastedPatches(picture)).toEqual([]);
      },
    );

    it.each(forged)('show a pasted piece over the forged field (seed %d)', async seed => {
      const scan = await tamperedScan(seed, 'pasted-patch', { dpi: DPI, skewDegrees: 0 });
      const [left, top, right, bottom] = fieldBoxes(LAYOUTS[scan.layout]).get(scan.forgery.field) ?? [
        0, 0, 0, 0,
      ];
      const found = pastedPatches(await grey(await firstPage(scan.bytes)));
      expect(found.some(box => box[0] < right && left < box[2] && box[1] < bottom && top < box[3])).toBe(
        true,
      );
    });
  });
}
