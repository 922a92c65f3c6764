import {
  AuditTally,
  FieldTally,
  generateCertificate,
  scoreFields,
  tamperedCertificate,
} from '@svc/certificates/testing';
import { scanCertificate, tamperedScan } from '@svc/certificates/testing/node';
import { CertificateReader } from '@svc/certificates/node';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partsOf } from '../../tools/bench/options.mjs';
import { quantiles, readTimed } from './measure.mjs';
import { published } from './published.mjs';

export const packages = ['@cantoo/pdf-lib', 'pdfjs-dist', 'tesseract.js', '@napi-rs/canvas'];

const LAYOUTS = ['columns', 'panels', 'ledger'];
/** Seeds of the variants lie apart, and apart from those that the reader was made with. */
const SEED_STEP = 1_000_000;

const PARTS = { layouts, published };

/**
 * `scans` is as many as `count` where it is undefined, `forged` (of scans) as many as `scans`. Of the published form there are
 * `cases` of each edition and way, and `scannedCases` of each scan, of the `ways` that begin so.
 */
export const options = {
  ...{ only: undefined, count: 300, scans: undefined, forged: undefined, warmup: true, seed: 1 },
  ...{ cases: 36, scannedCases: 36, ways: undefined },
};
/** Its scan is of one page. */
export const smoke = { count: 1, scans: 1, forged: 0, warmup: false, seed: 9, cases: 1, ways: 'fillable' };

/**
 * What is read of synthetic certificates, what the audits of them say, and how long it takes: each variant in each layout,
 * forged files, and poppler's pdftotext on the same flattened files.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function coi({ report, options }) {
  const reader = new CertificateReader({ processes: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'coi-bench-'));
  try {
    if (options.warmup) await warm(reader);
    for (const part of partsOf(PARTS, options.only)) await part(report, options, { reader, folder });
  } finally {
    await reader.close();
    rmSync(folder, { recursive: true, force: true });
  }
  report.note('Certificates are synthetic; figures on scans of paper will be lower.');
}

async function layouts(report, options, { reader, folder }) {
  const { count, scans = count, forged: forgedScans = scans, seed } = options;
  const runs = [
    { variant: 'fillable', count, make: made => made },
    { variant: 'flattened', count, make: made => made },
    { variant: 'scanned', count: scans, make: scanned },
  ];
  const measured = [];
  for (const [index, run] of runs.entries()) {
    measured.push(await measure(reader, folder, run, (seed + index) * SEED_STEP));
  }
  const forged = await measureForged(reader, count, forgedScans, (seed + runs.length) * SEED_STEP);
  write(report, measured, forged);
}

/** The process that reads has started and knows its characters. */
async function warm(reader) {
  for (const variant of ['fillable', 'flattened']) {
    const { bytes } = await generateCertificate(0, { variant });
    await reader.read(bytes);
    if (variant === 'flattened') await reader.read(await scanCertificate(bytes, 0));
  }
}

async function scanned(made, seed) {
  return { ...made, bytes: await scanCertificate(made.bytes, seed) };
}

async function measure(reader, folder, { variant, count, make }, firstSeed) {
  const tallies = new Map(LAYOUTS.map(layout => [layout, new FieldTally()]));
  const all = new FieldTally();
  const audits = new AuditTally();
  const found = { latenciesMs: [], refused: [], popplerMs: [], values: 0, foundByPoppler: 0, suspected: 0 };
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const layout = LAYOUTS[seed % LAYOUTS.length];
    const printed = variant === 'scanned' ? 'flattened' : variant;
    const { bytes, truth } = await make(await generateCertificate(seed, { variant: printed, layout }), seed);
    const read = await readTimed(reader, bytes, found);
    const score = scoreFields(truth.fields, read?.fields);
    all.add(score);
    tallies.get(layout).add(score);
    audits.add(truth, read);
    if (read?.tamperSigns.length) found.suspected += 1;
    if (variant === 'flattened') askPoppler(bytes, truth, join(folder, 'page.pdf'), found);
  }
  return { variant, count, tallies, all, audits, ...found };
}

async function measureForged(reader, count, scans, firstSeed) {
  const kinds = new Map();
  for (let i = 0; i < count + scans; i++) {
    const seed = firstSeed + i;
    const { bytes, truth, kind } = await (i < count ? tamperedCertificate(seed) : tamperedScan(seed));
    const read = await readTimed(reader, bytes, { latenciesMs: [], refused: [] });
    const tally = kinds.get(kind) ?? { files: 0, noticed: 0, audits: new AuditTally() };
    tally.files += 1;
    if (!read || read.tamperSigns.length > 0) tally.noticed += 1;
    tally.audits.add(truth, read, true);
    kinds.set(kind, tally);
  }
  return kinds;
}

/** Whether another program finds the values on the page, and how long its process takes. */
function askPoppler(bytes, truth, file, found) {
  writeFileSync(file, bytes);
  const startedMs = performance.now();
  const { status, stdout } = spawnSync('pdftotext', ['-layout', '-l', '1', file, '-'], { encoding: 'utf8' });
  if (status !== 0) return;
  found.popplerMs.push(performance.now() - startedMs);
  const text = stdout.replace(/\s+/g, ' ');
  for (const value of Object.values(truth.fields)) {
    found.values += 1;
    if (text.includes(value)) found.foundByPoppler += 1;
  }
}

function write(report, measured, forged) {
  report.table('fields read as printed');
  for (const { variant, count, all, tallies } of measured) {
    const { f1, precision, recall } = all.total;
    report.row(variant, { f1: exact(f1), precision: exact(precision), recall: exact(recall), files: count });
    for (const [layout, tally] of tallies) {
      report.row(`${variant}, ${layout}`, {
        f1: exact(tally.total.f1),
        files: Math.ceil(count / LAYOUTS.length),
      });
    }
  }
  report.table('one file through its process, ms');
  for (const { variant, latenciesMs, refused } of measured) {
    report.row(variant, { ...quantiles(latenciesMs), refused: refused.length });
  }
  const { popplerMs, values, foundByPoppler } = measured.find(({ variant }) => variant === 'flattened');
  if (popplerMs.length > 0) report.row('pdftotext -layout on the flattened', quantiles(popplerMs));
  report.table('audits against the built-in requirement sets');
  for (const { variant, audits, suspected } of measured)
    report.row(variant, { ...auditRow(audits), suspected });
  for (const [kind, { files, noticed, audits }] of forged) {
    report.row(`forged: ${kind}`, {
      falselyCompliant: audits.falselyCompliant.length,
      audits: audits.unsound,
      files,
      noticed,
    });
  }
  if (values > 0)
    report.note(`pdftotext found ${foundByPoppler} of ${values} values of the flattened files.`);
  for (const { variant, all, refused } of measured) {
    const worst = all.byField.filter(({ f1 }) => f1 < 0.99).slice(0, 6);
    const named = worst.map(({ field, f1 }) => `${field} ${f1.toFixed(3)}`).join(', ');
    if (named) report.note(`Worst fields, ${variant}: ${named}.`);
    if (refused.length > 0) report.note(`Refused, ${variant}: ${[...new Set(refused)].join(', ')}.`);
  }
}

function auditRow(audits) {
  return {
    falselyCompliant: audits.falselyCompliant.length,
    audits: audits.unsound,
    sound: audits.sound.COMPLIANT + audits.sound.REVIEW + audits.sound.DEFICIENT,
    soundCompliant: exact(audits.soundCompliantShare),
    soundDeficient: audits.sound.DEFICIENT,
  };
}

const exact = value => Number(value.toFixed(4));
