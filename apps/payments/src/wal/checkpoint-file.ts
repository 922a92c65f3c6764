import type { Checkpoint, SealedHeads } from '@svc/durability';
import { checkpointLine, parseCheckpointLine } from '@svc/durability';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

const NEWLINE = 10;
const CHUNK_BYTES = 65_536;

/** The file says something else than the database: one of the two was changed. */
export class CheckpointFileError extends Error {
  readonly code = 'CHECKPOINT_FILE';
  constructor(message: string) {
    super(message);
    this.name = 'CheckpointFileError';
  }
}

/**
 * Checkpoints in a file that only grows, one a line; what is appended is on the disk when `append` resolves. A last line
 * without its end, as a process leaves it that was killed, is taken away when the file is opened.
 */
export class CheckpointFile {
  private handle: FileHandle | undefined;
  private newest: Checkpoint | undefined;

  constructor(private readonly path: string) {}

  /** The last checkpoint of the file; undefined while it has none. @throws CheckpointFileError where its last line is none */
  async last(): Promise<Checkpoint | undefined> {
    await this.opened();
    return this.newest;
  }

  /** Appends a checkpoint that links to the last one. */
  async append(sealed: SealedHeads): Promise<void> {
    const handle = await this.opened();
    try {
      await handle.appendFile(checkpointLine(sealed));
      await handle.datasync();
      this.newest = sealed.checkpoint;
    } catch (error) {
      // What of the line was written is not known: it is looked at again.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }

  private async opened(): Promise<FileHandle> {
    if (this.handle) return this.handle;
    await mkdir(dirname(this.path), { recursive: true });
    const handle = await open(this.path, 'a+', 0o644);
    try {
      this.newest = await repaired(handle, this.path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.handle = handle;
    return handle;
  }
}

/** Takes a torn last line away, and reads the last whole one. */
async function repaired(handle: FileHandle, path: string): Promise<Checkpoint | undefined> {
  const { size } = await handle.stat();
  const end = (await lastNewlineBefore(handle, size)) + 1;
  if (end < size) {
    await handle.truncate(end);
    await handle.datasync();
  }
  if (end === 0) return undefined;
  const begin = (await lastNewlineBefore(handle, end - 1)) + 1;
  const line = Buffer.alloc(end - 1 - begin);
  await handle.read(line, 0, line.length, begin);
  const entry = parseCheckpointLine(line.toString('utf8'));
  if (!entry) throw new CheckpointFileError(`the last line of ${path} is no checkpoint`);
  return entry.checkpoint;
}

/** Position of the last newline before `position`; -1 if there is none. */
async function lastNewlineBefore(handle: FileHandle, position: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = position; end > 0;) {
    const begin = Math.max(0, end - CHUNK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, end - begin, begin);
    const found = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (found >= 0) return begin + found;
    end = begin;
  }
  return -1;
}
