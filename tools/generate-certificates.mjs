import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand, SetupError } from './setup/setup-error.mjs';
import { prepareWorkspace, workspaceRoot } from './setup/workspace.mjs';

const VARIANTS = ['fillable', 'flattened', 'scanned', 'tampered'];
/** Of five forged files two are scans. */
const TAMPERED_SCANS = new Set([3, 4]);

/**
 * `node tools/generate-certificates.mjs --out FOLDER [--count 300] [--seed 1] [--variants fillable,flattened,scanned,tampered]`:
 * so many synthetic certificates of each variant, layouts taking turns, and `truth.json`: what each says, what is wrong with
 * it, and whether it may be called compliant with each built-in requirement set. The same for the same options. A scan takes
 * about a second a page.
 */
await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      count: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      variants: { type: 'string', default: VARIANTS.join(',') },
    },
  });
  if (!values.out) throw new SetupError('--out is the folder that the certificates are written into');
  const count = wholeNumber('count', values.count, 1, 100_000);
  const seed = wholeNumber('seed', values.seed, 0, 2 ** 31);
  const variants = values.variants.split(',');
  const unknown = variants.filter(variant => !VARIANTS.includes(variant));
  if (unknown.length > 0)
    throw new SetupError(`--variants are of ${VARIANTS.join(', ')}; got ${unknown.join(', ')}`);
  await prepareWorkspace();
  const [generator, scanner, { BUILT_IN_REQUIREMENTS }] = await Promise.all(
    ['testing/index.js', 'testing/node/index.js', 'index.js'].map(load),
  );
  await mkdir(values.out, { recursive: true });
  const truths = [];
  for (const variant of variants) {
    for (let index = 0; index < count; index++) {
      const made = await makeCertificate({ ...generator, ...scanner }, variant, seed + index, index);
      const file = `${variant}-${String(index + 1).padStart(4, '0')}.pdf`;
      await writeFile(join(values.out, file), made.bytes);
      truths.push(truthOf(generator, BUILT_IN_REQUIREMENTS, file, variant, made));
    }
    process.stdout.write(`${variant}: ${count} files\n`);
  }
  await writeFile(join(values.out, 'truth.json'), `${JSON.stringify(truths, null, 1)}\n`);
});

async function load(path) {
  return import(pathToFileURL(join(workspaceRoot, 'libs/engines/certificates/dist', path)).href);
}

async function makeCertificate(certificates, variant, seed, index) {
  if (variant === 'tampered') {
    return TAMPERED_SCANS.has(index % 5)
      ? certificates.tamperedScan(seed)
      : certificates.tamperedCertificate(seed);
  }
  if (variant !== 'scanned') return certificates.generateCertificate(seed, { variant });
  const made = await certificates.generateCertificate(seed, { variant: 'flattened' });
  return { ...made, bytes: await certificates.scanCertificate(made.bytes, seed) };
}

function truthOf(
  { complianceFaults, requirementsOf },
  sets,
  file,
  variant,
  { truth, layout, kind, forgery },
) {
  const isForged = forgery !== undefined;
  const compliance = Object.entries(sets).map(([id, set]) => {
    const faults = complianceFaults(truth, requirementsOf(truth, set));
    return [id, { compliant: faults.length === 0 && !isForged, faults }];
  });
  return {
    file,
    variant,
    layout,
    ...(isForged && { tamper: { kind, ...forgery } }),
    ...truth,
    compliance: Object.fromEntries(compliance),
  };
}

function wholeNumber(name, text, min, max) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new SetupError(`--${name} is a whole number from ${min} to ${max}, got ${text}`);
}
