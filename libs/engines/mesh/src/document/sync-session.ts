import {
  MESSAGE_BYTES_MAX,
  PART_BYTES_MIN,
  readSyncMessage,
  type SyncMessage,
  writeStep1,
  writeStep2,
  writeUpdate,
} from './sync-message.js';
import { malformed } from './update-reader.js';
import { requireAtMost, UpdateRefused } from './update-refused.js';

/** What became of an update. */
export interface Applied {
  readonly changed: boolean;
  /** What is to be kept and handed on: what was new in the update and nothing else. None where nothing was. */
  readonly stored?: Uint8Array;
  /** Client ids that are the origin's from now on, to be kept beside the document. */
  readonly newWriters: readonly number[];
}

/** A replica as a session needs it. */
export interface SyncReplica {
  readStateVector(): Uint8Array;
  /**
   * What a replica with this state vector is to be given.
   * @throws Error where the state vector is not one
   */
  encode(stateVector: Uint8Array): Uint8Array;
  /** @throws UpdateRefused with the replica as it was */
  apply(update: Uint8Array): Applied;
  /** The other end has said all that it had, and it is here. */
  synced?(): void;
}

export interface SyncSessionOptions {
  readonly messageBytesMax?: number;
  /** Of an update that comes in parts. */
  readonly assembledBytesMax?: number;
  /** Messages refused after which the session wants to be closed. */
  readonly refusalsMax?: number;
}

/** A message that was taken, and what its update did, where it had one whole. */
export interface Received {
  readonly kind: SyncMessage['kind'];
  readonly applied?: Applied;
}

/**
 * One end of a connection between two replicas, over an ordered, reliable channel of whole messages: y-protocols' sync, with
 * parts ({@link readSyncMessage}). Both ends begin by saying what they have; each answers with what the other lacks, and
 * then sends what is new as it comes.
 *
 * @example
 * const session = new SyncSession(replica, bytes => channel.send(bytes));
 * session.begin();
 * channel.onmessage = ({ data }) => {
 *   try {
 *     keep(session.receive(new Uint8Array(data)).applied?.stored);
 *   } catch (error) {
 *     if (!(error instanceof UpdateRefused)) throw error;
 *     if (session.wantsToBeClosed) channel.close();
 *   }
 * };
 */
export class SyncSession {
  readonly #messageBytesMax: number;
  readonly #assembledBytesMax: number;
  readonly #refusalsMax: number;
  #refusals = 0;
  #isSynced = false;
  #assembled?: { readonly totalBytes: number; readonly parts: Uint8Array[]; bytes: number };

  constructor(
    private readonly replica: SyncReplica,
    private readonly send: (message: Uint8Array) => void,
    {
      messageBytesMax = MESSAGE_BYTES_MAX,
      assembledBytesMax = 4_194_304,
      refusalsMax = 8,
    }: SyncSessionOptions = {},
  ) {
    this.#messageBytesMax = messageBytesMax;
    this.#assembledBytesMax = assembledBytesMax;
    this.#refusalsMax = refusalsMax;
  }

  /** Whether the other end has said all that it had. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Whether so many messages were refused that the other end had better be let go. */
  get wantsToBeClosed(): boolean {
    return this.#refusals >= this.#refusalsMax;
  }

  /** Says what is here. May be said again at any time, where updates may have been lost. */
  begin(): void {
    this.send(writeStep1(this.replica.readStateVector()));
  }

  /** Sends an update that is new, or all that is new since `stateVector` where it is too long for a message. */
  sendUpdate(update: Uint8Array): void {
    const message = writeUpdate(update);
    if (message.length <= this.#messageBytesMax) this.send(message);
    else this.#sendStep2(update);
  }

  /**
   * Takes a message: answers step 1, merges updates. After one that is `renewed` this session is of no use: a session of an
   * empty replica takes its place on the channel.
   * @throws UpdateRefused with the replica as it was; what is INCOMPLETE was asked for
   */
  receive(message: Uint8Array): Received {
    try {
      return this.#take(message);
    } catch (error) {
      if (error instanceof UpdateRefused) this.#refused(error);
      throw error;
    }
  }

  #refused(error: UpdateRefused): void {
    this.#refusals += 1;
    this.#assembled = undefined;
    if (error.code === 'INCOMPLETE' && !this.wantsToBeClosed) this.begin();
  }

  #take(message: Uint8Array): Received {
    requireAtMost('TOO_LARGE', 'bytes of a message', message.length, this.#messageBytesMax);
    const read = readSyncMessage(message);
    switch (read.kind) {
      case 'step1':
        this.#answer(read.stateVector);
        return { kind: read.kind };
      case 'step2':
        return { kind: read.kind, applied: this.#applyStep2(read.update) };
      case 'update':
        return { kind: read.kind, applied: this.replica.apply(read.update) };
      case 'renewed':
        return { kind: read.kind };
      case 'part': {
        const update = this.#assemble(read);
        return { kind: read.kind, ...(update && { applied: this.#applyStep2(update) }) };
      }
    }
  }

  #applyStep2(update: Uint8Array): Applied {
    const applied = this.replica.apply(update);
    this.#isSynced = true;
    this.replica.synced?.();
    return applied;
  }

  #answer(stateVector: Uint8Array): void {
    let update: Uint8Array;
    try {
      update = this.replica.encode(stateVector);
    } catch {
      malformed('a state vector that is not one');
    }
    this.#sendStep2(update);
  }

  #sendStep2(update: Uint8Array): void {
    for (const message of writeStep2(update, this.#messageBytesMax)) this.send(message);
  }

  /** One update at a time, its parts in order. @returns it whole with its last part */
  #assemble({ totalBytes, offset, bytes }: Extract<SyncMessage, { kind: 'part' }>): Uint8Array | undefined {
    requireAtMost('TOO_LARGE', 'bytes of an update in parts', totalBytes, this.#assembledBytesMax);
    const assembled =
      this.#assembled ?? (offset === 0 ? { totalBytes, parts: [], bytes: 0 } : malformed('a part alone'));
    if (totalBytes !== assembled.totalBytes || offset !== assembled.bytes)
      malformed('a part out of its order');
    const left = totalBytes - offset - bytes.length;
    if (left < 0 || (left > 0 && bytes.length < PART_BYTES_MIN)) malformed(`a part of ${bytes.length} bytes`);
    // A copy: the message is the channel's.
    assembled.parts.push(bytes.slice());
    assembled.bytes += bytes.length;
    this.#assembled = left > 0 ? assembled : undefined;
    return left > 0 ? undefined : joined(assembled.parts, totalBytes);
  }
}

function joined(parts: readonly Uint8Array[], totalBytes: number): Uint8Array {
  const whole = new Uint8Array(totalBytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
