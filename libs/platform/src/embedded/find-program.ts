import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian puts servers into sbin, which a user's PATH may lack. */
const ALSO_SEARCHED = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The path of a program that is installed, or undefined. */
export function findProgram(name: string, searchPath = process.env.PATH ?? ''): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return [...searchPath.split(delimiter).filter(Boolean), ...ALSO_SEARCHED]
    .map(folder => join(folder, file))
    .find(isExecutable);
}

/** Whether a path is that of a program that this process may start. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
