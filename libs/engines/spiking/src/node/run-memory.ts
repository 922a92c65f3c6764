import { collectGarbage } from '@svc/kernels/node';
import { PAGE_BYTES, type RunLayout } from '../wasm/run-layout.js';

/** How long the memory of a run waits for another run of the same size, ms. */
const KEPT_MS = 5_000;
/** So much may wait for a collection of garbage, which the main thread pauses for. */
const COLLECTED_BYTES_MIN = 2 ** 26;

/**
 * The memory of one run at a time. A memory that is let go is given back by a collection of garbage, and the main thread stands
 * still for that: so it is kept for a while, and the runs that follow one another in a busy service use the same one.
 */
export class RunMemory {
  private kept?: { readonly memory: WebAssembly.Memory; readonly timer: NodeJS.Timeout };
  /** Bytes of memories that have been let go and not collected. */
  private uncollectedBytes = 0;

  /**
   * A memory for a run, in which all that no kernel writes before it reads it is 0.
   * @throws RangeError when it is not to be had
   */
  take({ pages, regions }: Pick<RunLayout, 'pages' | 'regions'>): WebAssembly.Memory {
    const memory = this.kept?.memory;
    if (memory?.buffer.byteLength !== pages * PAGE_BYTES) {
      this.letGoOfKept();
      return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    }
    clearTimeout(this.kept?.timer);
    this.kept = undefined;
    // What a run counts and adds up. Histories, weights and targets are written as they are built,
    // and a trace counts from the first spike on.
    const { parameters, recent } = regions;
    new Uint8Array(memory.buffer, parameters.at, recent.at - parameters.at).fill(0);
    return memory;
  }

  /** The run has come to its end, and no thread writes to its memory any more. */
  keep(memory: WebAssembly.Memory): void {
    const timer = setTimeout(() => this.letGoOfKept(), KEPT_MS).unref();
    this.kept = { memory, timer };
  }

  /** Nobody needs the bytes any more. They are given back soon, if they are enough to be worth a pause. */
  letGo(bytes: number): void {
    this.uncollectedBytes += bytes;
    if (this.uncollectedBytes < COLLECTED_BYTES_MIN) return;
    this.uncollectedBytes = 0;
    // The frames that held the memory are gone only after this one.
    setImmediate(collectGarbage);
  }

  letGoOfKept(): void {
    if (!this.kept) return;
    clearTimeout(this.kept.timer);
    const bytes = this.kept.memory.buffer.byteLength;
    this.kept = undefined;
    this.letGo(bytes);
  }
}
