import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { keysOfManyAccounts } from '../../bench/payments/credentials.mjs';
import { pythonOf } from '../bench/python-environment.mjs';
import { ServedProcess } from '../bench/served-process.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
/** Of each phase and caller. Whole, the four phases take some 40 minutes. */
const SECONDS = process.env.SCHEMATHESIS_SECONDS ?? '60';
const HOOKS = join(import.meta.dirname, 'media_types.py');
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  'response_schema_conformance',
];
/** More than all phases spend: who cannot pay is told so, and nothing of what they ask for is seen. */
const CREDIT_MICRO_USD = 1_000_000_000;
const python = pythonOf('schemathesis', import.meta.dirname);

/** What is made up from the document by a program that knows nothing else: what comes of it is what the document says. */
describe('the document', { skip: python ? false : 'python3 could not install schemathesis' }, () => {
  let folder;
  let product;
  let key;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-document-'));
    const adminKey = randomBytes(32).toString('base64url');
    const env = { DATA_DIR: folder, ADMIN_KEY: adminKey, LOG_LEVEL: 'error', RATE_LIMIT_FACTOR: '0' };
    product = await ServedProcess.start(PRODUCT, { env, ready: '/readyz' });
    [key] = await keysOfManyAccounts(product.address, adminKey, 1, CREDIT_MICRO_USD);
  });
  after(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const caller of ['nobody', 'the holder of a key'])
    for (const phase of ['examples', 'coverage', 'fuzzing', 'stateful'])
      it(`holds for ${caller}, in the phase ${phase}`, () => {
        const run = ['run', `${product.address}/openapi.json`, '--phases', phase, '--max-time', SECONDS];
        const told = ['--checks', CHECKS.join(), '--continue-on-failure', '--no-color', '--warnings', 'off'];
        const header = caller === 'nobody' ? [] : ['--header', `X-SVC-KEY: ${key}`];
        const { status, signal, stdout, stderr } = spawnSync(
          python,
          ['-m', 'schemathesis.cli', ...run, ...told, '--seed', '7', '--request-timeout', '120', ...header],
          {
            cwd: folder,
            encoding: 'utf8',
            maxBuffer: 2 ** 26,
            env: { ...process.env, SCHEMATHESIS_HOOKS: HOOKS },
          },
        );
        assert.match(stdout, /Selected: (\d{3})\/\1/, stdout);
        assert.doesNotMatch(stdout, /^- ST\d+/m, stdout);
        // It may have ended before it asked all that it selected.
        assert.equal(status, 0, `ended with ${status ?? signal}:\n${stdout}\n${stderr}`);
      });
});
