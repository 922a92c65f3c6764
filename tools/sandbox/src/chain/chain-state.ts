import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { JsonRpc } from './json-rpc.js';

const INTERVAL_MS = 1_000;
/** A dump takes the longer the longer the chain is; it shall not take more than this share of the time. */
const TIME_SHARE = 20;

/**
 * Keeps a file of the chain's state true: a second after a transaction, and at the end. What was settled in the last second
 * before a kill -9 is lost with it: play money, on a chain of one's own.
 */
export class ChainState {
  /** Number of the newest block that is in the file, or changes nothing that is. */
  private saved: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly rpc: JsonRpc,
    private readonly path: string,
    private readonly intervalMs: number = INTERVAL_MS,
  ) {}

  /** Begins to watch. */
  start(): void {
    this.wait(this.intervalMs);
  }

  /** Ends the watch, after a last look. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.saving;
    await this.saveIfChanged();
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => {
      const sinceMs = performance.now();
      const again = () => {
        if (this.timer) this.wait(Math.max(this.intervalMs, (performance.now() - sinceMs) * TIME_SHARE));
      };
      // An anvil that is gone cannot be asked; whoever pays finds that out, too.
      this.saving = this.saveIfChanged().then(again, again);
    }, ms);
    this.timer.unref();
  }

  private async saveIfChanged(): Promise<void> {
    const newest = Number(await this.rpc.call<string>('eth_blockNumber'));
    if (this.saved !== undefined && !(await this.holdsTransaction(this.saved + 1, newest))) {
      this.saved = newest;
      return;
    }
    const dump = await this.rpc.call<string>('anvil_dumpState');
    const state = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'));
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const partial = `${this.path}.partial`;
    await writeFile(partial, state, { mode: 0o600 });
    await rename(partial, this.path);
    this.saved = newest;
  }

  /** Blocks are also made for their time alone. */
  private async holdsTransaction(from: number, to: number): Promise<boolean> {
    for (let block = from; block <= to; block++) {
      const method = 'eth_getBlockTransactionCountByNumber';
      if (Number(await this.rpc.call<string>(method, `0x${block.toString(16)}`)) > 0) return true;
    }
    return false;
  }
}
