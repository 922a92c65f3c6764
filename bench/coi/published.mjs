import {
  AuditTally,
  certificateTruth,
  publishedCertificate,
  readTruth,
  scoreFields,
  FieldTally,
} from '@svc/certificates/testing';
import { scanCertificate } from '@svc/certificates/testing/node';
import { auditCertificate, BUILT_IN_REQUIREMENTS } from '@svc/certificates';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantiles, readTimed } from './measure.mjs';

const EDITIONS = ['2016/03', '2025/12'];
const FONTS = ['Helvetica', 'Times-Roman', 'Courier'];
const TICKS = ['cross', 'hook', 'letter'];
const hasCairo = spawnSync('pdftocairo', ['-v']).error === undefined;

/** How a certificate reaches its reader; a scan is of what was flattened. */
const WAYS = {
  fillable: { print: 'form' },
  flattened: {},
  ...(hasCairo && { 'flattened by pdftocairo': { print: 'form', change: flattenedByCairo } }),
  'scanned, 300 dpi': { change: (bytes, seed) => scanCertificate(bytes, seed, { dpi: 300 }) },
  'scanned, 200 dpi': { change: (bytes, seed) => scanCertificate(bytes, seed, { dpi: 200 }) },
  'scanned, 150 dpi': { change: (bytes, seed) => scanCertificate(bytes, seed, { dpi: 150 }) },
};

/**
 * The published form, rebuilt in both editions from where its fields stand, in three fonts: sound ones, and ones with a fault each,
 * against the built-in requirement sets. `DEFICIENT rightly` is for a rule that fails on the true values too.
 */
export async function published(report, { cases, scannedCases, seed, ways }, { reader, folder }) {
  if (!hasCairo) report.leftOut('flattened by pdftocairo', 'which is not installed');
  const rows = [];
  const asked = Object.entries(WAYS).filter(([way]) => ways === undefined || way.startsWith(ways));
  for (const [way, { print, change = bytes => bytes }] of asked) {
    const count = way.startsWith('scanned') ? scannedCases : cases;
    const tally = {
      sound: new AuditTally(),
      fields: new FieldTally(),
      rightly: 0,
      faulty: 0,
      falsely: 0,
      signs: 0,
    };
    const times = { latenciesMs: [], refused: [] };
    for (const [e, edition] of EDITIONS.entries()) {
      for (let i = 0; i < count; i++) {
        const own = seed + 10_000 * e + i;
        const isSound = i % 2 === 0;
        const truth = certificateTruth(own, isSound ? { deficiencies: [] } : {});
        const options = { edition, font: FONTS[(i >> 1) % 3], print: print ?? TICKS[(i >> 1) % 3] };
        const bytes = await change(await publishedCertificate(truth, options), own, folder);
        const read = await readTimed(reader, bytes, times);
        tally.fields.add(scoreFields(truth.fields, read?.fields));
        if (read?.tamperSigns.length) tally.signs += 1;
        judge(truth, read, tally);
      }
    }
    rows.push({ way, count, tally, times });
  }
  report.table('the published form, both editions, against the built-in requirement sets');
  for (const { way, count, tally, times } of rows) {
    const { sound } = tally;
    const all = sound.sound.COMPLIANT + sound.sound.REVIEW + sound.sound.DEFICIENT;
    if (count === 0) continue;
    report.row(way, {
      f1: Number(tally.fields.total.f1.toFixed(4)),
      files: count * EDITIONS.length,
      falselyCompliant: sound.falselyCompliant.length,
      ...{
        sound: all,
        soundCompliant: Number(sound.soundCompliantShare.toFixed(4)),
        soundDeficient: sound.sound.DEFICIENT,
      },
      ...{ faulty: tally.faulty, deficientRightly: tally.rightly, deficientWrongly: tally.falsely },
      ...{ suspected: tally.signs, refused: times.refused.length },
      ...quantiles(times.latenciesMs),
    });
    const worst = tally.fields.byField.filter(({ f1 }) => f1 < 0.97).slice(0, 6);
    if (worst.length > 0)
      report.note(
        `Worst fields, ${way}: ${worst.map(({ field, f1 }) => `${field} ${f1.toFixed(3)}`).join(', ')}.`,
      );
  }
}

/** Audits of one file against every set; of the faulty ones, whether a failing rule fails by the true values as well. */
function judge(truth, read, tally) {
  tally.sound.add(truth, read);
  const names = { certificateHolder: truth.expectedHolder, namedInsured: truth.expectedInsured };
  for (const set of Object.values(BUILT_IN_REQUIREMENTS)) {
    const failed = certificate =>
      auditCertificate(certificate, { ...set, ...names }, truth)
        .rules.filter(({ outcome }) => outcome === 'fail')
        .map(({ id }) => id);
    const truly = new Set(failed(readTruth(truth)));
    if (truly.size === 0) continue;
    tally.faulty += 1;
    if (!read) continue;
    const seen = failed(read);
    if (seen.some(id => truly.has(id))) tally.rightly += 1;
    if (seen.some(id => !truly.has(id))) tally.falsely += 1;
  }
}

function flattenedByCairo(bytes, _seed, folder) {
  const [from, to] = ['form.pdf', 'print.pdf'].map(name => join(folder, name));
  writeFileSync(from, bytes);
  execFileSync('pdftocairo', ['-pdf', from, to]);
  return new Uint8Array(readFileSync(to));
}
