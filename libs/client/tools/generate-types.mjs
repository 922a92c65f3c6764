import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import * as prettier from 'prettier';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS_MAX = 60_000;
const POLL_MS = 100;

/** Where the types live. */
export const generatedFile = fileURLToPath(new URL('../src/openapi.generated.ts', import.meta.url));

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Arguments of Node for a gateway from its source, and for what is built of it. */
const PROGRAMS = {
  source: ['--conditions=@svc/source', '--import', '@swc-node/register/esm-register', 'src/main.ts'],
  dist: ['dist/main.js'],
};

/**
 * The document of a gateway that runs alone: it publishes it with its bus away too.
 *
 * @param {keyof typeof PROGRAMS} program
 * @returns {Promise<object>}
 */
async function publishedDocument(program) {
  const port = await freePort();
  const gateway = spawn(process.execPath, PROGRAMS[program], {
    cwd: `${root}apps/gateway`,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TS_NODE_PROJECT: `${root}tsconfig.base.json`,
      PORT: String(port),
      HOST: '127.0.0.1',
      NATS_URL: `nats://127.0.0.1:${await freePort()}`,
      LOG_LEVEL: 'fatal',
    },
  });
  let complaint = '';
  gateway.stderr.setEncoding('utf8').on('data', text => (complaint += text));
  const ended = new Promise(resolve => gateway.once('close', resolve));
  try {
    const deadline = Date.now() + START_MS_MAX;
    while (gateway.exitCode === null && Date.now() < deadline) {
      const response = await fetch(`http://127.0.0.1:${port}/openapi.json`).catch(() => undefined);
      if (response?.ok) return await response.json();
      await delay(POLL_MS);
    }
    throw new Error(`the gateway did not publish its document: ${complaint || `not in ${START_MS_MAX} ms`}`);
  } finally {
    gateway.kill('SIGKILL');
    await ended;
  }
}

/**
 * @param {keyof typeof PROGRAMS} [program] the gateway that is asked
 * @returns {Promise<string>} the file as it should be
 */
export async function generateTypes(program = 'source') {
  const document = await publishedDocument(program);
  const nodes = await openapiTS(/** @type {import('openapi-typescript').OpenAPI3} */ (document), {
    alphabetize: true,
    defaultNonNullable: false,
  });
  const header =
    "// Made from the gateway's /openapi.json by tools/generate-types.mjs; not edited by hand.\n";
  const options = await prettier.resolveConfig(generatedFile);
  return prettier.format(header + astToString(nodes), { ...options, filepath: generatedFile });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const types = await generateTypes();
  const before = await readFile(generatedFile, 'utf8').catch(() => '');
  await writeFile(generatedFile, types);
  process.stdout.write(
    types === before ? 'openapi.generated.ts is up to date\n' : 'openapi.generated.ts is new\n',
  );
}
