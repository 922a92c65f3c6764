import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { keysOfManyAccounts } from '../../bench/payments/credentials.mjs';
import { pythonOf } from '../bench/python-environment.mjs';
import { ServedProcess } from '../bench/served-process.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const MODULES = new URL('../../node_modules/', import.meta.url).pathname;
const FOLDER = join(import.meta.dirname, 'generated');
const python = pythonOf('clients-generated', FOLDER);
const run = promisify(execFile);

/** What a stranger writes against the types: a wrong name or a missing member would not compile. */
const CALLS = `
import type { operations, paths } from './made.js';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Problem<T> = T extends { content: { 'application/problem+json': infer Body } } ? Body : never;
type Health = Json<paths['/health']['get']['responses'][200]>;
type Prove = operations['zk.prove'];
type Asked = NonNullable<Prove['requestBody']>['content']['application/json'];

const [gateway = '', key = ''] = process.argv.slice(2);
const json = { 'content-type': 'application/json' };
const asked: Asked = { traceData: '0x2a', degree: 1024 };
const health = (await (await fetch(gateway + '/health')).json()) as Health;
const prove = (headers: Record<string, string>) =>
  fetch(gateway + '/v1/zk/prove', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(asked) });
const unpaid = (await (await prove({})).json()) as Problem<Prove['responses'][402]>;
const paid = (await (await prove({ 'x-svc-key': key })).json()) as Json<Prove['responses'][200]>;
const online: number = health.domainsOnline;
const proofId: string | undefined = paid.proofId;
console.log(JSON.stringify({ free: [health.status, online > 0], unpaid: unpaid.code, paid: [paid.status, proofId] }));
`;

/** Operations of the document, each of which a client must have. */
const operationsOf = ({ paths }) =>
  Object.values(paths).flatMap(path =>
    Object.entries(path).filter(([method]) => ['get', 'put', 'post', 'patch', 'delete'].includes(method)),
  );

/** Clients that published generators make of the OpenAPI document as it is served. */
describe('generated clients', () => {
  let folder, product, key, file, document;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-generated-'));
    const adminKey = randomBytes(32).toString('base64url');
    const env = { DATA_DIR: join(folder, 'data'), ADMIN_KEY: adminKey, LOG_LEVEL: 'error' };
    mkdirSync(env.DATA_DIR);
    product = await ServedProcess.start(PRODUCT, { env, ready: '/readyz' });
    [key] = await keysOfManyAccounts(product.address, adminKey, 1, 1_000_000);
    const text = await (await fetch(`${product.address}/openapi.json`)).text();
    file = join(folder, 'openapi.json');
    writeFileSync(file, text);
    document = JSON.parse(text);
  });
  after(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('openapi-typescript: its types compile strictly, and hold for a free and a paid call', async () => {
    const home = join(folder, 'typescript');
    mkdirSync(home);
    symlinkSync(MODULES, join(home, 'node_modules'));
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    writeFileSync(join(home, 'calls.ts'), CALLS);
    const made = join(home, 'made.ts');
    // What has a default may be left out of a request.
    const options = ['-o', made, '--default-non-nullable=false'];
    await run(process.execPath, [join(MODULES, 'openapi-typescript/bin/cli.js'), file, ...options]);
    const target = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--outDir', home];
    const compile = [
      join(MODULES, 'typescript/bin/tsc'),
      '--strict',
      ...target,
      made,
      join(home, 'calls.ts'),
    ];
    await run(process.execPath, compile, { cwd: home }).catch(({ stdout }) => assert.fail(stdout));
    const { stdout } = await run(process.execPath, [join(home, 'calls.js'), product.address, key]);
    const { free, unpaid, paid } = JSON.parse(stdout);
    assert.deepEqual([free, unpaid, paid[0]], [['OPERATIONAL', true], 'PAYMENT_REQUIRED', 'VERIFIED_VALID']);
    assert.match(paid[1], /^prf_/);
  });

  it(
    'openapi-python-client: has every operation, without a warning, and makes a free and a paid call',
    { skip: python ? false : 'python3 could not install the generator' },
    async () => {
      const made = join(folder, 'made');
      const config = join(FOLDER, 'openapi-python-client.yml');
      const asked = ['--path', file, '--config', config, '--meta', 'none', '--output-path', made];
      const said = await run(python, [
        '-m',
        'openapi_python_client',
        'generate',
        ...asked,
        '--fail-on-warning',
      ]);
      assert.doesNotMatch(said.stdout + said.stderr, /warning|error/i);
      const modules = readdirSync(join(made, 'api'), { recursive: true });
      const operations = modules.filter(name => name.endsWith('.py') && !name.endsWith('__init__.py'));
      assert.equal(operations.length, operationsOf(document).length);
      const { stdout } = await run(python, [join(FOLDER, 'calls.py'), folder, product.address, key]);
      const { free, unpaid, paid } = JSON.parse(stdout);
      assert.deepEqual(
        [free, unpaid],
        [
          [200, 'OPERATIONAL'],
          [402, 'PAYMENT_REQUIRED'],
        ],
      );
      assert.deepEqual(paid.slice(0, 2), [200, 'VERIFIED_VALID']);
      assert.match(paid[2], /^prf_/);
    },
  );
});
