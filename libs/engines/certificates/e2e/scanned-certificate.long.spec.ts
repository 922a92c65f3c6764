// commit: ../src/form/read-form-fields.spec.ts
import { scanCertificate } from '../src/testing/node/index.js';
import { generateCertificate } from '../src/testing/index.js';
import { CertificateReader } from '../src/node/certificate-reader.js';

const reader = new CertificateReader({ processes: 1, inspectMsMax: 60_000, readMsMax: 115_000 });
afterAll(() => reader.close());

const SEEDS = [31, 32, 33, 34, 35, 36];
const LAYOUTS = ['columns', 'panels', 'ledger'] as const;
const plain = (text: string | undefined) => text?.toUpperCase().replace(/\s+/g, ' ').trim();

it('reads scans askew, grey and noisy: F1 of all fields at least 0.93, and nothing sure that is wrong', async () => {
  let [right, wrong, missing] = [0, 0, 0];
  const surelyWrong: string[] = [];
  for (const [i, seed] of SEEDS.entries()) {
    const layout = LAYOUTS[(seed + i) % LAYOUTS.length];
    const { bytes, truth } = await generateCertificate(seed, {
      layout,
      variant: 'flattened',
      deficiencies: [],
    });
    const { variant, fields } = await reader.read(await scanCertificate(bytes, seed));
    expect(variant).toBe('scanned');
    for (const [field, printed] of Object.entries(truth.fields)) {
      const read = fields[field as keyof typeof fields];
      if (read && plain(read.value) === plain(printed)) right++;
      else missing++;
      if (!read || plain(read.value) === plain(printed)) continue;
      wrong++;
      const isDecisive = /Amount$|Date$|Code$|Indicator$/.test(field);
      if (isDecisive && read.confidence >= 0.8)
        surelyWrong.push(`${seed} ${field}: ${printed} as ${read.value}`);
    }
    wrong += Object.keys(fields).filter(field => !(field in truth.fields)).length;
  }
  expect((2 * right) / (2 * right + wrong + missing)).toBeGreaterThanOrEqual(0.93);
  expect(surelyWrong).toEqual([]);
}, 600_000);
