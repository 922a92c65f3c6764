import type { CheckpointLine } from './checkpoint-file.js';
import {
  type Checkpoint,
  CHECKPOINT_GENESIS,
  checkpointHash,
  checkpointMalformation,
  checkSignature,
  leavesFault,
  type SealedHeads,
  type SignatureCheck,
  type VerifyEd25519,
  type WalHead,
  type WalKey,
  walRoot,
} from './checkpoint.js';
import type { WalFinding, WalSource } from './wal-source.js';

/** What signatures are held against. */
export interface CheckpointKeys {
  readonly keys: readonly WalKey[];
  readonly verify: VerifyEd25519;
}

/** Lines of a checkpoint file that are looked up in the database at once. */
const LINES_AT_ONCE = 64;

/** What of a checkpoint does not hold by itself, its signature apart; undefined where it holds. */
export function checkpointFault({ checkpoint, leaves }: Partial<SealedHeads> & { checkpoint: Checkpoint }) {
  const malformed = checkpointMalformation(checkpoint);
  if (malformed) return malformed;
  if (checkpointHash(checkpoint) !== checkpoint.hash) return 'checkpoint-hash-differs';
  if (!leaves) return undefined;
  const fault = leavesFault(leaves);
  if (fault) return fault;
  if (leaves.length !== checkpoint.leafCount || walRoot(leaves) !== checkpoint.root) return 'root-differs';
  return undefined;
}

/** Checks the list of checkpoints one by one, in constant memory: numbers, links, times, roots and signatures. */
export class CheckpointVerifier {
  private last?: Checkpoint;
  /** The first of those by a revoked key that no key in force has linked to yet. */
  private revoked?: number;
  private counted = 0;

  /** @param keys undefined: signatures are not looked at */
  constructor(private readonly keys: CheckpointKeys | undefined) {}

  /** Checkpoints so far. */
  get count(): number {
    return this.counted;
  }

  /** Takes the next checkpoint with its leaves. */
  async next(sealed: SealedHeads): Promise<WalFinding[]> {
    const { checkpoint } = sealed;
    const findings: WalFinding[] = [];
    const expected = (this.last?.number ?? 0) + 1;
    if (checkpoint.number > expected) findings.push({ reason: 'checkpoint-missing', checkpoint: expected });
    const signature = await this.signatureOf(checkpoint);
    const reason =
      checkpointFault(sealed) ??
      this.linkFault(checkpoint) ??
      (signature === 'bad' ? 'signature-bad' : undefined);
    if (reason) findings.push({ reason, checkpoint: checkpoint.number });
    if (signature === 'revoked') this.revoked ??= checkpoint.number;
    if (signature === 'good' && findings.length === 0) this.revoked = undefined;
    this.last = checkpoint;
    this.counted += 1;
    return findings;
  }

  /** To be asked after the last one. */
  end(): WalFinding[] {
    return this.revoked === undefined ? [] : [{ reason: 'key-revoked', checkpoint: this.revoked }];
  }

  private async signatureOf(checkpoint: Checkpoint): Promise<SignatureCheck | undefined> {
    return this.keys && (await checkSignature(checkpoint, this.keys.keys, this.keys.verify));
  }

  private linkFault({ number, prevHash, at }: Checkpoint): string | undefined {
    const { last } = this;
    // After a gap there is nothing to link to.
    if (number !== (last?.number ?? 0) + 1) return undefined;
    if (prevHash !== (last ? last.hash : CHECKPOINT_GENESIS)) return 'checkpoint-prev-hash-differs';
    return last && at < last.at ? 'checkpoint-at-fell' : undefined;
  }
}

/** What a checkpoint file showed. */
export interface OutsideVerdict {
  readonly findings: readonly WalFinding[];
  /** Checkpoints of the file that the database has too. */
  readonly matched: number;
  /** By saga: the furthest head that the file proves and the database's checkpoints do not. */
  readonly expected: ReadonlyMap<string, WalHead>;
  /** The last line has no end: its writer was killed, or the file is being written. */
  readonly torn: boolean;
}

/**
 * Holds a checkpoint file against the database. A file holds what the database cannot unsay, in any order and with
 * repetitions: each checkpoint must be in the database as it is in the file.
 *
 * Memory grows with the sagas of checkpoints that the database lacks, and with nothing else.
 *
 */
export async function verifyOutsideCheckpoints(
  lines: AsyncIterable<CheckpointLine>,
  source: Pick<WalSource, 'checkpointsOf'>,
  keys: CheckpointKeys | undefined,
): Promise<OutsideVerdict> {
  const check = new OutsideCheck(source, keys);
  let batch: CheckpointLine[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < LINES_AT_ONCE) continue;
    await check.take(batch);
    batch = [];
  }
  await check.take(batch);
  return check;
}

type Entry = Extract<CheckpointLine, { checkpoint: Checkpoint }>;

class OutsideCheck implements OutsideVerdict {
  readonly findings: WalFinding[] = [];
  readonly expected = new Map<string, WalHead>();
  matched = 0;
  torn = false;

  constructor(
    private readonly source: Pick<WalSource, 'checkpointsOf'>,
    private readonly keys: CheckpointKeys | undefined,
  ) {}

  async take(lines: readonly CheckpointLine[]): Promise<void> {
    const entries: Entry[] = [];
    for (const line of lines) {
      if (!('fault' in line)) entries.push(line);
      else if (line.fault === 'torn') this.torn = true;
      else this.findings.push({ reason: `outside-${line.fault}`, line: line.line });
    }
    if (entries.length === 0) return;
    const stored = await this.source.checkpointsOf(entries.map(({ checkpoint }) => checkpoint.number));
    const byNumber = new Map(stored.map(checkpoint => [checkpoint.number, checkpoint]));
    for (const entry of entries) await this.compare(entry, byNumber.get(entry.checkpoint.number));
  }

  private async compare(entry: Entry, stored: Checkpoint | undefined): Promise<void> {
    const { checkpoint, leaves, line } = entry;
    const found = (reason: string) => this.findings.push({ reason, checkpoint: checkpoint.number, line });
    const fault = checkpointFault(leaves ? { checkpoint, leaves } : { checkpoint });
    if (fault) return void found(`outside-${fault}`);
    if (stored?.hash === checkpoint.hash) {
      // One that is in the database with the same signature was checked there.
      if (stored.signature !== checkpoint.signature && !(await this.isSigned(checkpoint)))
        return void found('outside-signature-bad');
      this.matched += 1;
      return;
    }
    if (!(await this.isSigned(checkpoint))) return void found('outside-signature-bad');
    found(stored ? 'checkpoint-differs-from-outside' : 'checkpoint-missing-from-database');
    for (const leaf of leaves ?? []) {
      const known = this.expected.get(leaf.sagaId);
      if (!known || known.count < leaf.count) this.expected.set(leaf.sagaId, leaf);
    }
  }

  private async isSigned(checkpoint: Checkpoint): Promise<boolean> {
    if (!this.keys) return true;
    return (await checkSignature(checkpoint, this.keys.keys, this.keys.verify)) === 'good';
  }
}
