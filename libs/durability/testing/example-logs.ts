import { generateKeyPairSync, sign, verify, createPublicKey } from 'node:crypto';
import { idemKey } from '../src/saga/idem-key.js';
import type { SagaState } from '../src/saga/saga-store.js';
import {
  buildCheckpoint,
  type Checkpoint,
  type SealedHeads,
  type VerifyEd25519,
  type WalHead,
  type WalKey,
} from '../src/wal/checkpoint.js';
import { appendRecords } from '../src/wal/wal-codec.js';
import type { WalEntry, WalRecord } from '../src/wal/wal-record.js';
import type { SagaRow, SealedHead, WalSource } from '../src/wal/wal-source.js';

export const START_MS = Date.parse('2026-11-22T04:00:00.000Z');
const STEPS = ['reserve', 'contract', 'prove', 'settle'];
const REMOTE = 'prove';

export const sagaIdOf = (index: number) =>
  `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

const ofSaga = (kind: WalEntry['kind'], payload: WalEntry['payload']): WalEntry => ({
  kind,
  step: null,
  attempt: 0,
  idemKey: null,
  payload,
});

function ofStep(
  sagaId: string,
  kind: WalEntry['kind'],
  step: string,
  payload: WalEntry['payload'] = {},
): WalEntry {
  const direction = kind.startsWith('COMP') ? 'reverse' : 'forward';
  return {
    kind,
    step,
    attempt: 1,
    idemKey: step === REMOTE ? idemKey(sagaId, step, direction) : null,
    payload,
  };
}

/** What a saga of four steps writes, the third of them remote. */
export function exampleEntries(sagaId: string, outcome: 'completed' | 'compensated'): WalEntry[] {
  const begin = ofSaga('SAGA_BEGIN', {
    name: 'example',
    version: 1,
    steps: STEPS,
    inputDigest: 'ab'.repeat(32),
    amountMicroUsd: 9_990_000,
  });
  const forward = (step: string) => [
    ofStep(sagaId, 'STEP_INTENT', step),
    ofStep(sagaId, 'STEP_COMMIT', step, { note: `${step} is done`, at: 1.5 }),
  ];
  if (outcome === 'completed')
    return [begin, ...STEPS.flatMap(forward), ofSaga('SAGA_COMMIT', { starkRoot: '0x00' })];
  return [
    begin,
    ...STEPS.slice(0, 2).flatMap(forward),
    ofStep(sagaId, 'STEP_INTENT', 'prove'),
    ofStep(sagaId, 'STEP_FAIL', 'prove', { code: 'SIMULATED_FAULT', mayHaveEffect: true }),
    ...['prove', 'contract', 'reserve'].flatMap(step => [
      ofStep(sagaId, 'COMP_INTENT', step),
      ofStep(sagaId, 'COMP_COMMIT', step),
    ]),
    ofSaga('SAGA_ABORTED', { reason: 'SIMULATED_FAULT' }),
  ];
}

/** The log of a saga, each record a millisecond after the one before; of a saga that still runs the first `count`. */
export function exampleLog(
  sagaId: string,
  outcome: 'completed' | 'compensated' = 'completed',
  count = Infinity,
): WalRecord[] {
  const records: WalRecord[] = [];
  for (const [index, entry] of exampleEntries(sagaId, outcome).slice(0, count).entries()) {
    const place = { sagaId, fence: index < 4 ? 1 : 2, nowMs: START_MS + index };
    records.push(...appendRecords(records.at(-1), [entry], place));
  }
  return records;
}

/** A key of Ed25519 that signs, and as it is published. */
export class ExampleKey {
  private readonly pair = generateKeyPairSync('ed25519');
  constructor(
    readonly kid: string,
    private readonly times: Partial<WalKey> = {},
  ) {}

  readonly sign = (message: Uint8Array) => Uint8Array.from(sign(null, message, this.pair.privateKey));

  get published(): WalKey {
    const { x } = this.pair.publicKey.export({ format: 'jwk' });
    return {
      kid: this.kid,
      alg: 'Ed25519',
      publicKey: String(x),
      notBefore: '2026-01-01T00:00:00Z',
      notAfter: null,
      revokedAt: null,
      ...this.times,
    };
  }
}

export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};

const stateOf = (last: WalRecord): SagaState => {
  if (last.kind === 'SAGA_COMMIT') return 'COMPLETED';
  return last.kind === 'SAGA_ABORTED' ? 'COMPENSATED' : 'RUNNING';
};

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

/** The tables of a database, to be tampered with: rows in any order, given out in theirs. */
export class ExampleDatabase implements WalSource {
  wal: Mutable<WalRecord>[] = [];
  rows: Mutable<SagaRow>[] = [];
  list: { checkpoint: Mutable<Checkpoint>; leaves: WalHead[] }[] = [];

  /** Writes records of a saga, and its row. */
  write(records: readonly WalRecord[]): void {
    for (const record of records) this.wal.push(structuredClone(record));
    const last = records[records.length - 1];
    this.rows = this.rows.filter(({ sagaId }) => sagaId !== last.sagaId);
    this.rows.push({ sagaId: last.sagaId, count: last.seq + 1, head: last.hash, state: stateOf(last) });
  }

  /** Seals the heads of sagas as they are. */
  async seal(key: ExampleKey, ...sagaIds: readonly string[]): Promise<SealedHeads> {
    const heads = this.rows.filter(({ sagaId }) => sagaIds.includes(sagaId));
    const nowMs = START_MS + 60_000 + 3_000 * this.list.length;
    const sealed = await buildCheckpoint(this.list.at(-1)?.checkpoint, heads, {
      keyId: key.kid,
      sign: key.sign,
      nowMs,
    });
    this.list.push(structuredClone(sealed) as ExampleDatabase['list'][number]);
    return sealed;
  }

  clone(): ExampleDatabase {
    const copy = new ExampleDatabase();
    copy.wal = structuredClone(this.wal);
    copy.rows = structuredClone(this.rows);
    copy.list = structuredClone(this.list);
    return copy;
  }

  async *records() {
    yield* this.batches([...this.wal].sort((a, b) => compare(a.sagaId, b.sagaId) || a.seq - b.seq));
  }

  async *sagas() {
    yield* this.batches([...this.rows].sort((a, b) => compare(a.sagaId, b.sagaId)));
  }

  async *sealedHeads() {
    const heads: SealedHead[] = this.list.flatMap(({ checkpoint, leaves }) =>
      leaves.map(leaf => ({ ...leaf, checkpoint: checkpoint.number })),
    );
    yield* this.batches(heads.sort((a, b) => compare(a.sagaId, b.sagaId) || a.count - b.count));
  }

  async *checkpoints() {
    yield* this.batches([...this.list].sort((a, b) => a.checkpoint.number - b.checkpoint.number));
  }

  async checkpointsOf(numbers: readonly number[]) {
    return this.list.map(({ checkpoint }) => checkpoint).filter(({ number }) => numbers.includes(number));
  }

  /** Small and empty ones, as a cursor may give them. */
  private async *batches<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
    for (let at = 0; at < rows.length; at += 7) {
      yield rows.slice(at, at + 7);
      yield [];
    }
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
