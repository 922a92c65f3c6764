import { CONTROL_WORDS } from '../wasm/run-layout.js';

/** Words of the block that the threads of a run share with the main thread; the same as in worker/spiking-worker.mjs. */
export const CONTROL = {
  ended: 0,
  generation: 1,
  arrived: 2,
  cursor: 3,
  stepsDone: 4,
  rasterOpen: 5,
} as const;

/** What a run and its threads tell each other while it is under way. */
export class RunControl {
  readonly words = new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS));

  /** @param keepsRaster whether spikes are recorded at all */
  constructor(keepsRaster: boolean) {
    this.words[CONTROL.rasterOpen] = keepsRaster ? 1 : 0;
  }

  /** Steps behind, warm-up included. */
  get stepsDone(): number {
    return Atomics.load(this.words, CONTROL.stepsDone);
  }

  /** All threads leave the run at the end of their block; those that wait are woken. */
  end(): void {
    Atomics.store(this.words, CONTROL.ended, 1);
    Atomics.add(this.words, CONTROL.generation, 1);
    Atomics.notify(this.words, CONTROL.generation);
  }
}
