import { ThreadTasks, ThreadTasksError, type ThreadTasksOptions } from '@svc/kernels/node';
import type { Decision, EnrolledSurface, SurfaceComparison } from '../compare-surface.js';
import type { ExtractionOptions } from '../extract-fingerprint.js';
import type { Fingerprint } from '../fingerprint.js';
import type { RegionOfInterest } from '../grey-image.js';
import { ImageError } from '../image-error.js';
import type { SurfaceReply, SurfaceTask } from './surface-thread.js';

/** A picture that was not looked at, for no fault of its own: try again later. */
export class SurfaceThreadsError extends Error {
  override readonly name = 'SurfaceThreadsError';

  constructor(
    readonly code: ThreadTasksError['code'],
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Decodes pictures and reads surfaces out of them, in threads of their own: sixteen megapixels, and the search for an enrolled
 * surface, would keep everybody else waiting.
 *
 * @example
 * const surfaces = new SurfaceThreads();
 * const { bits } = await surfaces.extract(png, { modality: 'laser_speckle' });
 */
export class SurfaceThreads {
  private readonly threads: ThreadTasks<SurfaceTask, SurfaceReply>;

  /** A thread may hold a picture of 16 megapixels in 16 bits, which takes up to 180 MB and a second or two. */
  constructor({
    threadsMax = 2,
    waitingMax = 32,
    taskMsMax = 15_000,
    turnOf,
  }: Partial<Omit<ThreadTasksOptions, 'thread' | 'tasks'>> = {}) {
    /** The built thread, from the sources as from the built package. */
    const thread = new URL('../../dist/node/surface-thread.js', import.meta.url);
    this.threads = new ThreadTasks({ thread, tasks: 'pictures', threadsMax, waitingMax, taskMsMax, turnOf });
  }

  /**
   * @throws ImageError for what is wrong with the file or the region
   * @throws SurfaceThreadsError where it was not looked at
   */
  async extract(
    file: Uint8Array,
    { modality, roi }: Pick<ExtractionOptions, 'modality' | 'roi'>,
  ): Promise<Fingerprint> {
    const reply = await this.reply({ file, roi, wanted: { modality } });
    if ('fingerprint' in reply) return reply.fingerprint;
    throw new Error('a thread has compared what it was to read');
  }

  /** @throws as {@link extract} */
  async compare(
    file: Uint8Array,
    { roi }: { roi?: RegionOfInterest },
    { modality, bits, mask, patch }: EnrolledSurface,
  ): Promise<SurfaceComparison> {
    const enrolled = { modality, bits, mask, patch };
    const reply = await this.reply({ file, roi, wanted: { enrolled, isBare: false } });
    if ('comparison' in reply) return reply.comparison;
    throw new Error('a thread has read what it was to compare');
  }

  /**
   * The verdict alone, for whoever may learn nothing else of the enrolled surface: no figure leaves the thread.
   * @throws as {@link extract}
   */
  async verdict(
    file: Uint8Array,
    { roi }: { roi?: RegionOfInterest },
    { modality, bits, mask, patch }: EnrolledSurface,
  ): Promise<Decision['verdict']> {
    const enrolled = { modality, bits, mask, patch };
    const reply = await this.reply({ file, roi, wanted: { enrolled, isBare: true } });
    if ('verdict' in reply) return reply.verdict;
    throw new Error('a thread has said more than the verdict');
  }

  /** Refuses what would be refused for want of room; a place is kept for what is about to be paid for. @throws SurfaceThreadsError */
  requireRoom(): void {
    try {
      this.threads.requireRoom();
    } catch (error) {
      notLookedAt(error);
    }
  }

  /** Ends the threads; what waits or is being looked at is refused as CLOSED. */
  close(): Promise<void> {
    return this.threads.close();
  }

  private async reply(task: SurfaceTask): Promise<Exclude<SurfaceReply, { fault: unknown }>> {
    const reply = await this.threads.run(task).catch(notLookedAt);
    if (!('fault' in reply)) return reply;
    const { code, field, message, bound, got } = reply.fault;
    throw new ImageError(code, field, message, bound, got);
  }
}

function notLookedAt(error: unknown): never {
  if (!(error instanceof ThreadTasksError)) throw error;
  throw new SurfaceThreadsError(error.code, error.message, { cause: error });
}
