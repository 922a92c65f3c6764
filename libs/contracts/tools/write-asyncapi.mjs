import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { API_VERSION, asyncApiDocument } from '../dist/index.js';

/** Where the document lies. */
const documentFile = fileURLToPath(new URL('../../../docs/asyncapi.json', import.meta.url));
/** Where it is kept as it was released, for later versions to be compared with. */
const releasedFile = fileURLToPath(new URL(`../released/asyncapi-${API_VERSION}.json`, import.meta.url));

const document = asyncApiDocument();
const text = `${JSON.stringify(document, null, 1)}\n`;
const before = await readFile(documentFile, 'utf8').catch(() => '');
await writeFile(documentFile, text);
process.stdout.write(text === before ? 'asyncapi.json is up to date\n' : 'asyncapi.json is new\n');
if (process.argv.includes('--release')) {
  await writeFile(releasedFile, `${JSON.stringify(document)}\n`);
  process.stdout.write(`released/asyncapi-${API_VERSION}.json is written\n`);
}
