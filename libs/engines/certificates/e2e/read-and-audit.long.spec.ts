// commit: ./read-and-audit.spec.ts
import { AuditTally, generateCertificate } from '../src/testing/index.js';
import { scanCertificate } from '../src/testing/node/index.js';
import { describeReadAndAudit } from './read-and-audit.cases.js';
import { reader } from './warm-reader.js';

describeReadAndAudit();

const SCANS = 6;
const FIRST_SEED = 7_000;

it('is never COMPLIANT where the certificate is not, of scans', async () => {
  const tally = new AuditTally();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SCANS; seed++) {
    const { bytes, truth } = await generateCertificate(seed, {
      variant: 'flattened',
      deficiencies: ['gl-occurrence-low'],
    });
    tally.add(truth, await reader.read(await scanCertificate(bytes, seed)));
  }
  expect(tally.falselyCompliant).toEqual([]);
  expect(tally.unsound).toBeGreaterThan(0);
  expect(tally.sound.DEFICIENT).toBe(0);
}, 600_000);
