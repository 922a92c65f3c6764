import { ThreadTasks, type TurnOf } from '@svc/kernels/node';
import { RecordingError } from '@svc/recording';
import { ModemError, type PacketOptions } from '../index.js';
import type { HeardRecording, MadePacket, ReadRecording } from './packet-results.js';
import type { PacketReply, PacketTask } from './packet-thread.js';

/** The built thread, from the sources as from the built package. */
const THREAD = new URL('../../dist/node/packet-thread.js', import.meta.url);
const WAITING_MAX = 32;
/** A minute of sound takes a second or two; a thread that takes this long is ended. */
const HEAR_MS_MAX = 20_000;
/** The longest packet lasts three quarters of an hour, and takes a second or two. */
const MAKE_MS_MAX = 25_000;

/**
 * Makes and hears packets in threads of their own, a minute of sound keeping nobody waiting. What is heard and what is made wait
 * apart from one another: a long packet holds up no pairing.
 *
 * @example
 * const threads = new PacketThreads({ listeners: 2 });
 * const { sha256, wav } = await threads.make(payload, { baud: 300 }, { withWav: true });
 * const { packets, reason } = await threads.hear(wav, { baud: 300 });
 */
export class PacketThreads {
  private readonly makers: ThreadTasks<PacketTask, PacketReply>;
  private readonly listeners: ThreadTasks<PacketTask, PacketReply>;

  /**
   * @param options.listeners threads that hear, no more than there are cores; one makes
   * @param options.turnOf tells for whom a packet is made or heard, who take turns
   */
  constructor({ listeners = 2, turnOf }: { readonly listeners?: number; readonly turnOf?: TurnOf } = {}) {
    const common = { thread: THREAD, waitingMax: WAITING_MAX, turnOf };
    this.makers = new ThreadTasks({ ...common, tasks: 'packets', threadsMax: 1, taskMsMax: MAKE_MS_MAX });
    this.listeners = new ThreadTasks({
      ...{ ...common, tasks: 'recordings', threadsMax: listeners, taskMsMax: HEAR_MS_MAX },
    });
  }

  /**
   * The sound of a packet as a file, or its digest alone.
   * @throws ModemError where it cannot be sent; ThreadTasksError where it was not made
   */
  async make(
    payload: Uint8Array,
    options: PacketOptions,
    { withWav }: { readonly withWav: boolean },
  ): Promise<MadePacket> {
    const reply = await this.makers.run({ kind: 'make', payload, options, withWav });
    return partOf(reply, 'made');
  }

  /** Refuses what would be refused for want of room; a place is kept for what is about to be paid for. @throws ThreadTasksError */
  requireRoom(to: 'make' | 'hear'): void {
    (to === 'make' ? this.makers : this.listeners).requireRoom();
  }

  /**
   * Whether a file can be listened to.
   * @throws RecordingError; ModemError SAMPLE_RATE_TOO_LOW; ThreadTasksError where it was not looked at
   */
  async read(wav: Uint8Array, options: PacketOptions): Promise<ReadRecording> {
    return partOf(await this.listeners.run({ kind: 'read', wav, options }), 'read');
  }

  /** Every packet of a file. @throws as {@link read} */
  async hear(wav: Uint8Array, options: PacketOptions): Promise<HeardRecording> {
    return partOf(await this.listeners.run({ kind: 'hear', wav, options }), 'heard');
  }

  /** Ends the threads; what waits or is under way is refused. */
  async close(): Promise<void> {
    await Promise.all([this.makers.close(), this.listeners.close()]);
  }
}

type Parts = { made: MadePacket; read: ReadRecording; heard: HeardRecording };

function partOf<Name extends keyof Parts>(reply: PacketReply, name: Name): Parts[Name] {
  if ('recordingFault' in reply) {
    const { code, message, bound } = reply.recordingFault;
    throw new RecordingError(code, message, bound);
  }
  if ('modemFault' in reply) {
    const { code, message, limits } = reply.modemFault;
    throw new ModemError(code, message, limits);
  }
  return (reply as unknown as Parts)[name];
}
