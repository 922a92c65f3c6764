import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Advance,
  appendRecords,
  type HeldSaga,
  type JsonObject,
  LeaseLostError,
  type SagaBirth,
  type SagaState,
  type SagaStore,
  type WalEntry,
  type WalRecord,
} from '@svc/durability';
import { randomUUID } from 'node:crypto';

/** A store under test, with what the guarantees are looked at through. */
export interface SagaStoreFixture<Tx> {
  readonly store: SagaStore<Tx>;
  /** Puts a mark into the store's database that can be put once. @throws Error where it stands already */
  mark(tx: Tx, name: string): Promise<void>;
  stands(name: string): Promise<boolean>;
  /** Lets every lease end. */
  endLeases(): Promise<void>;
  close(): Promise<void>;
}

const GENESIS = { name: 'contract', version: 1, steps: ['one', 'two'], inputDigest: 'ab'.repeat(32) };
let clockMs = Date.parse('2026-04-02T00:00:00.000Z');

const entry = (kind: WalEntry['kind'], step: string | null, payload: JsonObject = {}): WalEntry => ({
  ...{ kind, step, payload, attempt: step === null ? 0 : 1 },
  idemKey: step === null ? null : 'cd'.repeat(32),
});
const BEGUN = [entry('SAGA_BEGIN', null, GENESIS), entry('STEP_INTENT', 'one')];
const ONE = [entry('STEP_COMMIT', 'one', { paid: 1.5, text: 'ß', none: null }), entry('STEP_INTENT', 'two')];
const TWO = [entry('STEP_COMMIT', 'two'), entry('SAGA_COMMIT', null)];
const STUCK = [entry('SAGA_STUCK', null, { step: 'one' })];

/** What a runner would record next. */
export const recordsAfter = (held: HeldSaga, entries: readonly WalEntry[]): WalRecord[] =>
  appendRecords(held.records.at(-1), entries, {
    sagaId: held.sagaId,
    fence: held.fence,
    nowMs: (clockMs += 3),
  });

export function birthOf(sagaId: string = randomUUID(), kept: JsonObject = {}): SagaBirth {
  const records = appendRecords(undefined, BEGUN, { sagaId, fence: 1, nowMs: (clockMs += 3) });
  return { sagaId, name: GENESIS.name, version: GENESIS.version, records, kept };
}

const advanceOf = (held: HeldSaga, entries: readonly WalEntry[], state: SagaState = 'RUNNING'): Advance => ({
  records: recordsAfter(held, entries),
  state,
});
const after = (held: HeldSaga, { records, state, kept }: Advance): HeldSaga => ({
  ...held,
  ...{ state, records: [...held.records, ...records], kept: kept ?? held.kept },
});
const lost = (error: unknown) => error instanceof LeaseLostError;
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'recorded',
    (error: unknown) => (lost(error) ? 'lease lost' : 'refused'),
  );

/** What {@link SagaStore} promises, held against an implementation. */
export function describeSagaStore<Tx>(name: string, open: () => Promise<SagaStoreFixture<Tx>>): void {
  describe(`the saga store ${name}`, () => {
    let fixture: SagaStoreFixture<Tx>;
    let store: SagaStore<Tx>;
    beforeAll(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterAll(() => fixture?.close());

    const begin = (owner = 'a', kept: JsonObject = {}) =>
      store.begin(owner, async () => birthOf(undefined, kept));
    const stored = async (held: HeldSaga) => {
      const { owner: _, ...saga } = held;
      expect(await store.load(held.sagaId)).toEqual(saga);
    };
    const takeOne = async (owner: string, { sagaId }: HeldSaga) =>
      (await store.takeLapsed(owner, 1_000)).find(saga => saga.sagaId === sagaId);

    it('gives a saga back as it was begun and advanced, with what it keeps', async () => {
      let held = await begin('a', { input: { text: 'private', list: [1, null, 'ü'] } });
      expect(held).toMatchObject({ owner: 'a', fence: 1, state: 'RUNNING' });
      await stored(held);
      const first = { ...advanceOf(held, ONE), kept: { output: 0.1 } };
      await store.advance(held, first);
      await stored((held = after(held, first)));
      const last = advanceOf(held, TWO, 'COMPLETED');
      await store.advance(held, last);
      await stored(after(held, last));
    });

    it('knows nothing of a saga that was never begun', async () => {
      expect(await store.load(randomUUID())).toBeUndefined();
      expect(await store.takeStuck('a', randomUUID())).toBeUndefined();
    });

    it('records an advance together with its effect, or neither of them', async () => {
      const held = await begin();
      const done = randomUUID();
      const advance = await store.advanceWith(held, async tx => {
        await fixture.mark(tx, done);
        return advanceOf(held, ONE);
      });
      expect(await fixture.stands(done)).toBe(true);
      const next = after(held, advance);
      await stored(next);

      const thrown = randomUUID();
      const failing = store.advanceWith(next, async tx => {
        await fixture.mark(tx, thrown);
        throw new Error('the effect failed');
      });
      await expect(failing).rejects.toThrow('the effect failed');
      expect(await fixture.stands(thrown)).toBe(false);
      await stored(next);
    });

    it('begins nothing where the work throws', async () => {
      const [birth, mark] = [birthOf(), randomUUID()];
      const begun = store.begin('a', async tx => {
        await fixture.mark(tx, mark);
        throw new Error('not admitted');
      });
      await expect(begun).rejects.toThrow('not admitted');
      expect(await fixture.stands(mark)).toBe(false);
      expect(await store.load(birth.sagaId)).toBeUndefined();
    });

    it('begins one saga of a hundred that come for one ticket at once', async () => {
      const ticket = randomUUID();
      const births = Array.from({ length: 100 }, () => birthOf());
      const begun = await Promise.allSettled(
        births.map(birth =>
          store.begin('a', async tx => {
            await fixture.mark(tx, ticket);
            return birth;
          }),
        ),
      );
      expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const found = await Promise.all(births.map(({ sagaId }) => store.load(sagaId)));
      expect(found.filter(saga => saga !== undefined)).toHaveLength(1);
    });

    it('refuses a saga that was begun before', async () => {
      const held = await begin();
      const again = store.begin('b', async () => birthOf(held.sagaId));
      await expect(again).rejects.toThrow();
      await stored(held);
    });

    it('refuses records that do not continue the log, without taking the lease for lost', async () => {
      const held = await begin();
      const gap = after(held, advanceOf(held, ONE));
      expect(await outcome(store.advance(held, advanceOf(gap, TWO)))).toBe('refused');
      const other = await begin();
      const foreign = {
        ...held,
        records: [...held.records.slice(0, -1), { ...held.records.at(-1)!, hash: other.records[1].hash }],
      };
      expect(await outcome(store.advance(held, advanceOf(foreign, ONE)))).toBe('refused');
      expect(await outcome(store.advanceWith(held, async () => advanceOf(foreign, ONE)))).toBe('refused');
      await stored(held);
      const right = advanceOf(held, ONE);
      await store.advance(held, right);
      expect(await outcome(store.advance(held, right))).toBe('refused');
      await stored(after(held, right));
    });

    it('refuses what comes after the end', async () => {
      const held = await begin();
      const ended = after(held, advanceOf(held, [...ONE, ...TWO], 'COMPLETED'));
      await store.advance(held, { records: ended.records.slice(2), state: 'COMPLETED' });
      expect(await outcome(store.advance(ended, advanceOf(ended, STUCK, 'STUCK')))).toBe('refused');
      await fixture.endLeases();
      expect(await takeOne('b', held)).toBeUndefined();
      await stored(ended);
    });

    it('records two advances of one saga that come together in their order', async () => {
      const held = await begin();
      const first = advanceOf(held, ONE);
      const between = after(held, first);
      const second = advanceOf(between, TWO, 'COMPLETED');
      const others = await Promise.all(Array.from({ length: 5 }, () => begin()));
      await Promise.all([
        ...[store.advance(held, first), store.advance(between, second)],
        ...others.map(other => store.advance(other, advanceOf(other, ONE))),
      ]);
      await stored(after(between, second));
    });

    it('fails none of the advances that come together because of another', async () => {
      const [taken, gap, bad, ...good] = await Promise.all(Array.from({ length: 20 }, () => begin('a')));
      await Promise.all(good.map(held => store.advance(held, advanceOf(held, ONE))));
      await fixture.endLeases();
      const lapsed = await store.takeLapsed('b', 1_000);
      const mine = (held: HeldSaga) => lapsed.find(saga => saga.sagaId === held.sagaId)!;
      const outcomes = await Promise.all([
        outcome(store.advance(taken, advanceOf(taken, ONE))),
        outcome(store.advance(mine(gap), advanceOf(after(mine(gap), advanceOf(mine(gap), ONE)), TWO))),
        outcome(
          store.advance(mine(bad), {
            state: 'RUNNING',
            records: recordsAfter(mine(bad), ONE).map((record, i) =>
              i ? { ...record, prevHash: 'ff'.repeat(32) } : record,
            ),
          }),
        ),
        ...good.map(held => outcome(store.advance(mine(held), advanceOf(mine(held), TWO, 'COMPLETED')))),
      ]);
      expect(outcomes).toEqual(['lease lost', 'refused', 'refused', ...good.map(() => 'recorded')]);
      await stored(mine(bad));
    });

    it('gives a lapsed saga to exactly one of two that come for it, under a higher fence', async () => {
      const begun = await Promise.all(Array.from({ length: 12 }, () => begin('dead')));
      expect(await takeOne('b', begun[0])).toBeUndefined();
      await fixture.endLeases();
      const takers = ['b', 'c', 'd', 'e'];
      const taken = (await Promise.all(takers.map(owner => store.takeLapsed(owner, 1_000)))).flat();
      for (const { sagaId } of begun) {
        const takes = taken.filter(saga => saga.sagaId === sagaId);
        expect(takes).toHaveLength(1);
        expect(takes[0]).toMatchObject({ fence: 2, state: 'RUNNING' });
        expect(takers).toContain(takes[0].owner);
      }
      for (const { sagaId, records } of begun)
        expect(taken.find(saga => saga.sagaId === sagaId)!.records).toEqual(records);
    });

    it('refuses the advance of an owner that was fenced out, with its effect, whoever is first', async () => {
      const held = await begin('a');
      await fixture.endLeases();
      const taken = (await takeOne('b', held))!;
      const mark = randomUUID();
      const late = store.advanceWith(held, async tx => {
        await fixture.mark(tx, mark);
        return advanceOf(held, ONE);
      });
      expect(await outcome(late)).toBe('lease lost');
      expect(await fixture.stands(mark)).toBe(false);
      expect(await outcome(store.advance(held, advanceOf(held, ONE)))).toBe('lease lost');
      await stored(taken);
      const advance = advanceOf(taken, ONE);
      await store.advance(taken, advance);
      await stored(after(taken, advance));
    });

    it('never records both of an old owner and its successor that advance at once', async () => {
      for (let round = 0; round < 8; round++) {
        const held = await begin('a');
        await fixture.endLeases();
        const [late, taken] = await Promise.all([
          outcome(store.advanceWith(held, async () => advanceOf(held, ONE))),
          takeOne('b', held),
        ]);
        // Either the old owner was first, and its saga is renewed or taken with what it recorded; or it was refused.
        const records = (await store.load(held.sagaId))!.records;
        expect(records).toHaveLength(late === 'recorded' ? 4 : 2);
        if (taken) expect(taken.records).toEqual(records);
        expect(late === 'recorded' || taken !== undefined).toBe(true);
      }
    });

    it('takes no more than it was asked for, the oldest first, and of the definitions it was asked for', async () => {
      await fixture.endLeases();
      await store.takeLapsed('before', 1_000);
      const begun: HeldSaga[] = [];
      for (let i = 0; i < 4; i++) begun.push(await begin());
      await fixture.endLeases();
      expect(await store.takeLapsed('b', 10, [{ name: 'contract', version: 2 }])).toEqual([]);
      const ids = (sagas: HeldSaga[]) => sagas.map(({ sagaId }) => sagaId);
      const known = [{ name: 'contract', version: 1 }];
      const ours = (sagas: HeldSaga[]) => ids(sagas).filter(id => ids(begun).includes(id));
      // The leases of earlier sagas have ended with these, and they are older.
      await store.takeLapsed('b', 1_000, known);
      await fixture.endLeases();
      const all = await store.takeLapsed('c', 1_000, known);
      expect(ours(all)).toEqual(ids(begun));
      await fixture.endLeases();
      expect(ids(await store.takeLapsed('d', 2))).toEqual(ids(all).slice(0, 2));
    });

    it('holds what is renewed or advanced, and says of which the lease was lost', async () => {
      const [renewed, lostOne] = [await begin('a'), await begin('a')];
      await fixture.endLeases();
      const taken = (await takeOne('b', lostOne))!;
      // Both were taken together: the second owner renews its own.
      const own = (await store.load(renewed.sagaId))!;
      expect(await store.renew([{ sagaId: own.sagaId, fence: own.fence }, lostOne])).toEqual([own.sagaId]);
      await fixture.endLeases();
      await store.renew([taken]);
      expect((await store.takeLapsed('c', 1_000)).map(({ sagaId }) => sagaId)).not.toContain(taken.sagaId);
      await fixture.endLeases();
      await store.advance(taken, advanceOf(taken, ONE));
      expect(await takeOne('c', taken)).toBeUndefined();
    });

    it('lets a saga that is given up be taken at once, and one given up for later not yet', async () => {
      const [now, later] = [await begin('a'), await begin('a')];
      await Promise.all([store.release(now, 0), store.release(later, 60_000)]);
      const taken = await store.takeLapsed('b', 1_000);
      const of = ({ sagaId }: HeldSaga) => taken.find(saga => saga.sagaId === sagaId);
      expect(of(now)).toMatchObject({ fence: 2, owner: 'b' });
      expect(of(later)).toBeUndefined();
      await store.release(now, 0);
      expect(await takeOne('c', now)).toBeUndefined();
    });

    it('leaves a stuck saga to those who ask for it by its id', async () => {
      const held = await begin('a');
      const stuck = advanceOf(held, STUCK, 'STUCK');
      await store.advance(held, stuck);
      await fixture.endLeases();
      expect(await takeOne('b', held)).toBeUndefined();
      const taken = (await store.takeStuck('b', held.sagaId))!;
      expect(taken).toEqual({ ...after(held, stuck), owner: 'b', fence: 2 });
      expect(
        await outcome(store.advance(after(held, stuck), advanceOf(after(held, stuck), STUCK, 'STUCK'))),
      ).toBe('lease lost');
      const again = advanceOf(taken, [entry('COMP_INTENT', 'one')], 'COMPENSATING');
      await store.advance(taken, again);
      expect(await store.takeStuck('c', held.sagaId)).toBeUndefined();
      await fixture.endLeases();
      expect(await takeOne('c', held)).toMatchObject({ fence: 3, state: 'COMPENSATING' });
    });
  });
}
