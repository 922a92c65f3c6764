import { StoredAnswer } from '@svc/edge';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where files lie, and how long what they are stays true. */
const PARTS = [
  { part: '', cacheControl: 'no-cache' },
  // Names of assets have a digest of their content in them: what a name stands for never changes.
  { part: 'assets/', cacheControl: 'public, max-age=31536000, immutable' },
];

/** Media types of what a build makes; other files of the folder are not served. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
};

/**
 * The built console in memory, each file under its path in the folder (`mesh.html`, `assets/mesh-3f2a.js`): a path that a
 * request names is looked up and never opened, so that none leads out of the folder.
 *
 * @returns no file where the console was not built
 */
export async function readConsoleFiles(folder: string): Promise<ReadonlyMap<string, StoredAnswer>> {
  const files = new Map<string, StoredAnswer>();
  for (const { part, cacheControl } of PARTS) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const mediaType = MEDIA_TYPES[entry.name.split('.').at(-1)!];
      if (!entry.isFile() || mediaType === undefined) continue;
      const bytes = await readFile(join(folder, part, entry.name));
      files.set(`${part}${entry.name}`, new StoredAnswer(bytes, { mediaType, cacheControl }));
    }
  }
  return files;
}
