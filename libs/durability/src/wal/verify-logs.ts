import type { SagaState } from '../saga/saga-store.js';
import type { CheckpointLine } from './checkpoint-file.js';
import type { WalHead } from './checkpoint.js';
import { type CheckpointKeys, CheckpointVerifier, verifyOutsideCheckpoints } from './verify-checkpoints.js';
import { type ChainFault, ChainVerifier } from './verify-wal.js';
import type { SagaRow, SealedHead, WalFinding, WalSource } from './wal-source.js';
import type { WalKind, WalRecord } from './wal-record.js';

/** Findings that a report holds; the others are counted. */
const FINDINGS_MAX = 1_000;

export interface LogVerification {
  /** Undefined: signatures are not looked at, and the report says so. */
  readonly keys?: CheckpointKeys;
  /** Lines of a checkpoint file that was kept outside the database; read before the source's moment. */
  readonly outside?: AsyncIterable<CheckpointLine>;
  /** The one saga that the source was asked for: what a checkpoint file says of others is left out. */
  readonly sagaId?: string;
}

/** What was looked at, and what of it does not hold. */
export interface LogReport {
  readonly valid: boolean;
  readonly sagas: number;
  readonly records: number;
  readonly checkpoints: number;
  /** Records that no checkpoint covers yet: a loss of these would not be seen. */
  readonly recordsUncovered: number;
  readonly signatures: 'checked' | 'unchecked';
  /** Checkpoints of the file that the database has too; undefined without a file. */
  readonly outsideCheckpoints?: number;
  readonly outsideTorn?: boolean;
  /** All of them; `findings` holds the first thousand. */
  readonly findingCount: number;
  readonly findings: readonly WalFinding[];
}

/**
 * Holds all logs of a database against their own hashes, the sagas' rows, the checkpoints, and what was kept outside.
 * Rows are streamed and merged by saga, so that memory does not grow with the log. The first fault of each saga and of
 * each checkpoint is reported.
 */
export async function verifyLogs(source: WalSource, options: LogVerification = {}): Promise<LogReport> {
  const report = new Report();
  const checkpoints = new CheckpointVerifier(options.keys);
  for await (const batch of source.checkpoints()) {
    for (const sealed of batch) report.add(...(await checkpoints.next(sealed)));
  }
  report.add(...checkpoints.end());
  const outside = options.outside && (await verifyOutsideCheckpoints(options.outside, source, options.keys));
  report.add(...(outside?.findings ?? []));
  const expected = new Map(
    [...(outside?.expected ?? [])].filter(
      ([sagaId]) => options.sagaId === undefined || sagaId === options.sagaId,
    ),
  );
  await new LogMerge(source, expected, report).run();
  return {
    valid: report.findingCount === 0,
    sagas: report.sagas,
    records: report.records,
    checkpoints: checkpoints.count,
    recordsUncovered: report.recordsUncovered,
    signatures: options.keys ? 'checked' : 'unchecked',
    ...(outside ? { outsideCheckpoints: outside.matched, outsideTorn: outside.torn } : {}),
    findingCount: report.findingCount,
    findings: report.findings,
  };
}

class Report {
  readonly findings: WalFinding[] = [];
  findingCount = 0;
  sagas = 0;
  records = 0;
  recordsUncovered = 0;

  add(...findings: readonly WalFinding[]): void {
    this.findingCount += findings.length;
    this.findings.push(...findings.slice(0, Math.max(0, FINDINGS_MAX - this.findings.length)));
  }
}

/** Rows in the order of their sagas, one at a time. */
class SortedRows<Row extends { readonly sagaId: string }> {
  private readonly batches: AsyncIterator<readonly Row[]>;
  private batch: readonly Row[] = [];
  private index = 0;

  constructor(batches: AsyncIterable<readonly Row[]>) {
    this.batches = batches[Symbol.asyncIterator]();
  }

  get current(): Row | undefined {
    return this.batch[this.index];
  }

  /** The current row where it is of this saga. */
  of(sagaId: string): Row | undefined {
    const row = this.batch[this.index];
    return row?.sagaId === sagaId ? row : undefined;
  }

  /** A promise where rows must be waited for: awaiting each row would cost more than checking it. */
  advance(): Promise<void> | undefined {
    this.index += 1;
    return this.index < this.batch.length ? undefined : this.read();
  }

  async read(): Promise<void> {
    do {
      const { value, done } = await this.batches.next();
      [this.batch, this.index] = [done ? [] : value, 0];
      if (done) return;
    } while (this.batch.length === 0);
  }
}

/** Walks records, rows of sagas and sealed heads together, saga by saga. */
class LogMerge {
  private readonly records: SortedRows<WalRecord>;
  private readonly sagas: SortedRows<SagaRow>;
  private readonly heads: SortedRows<SealedHead>;

  constructor(
    source: WalSource,
    /** Heads that a checkpoint file proves; those that were looked at are taken out. */
    private readonly expected: Map<string, WalHead>,
    private readonly report: Report,
  ) {
    this.records = new SortedRows(source.records());
    this.sagas = new SortedRows(source.sagas());
    this.heads = new SortedRows(source.sealedHeads());
  }

  async run(): Promise<void> {
    for (const rows of [this.records, this.sagas, this.heads]) await rows.read();
    for (let sagaId = this.least(); sagaId !== undefined; sagaId = this.least()) await this.verify(sagaId);
    for (const { sagaId } of this.expected.values())
      this.report.add({ reason: 'saga-missing', sagaId, seq: 0 });
  }

  private least(): string | undefined {
    let least: string | undefined;
    for (const { current } of [this.records, this.sagas, this.heads]) {
      if (current && (least === undefined || current.sagaId < least)) least = current.sagaId;
    }
    return least;
  }

  private async verify(sagaId: string): Promise<void> {
    const log = new LogCheck(this.expected.get(sagaId));
    this.expected.delete(sagaId);
    for (let record = this.records.of(sagaId); record; record = this.records.of(sagaId)) {
      log.take(record);
      for (
        let head = this.heads.of(sagaId);
        head && head.count <= record.seq + 1;
        head = this.heads.of(sagaId)
      ) {
        log.sealed(head, record);
        const waiting = this.heads.advance();
        if (waiting) await waiting;
      }
      const waiting = this.records.advance();
      if (waiting) await waiting;
    }
    for (let head = this.heads.of(sagaId); head; head = this.heads.of(sagaId)) {
      log.sealed(head, undefined);
      await this.heads.advance();
    }
    const row = this.sagas.of(sagaId);
    // Twice only where the source is broken: one row is looked at, and none is left behind.
    while (this.sagas.of(sagaId)) await this.sagas.advance();
    const finding = log.finding(row);
    if (finding) this.report.add({ ...finding, sagaId });
    this.report.sagas += 1;
    this.report.records += log.count;
    this.report.recordsUncovered += log.uncovered;
  }
}

/** One saga: its chain, and what is said of it elsewhere. */
class LogCheck {
  private readonly chain = new ChainVerifier();
  private chainFault?: ChainFault;
  private headFault?: ChainFault & { readonly checkpoint?: number };
  private last?: WalRecord;
  private covered = 0;
  count = 0;

  /** @param expected head that a checkpoint file proves */
  constructor(private readonly expected: WalHead | undefined) {}

  get uncovered(): number {
    return Math.max(0, this.count - this.covered);
  }

  take(record: WalRecord): void {
    this.count += 1;
    this.last = record;
    this.chainFault ??= this.chain.next(record);
    if (this.expected?.count === record.seq + 1) this.hold(this.expected, record, 'outside-checkpoint');
  }

  /** A head that was sealed, and the record that has its count; undefined where the log has ended before. */
  sealed(head: SealedHead, record: WalRecord | undefined): void {
    if (record && record.seq + 1 > head.count) return;
    this.covered = head.count;
    this.hold(head, record, 'checkpoint', head.checkpoint);
  }

  private hold(head: WalHead, record: WalRecord | undefined, by: string, checkpoint?: number): void {
    const of = checkpoint === undefined ? {} : { checkpoint };
    if (!record) this.headFault ??= { reason: this.missing, seq: this.count, ...of };
    else if (record.hash !== head.head)
      this.headFault ??= { reason: `differs-from-${by}`, seq: record.seq, ...of };
  }

  /** What there is to say, the chain's own fault first. */
  finding(row: SagaRow | undefined): WalFinding | undefined {
    const { expected } = this;
    if (expected && expected.count > this.count) this.hold(expected, undefined, 'outside-checkpoint');
    return this.chainFault ?? this.headFault ?? this.rowFault(row);
  }

  private get missing(): string {
    return this.count === 0 ? 'saga-missing' : 'tail-missing';
  }

  private rowFault(row: SagaRow | undefined): ChainFault | undefined {
    const { last, count } = this;
    if (!row) return { reason: 'saga-row-missing', seq: 0 };
    if (!last || row.count > count) return { reason: this.missing, seq: count };
    if (row.count < count) return { reason: 'record-unknown-to-saga', seq: row.count };
    if (row.head !== last.hash) return { reason: 'saga-head-differs', seq: last.seq };
    return endsAs(row.state, last.kind) ? undefined : { reason: 'saga-state-differs', seq: last.seq };
  }
}

/** Whether a saga in this state can have this record as its last. */
function endsAs(state: SagaState, last: WalKind): boolean {
  const ended = END_STATES.get(last);
  return ended === undefined ? state === 'RUNNING' || state === 'COMPENSATING' : state === ended;
}

const END_STATES: ReadonlyMap<WalKind, SagaState> = new Map([
  ['SAGA_COMMIT', 'COMPLETED'],
  ['SAGA_ABORTED', 'COMPENSATED'],
  ['SAGA_STUCK', 'STUCK'],
]);
