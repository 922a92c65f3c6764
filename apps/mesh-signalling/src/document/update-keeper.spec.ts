import { createLogger, problem } from '@svc/platform';
import type { NewUpdate, StoredRange } from './document-store.js';
import { type TakenUpdate, UpdateKeeper, type UpdateKeeperParts } from './update-keeper.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });
const away = () => problem('SERVICE_UNAVAILABLE', 'The database of this service is away');
const refusedByPostgres = () =>
  Object.assign(new Error('check constraint'), { driverError: { code: '23514' } });

/** A store that keeps what it is given, as long as `fault` gives no error. */
class Kept {
  readonly batches: NewUpdate[][] = [];
  readonly told: TakenUpdate[] = [];
  readonly refused: TakenUpdate[] = [];
  fault: (updates: readonly NewUpdate[]) => Error | undefined = () => undefined;
  readonly keeper: UpdateKeeper;

  constructor(parts: Partial<UpdateKeeperParts> = {}) {
    this.keeper = new UpdateKeeper({
      logger,
      append: updates => this.append(updates),
      onStored: updates => void this.told.push(...updates),
      onRefused: async update => void this.refused.push(update),
      ...parts,
    });
  }

  get numbers(): number[] {
    return this.batches.flat().map(({ bytes }) => new DataView(bytes.buffer).getUint32(0));
  }

  private async append(updates: readonly NewUpdate[]): Promise<StoredRange> {
    await new Promise(resolve => setImmediate(resolve));
    const fault = this.fault(updates);
    if (fault) throw fault;
    const after = this.batches.flat().length;
    this.batches.push([...updates]);
    return { after, upto: after + updates.length };
  }
}

const updateOf = (n: number, sizeBytes = 8): TakenUpdate => {
  const bytes = new Uint8Array(sizeBytes);
  new DataView(bytes.buffer).setUint32(0, n);
  return { bytes, origin: { kind: 'service' } };
};
const upto = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('the keeper of updates', () => {
  it('stores each once and in order, and together what comes together', async () => {
    const kept = new Kept();
    for (const n of upto(1_500)) kept.keeper.add(updateOf(n));
    await kept.keeper.whenStored();
    expect(kept.numbers).toEqual(upto(1_500));
    expect(kept.batches.map(batch => batch.length)).toEqual([512, 512, 476]);
    expect(kept.told).toHaveLength(1_500);
    expect([kept.keeper.storedCount, kept.keeper.unstored.length]).toEqual([1_500, 0]);
  });

  it('puts no more bytes into a transaction than it may, but for one update alone', async () => {
    const kept = new Kept();
    const sizes = [400_000, 400_000, 400_000, 2_000_000, 8];
    sizes.forEach((sizeBytes, n) => kept.keeper.add(updateOf(n, sizeBytes)));
    await kept.keeper.whenStored();
    expect(kept.batches.map(batch => batch.map(({ bytes }) => bytes.length))).toEqual([
      [400_000, 400_000],
      [400_000],
      [2_000_000],
      [8],
    ]);
  });

  it('tries again while Postgres is away, and loses nothing that comes meanwhile', async () => {
    const kept = new Kept();
    let tries = 0;
    kept.fault = () => (++tries <= 3 ? away() : undefined);
    kept.keeper.add(updateOf(0));
    const stored = kept.keeper.whenStored();
    while (tries === 0) await new Promise(resolve => setImmediate(resolve));
    for (const n of [1, 2]) kept.keeper.add(updateOf(n));
    await stored;
    await kept.keeper.whenStored();
    expect(kept.numbers).toEqual([0, 1, 2]);
    expect(tries).toBeGreaterThan(3);
  });

  it('gives up the one that Postgres refuses, alone, and stores the others', async () => {
    const kept = new Kept();
    kept.fault = updates =>
      updates.some(({ bytes }) => new DataView(bytes.buffer).getUint32(0) === 3)
        ? refusedByPostgres()
        : undefined;
    for (const n of upto(6)) kept.keeper.add(updateOf(n));
    await kept.keeper.whenStored();
    expect(kept.numbers).toEqual([0, 1, 2, 4, 5]);
    expect(kept.refused.map(({ bytes }) => new DataView(bytes.buffer).getUint32(0))).toEqual([3]);
    expect(kept.keeper.storedCount).toBe(6);
  });

  it('stores none of those that are given up while they wait, and all that are being stored', async () => {
    const kept = new Kept();
    const updates = upto(600).map(n => updateOf(n));
    for (const update of updates) kept.keeper.add(update);
    await new Promise(resolve => setImmediate(resolve));
    kept.keeper.giveUp(new Set(updates.filter((_, n) => n % 2 === 0)));
    await kept.keeper.whenStored();
    expect(kept.numbers).toEqual(upto(600).filter(n => n < 512 || n % 2 === 1));
    expect(kept.keeper.storedCount).toBe(600);
  });

  it('counts what each is made of, whether it is stored, refused or given up', async () => {
    const kept = new Kept();
    kept.fault = updates =>
      updates.some(({ bytes }) => bytes.length === 9) ? refusedByPostgres() : undefined;
    const counted = [7, 1, 30].map((count, n) => ({ ...updateOf(n, n === 1 ? 9 : 8), count }));
    for (const update of counted) kept.keeper.add(update);
    const all = kept.keeper.whenStored();
    expect([kept.keeper.addedCount, kept.keeper.storedCount]).toEqual([38, 0]);
    kept.keeper.giveUp(new Set([counted[2]]));
    expect([kept.keeper.addedCount, kept.keeper.storedCount]).toEqual([38, 30]);
    await all;
    expect([kept.keeper.storedCount, kept.numbers, kept.refused.length]).toEqual([38, [0], 1]);
  });

  it('has no room while too much waits, and has it again', async () => {
    const kept = new Kept();
    const sizeBytes = 8 * 1024 * 1024;
    kept.keeper.add(updateOf(0, sizeBytes));
    expect(kept.keeper.hasRoom).toBe(true);
    kept.keeper.add(updateOf(1, sizeBytes));
    expect(kept.keeper.hasRoom).toBe(false);
    await kept.keeper.whenStored();
    expect(kept.keeper.hasRoom).toBe(true);
  });

  it('ends within its time, and says how many it could not store', async () => {
    const kept = new Kept();
    kept.fault = away;
    for (const n of upto(3)) kept.keeper.add(updateOf(n));
    expect(await kept.keeper.close(30)).toBe(3);
    const empty = new Kept();
    empty.keeper.add(updateOf(0));
    expect(await empty.keeper.close(5_000)).toBe(0);
    expect(empty.numbers).toEqual([0]);
    empty.keeper.add(updateOf(1));
    // A close ends when nothing is at work any more.
    expect(await empty.keeper.close(5_000)).toBe(1);
    expect(empty.numbers).toEqual([0]);
  });
});
