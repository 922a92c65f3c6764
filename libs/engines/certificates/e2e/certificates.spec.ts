import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE_FIELDS, type CertificateField } from '../src/certificate-field.js';
import { BUILT_IN_REQUIREMENTS } from '../src/requirements/built-in-requirements.js';
import {
  AuditTally,
  certificateTruth,
  complianceFaults,
  DEFICIENCIES,
  type DeficiencyId,
  generateCertificate,
  LAYOUTS,
  readTruth,
  requirementsOf,
  tamperedCertificate,
} from '../src/testing/index.js';

const TRUTHS = process.env.SUITE_TIER === 'long' ? 20_000 : 200;

describe('synthetic certificates', () => {
  test('the same seed gives the same bytes, and another seed another certificate', async () => {
    for (const variant of ['fillable', 'flattened'] as const) {
      const [first, again, other] = await Promise.all(
        [5, 5, 6].map(seed => generateCertificate(seed, { variant, layout: 'panels' })),
      );
      expect(Buffer.from(again.bytes).equals(first.bytes)).toBe(true);
      expect(Buffer.from(other.bytes).equals(first.bytes)).toBe(false);
    }
  });

  test('each layout has a place for every field but the free cells of the published form, on the page, that overlaps no other’s', () => {
    const free = /Other(Coverage|CoveredAuto)|_LimitAppliesTo|CoverageCode|LineTwo/;
    const usual = CERTIFICATE_FIELDS.filter(field => !free.test(field)).sort();
    for (const { id, cells, width, height } of Object.values(LAYOUTS)) {
      expect([id, cells.map(({ field }) => field).sort()]).toEqual([id, usual]);
      for (const [index, { field, box }] of cells.entries()) {
        expect(box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height).toBe(true);
        const overlapped = cells
          .slice(index + 1)
          .filter(({ box: b }) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]);
        expect([field, overlapped.map(cell => cell.field)]).toEqual([field, []]);
      }
    }
  });

  test('every deficiency is a fault for at least one built-in requirement set, and a sound certificate has none', () => {
    const faultsOf = (seed: number, deficiencies: DeficiencyId[]) => {
      const truth = certificateTruth(seed, { deficiencies });
      return Object.values(BUILT_IN_REQUIREMENTS).map(
        set => complianceFaults(truth, requirementsOf(truth, set)).length,
      );
    };
    for (let seed = 0; seed < 40; seed++) {
      expect([seed, faultsOf(seed, [])]).toEqual([seed, Object.keys(BUILT_IN_REQUIREMENTS).map(() => 0)]);
    }
    for (const id of Object.keys(DEFICIENCIES) as DeficiencyId[]) {
      expect([id, Math.max(...faultsOf(7, [id])) > 0]).toEqual([id, true]);
    }
  });

  test('what is printed can be read by another program: pdftotext finds every value of a flattened file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
    try {
      for (const seed of [0, 1, 2]) {
        const { bytes, truth } = await generateCertificate(seed, { variant: 'flattened' });
        const file = join(folder, `${seed}.pdf`);
        writeFileSync(file, bytes);
        const { status, stdout, error } = spawnSync('pdftotext', ['-layout', '-l', '1', file, '-'], {
          encoding: 'utf8',
        });
        if (error) return console.log('SKIPPED: pdftotext is not installed');
        expect(status).toBe(0);
        const text = stdout.replace(/\s+/g, ' ');
        const lost = Object.entries(truth.fields)
          .filter(([, value]) => !text.includes(value))
          .map(([field]) => field);
        expect([seed, lost]).toEqual([seed, []]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    return undefined;
  });

  test('a forged certificate was issued with a value that no set accepts, and is forged into one that all accept', async () => {
    for (const seed of [0, 1, 2, 3]) {
      const { truth, forgery } = await tamperedCertificate(seed, 'overlaid-box');
      expect(truth.fields[forgery.field]).toBe(forgery.forged);
      const issued = { ...truth, fields: { ...truth.fields, [forgery.field]: forgery.issued } };
      for (const set of Object.values(BUILT_IN_REQUIREMENTS)) {
        expect(complianceFaults(truth, requirementsOf(truth, set))).toEqual([]);
        const withoutUmbrella = { ...requirementsOf(truth, set), umbrella: undefined };
        expect(complianceFaults(issued, withoutUmbrella)).not.toEqual([]);
      }
    }
  });
});

describe('the rules against the oracle', () => {
  test('no certificate is called compliant that the oracle finds fault with, and nearly every sound one is', () => {
    const tally = new AuditTally();
    for (let seed = 0; seed < TRUTHS; seed++) {
      const truth = certificateTruth(seed);
      tally.add(truth, readTruth(truth));
    }
    expect(tally.falselyCompliant).toEqual([]);
    expect(tally.unsound).toBeGreaterThan(TRUTHS);
    expect(tally.sound.DEFICIENT).toBe(0);
    expect(tally.soundCompliantShare).toBeGreaterThan(0.99);
  });

  test('a decisive field that is lost or damaged never makes a certificate compliant', () => {
    const tally = new AuditTally();
    for (let seed = 0; seed < TRUTHS / 5; seed++) {
      const sound = certificateTruth(seed, { deficiencies: [] });
      const names = Object.keys(sound.fields) as CertificateField[];
      const field = names[(seed * 7) % names.length];
      const value = sound.fields[field] ?? '';
      const damaged =
        seed % 2 === 0 ? value.slice(1) : value.replace(/\d/, digit => String((Number(digit) + 5) % 10));
      const fields = { ...sound.fields, [field]: damaged };
      if (damaged === '') delete fields[field];
      tally.add({ ...sound, fields }, readTruth({ ...sound, fields }));
    }
    expect(tally.falselyCompliant).toEqual([]);
  });
});
