import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of the console, as it is sent. */
export interface ConsoleFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

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
export async function readConsoleFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  for (const part of ['', 'assets/']) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const mediaType = MEDIA_TYPES[entry.name.split('.').at(-1)!];
      if (!entry.isFile() || mediaType === undefined) continue;
      files.set(`${part}${entry.name}`, { mediaType, bytes: await readFile(join(folder, part, entry.name)) });
    }
  }
  return files;
}
