import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const REWRITE_BYTES = 16 * 1024 * 1024;

/** One change of the state: an object with its new content, or its key alone when it is gone. */
export interface Change {
  kind: string;
  id: string;
  object?: unknown;
}

/**
 * The state on disk: one line for all changes of one request, written before the answer goes out, so
 * that a killed emulator forgets nothing that it said. A torn last line is a request that had no answer.
 */
export class Journal {
  private file: number | undefined;
  private writtenBytes = 0;

  constructor(private readonly path: string | undefined) {}

  /** The changes so far, oldest first; `rewrite` is due before anything is appended. */
  read(): Change[] {
    if (!this.path || !existsSync(this.path)) return [];
    const changes: Change[] = [];
    for (const line of readFileSync(this.path, 'utf8').split('\n')) {
      if (line === '') continue;
      try {
        changes.push(...(JSON.parse(line) as Change[]));
      } catch {
        // The last line of a process that was killed while it wrote.
      }
    }
    return changes;
  }

  append(changes: Change[]): void {
    if (!this.path || changes.length === 0) return;
    this.file ??= this.open();
    const line = `${JSON.stringify(changes)}\n`;
    writeSync(this.file, line);
    this.writtenBytes += Buffer.byteLength(line);
  }

  /** Whether enough was appended that `rewrite` is due. */
  get isLong(): boolean {
    return this.writtenBytes > REWRITE_BYTES;
  }

  /** Replaces the file by one that says the same in one line each. */
  rewrite(changes: Change[]): void {
    if (!this.path) return;
    this.close();
    const next = `${this.path}.next`;
    mkdirSync(dirname(this.path), { recursive: true });
    const file = openSync(next, 'w', 0o600);
    for (const change of changes) writeSync(file, `${JSON.stringify([change])}\n`);
    closeSync(file);
    renameSync(next, this.path);
    this.writtenBytes = 0;
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private open(): number {
    mkdirSync(dirname(this.path!), { recursive: true });
    return openSync(this.path!, 'a', 0o600);
  }
}
