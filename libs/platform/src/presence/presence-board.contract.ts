import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PresenceBoard, PresenceChange, PresenceRevision, PresenceWatch } from './presence-board.js';
import { byTier } from '../testing/by-tier.js';

/** An end of the board under test. */
export interface PresenceEnd {
  readonly board: PresenceBoard;
  /** The process at this end dies: nothing that it says is heard any more. */
  kill(): Promise<void>;
}

/** A board that several ends share. */
export interface PresenceUnderTest {
  /** Lifetime of its entries. */
  readonly ttlMs: number;
  open(): Promise<PresenceEnd>;
}

type Start = () => Promise<PresenceUnderTest>;

let runs = 0;
const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** Resolves when it holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

/** Does the work until the board is there, which says in the meantime that it is away. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      expect(error).toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
      await sleep(20);
    }
  }
}

/** What a board promises, whatever keeps the entries. */
export function itKeepsThePresenceContract(start: Start): void {
  itGivesEachKeyToOneHolder(start);
  itHoldsToRevisions(start);
  itForgetsWhoIsSilent(start);
  itShowsWhoIsThere(start);
  itCarriesValues(start);
  itTellsWhatChanges(start);
  itAgreesWithItself(start);
  itRefusesWhatCannotBe(start);
  itSaysThatItIsAway(start);
}

function itGivesEachKeyToOneHolder(start: Start): void {
  it('gives a key to one of a hundred who claim it at once at two ends', () =>
    onBoard(start, async scope => {
      const ends = [scope.board, (await scope.open()).board];
      for (let race = 0, decided = 0; decided < 2; race++) {
        const key = scope.key(`race-${race}`);
        const begunMs = performance.now();
        const claims = Array.from({ length: 100 }, (_, i) => ends[i % 2].claim(key, i));
        const won = (await Promise.all(claims)).flatMap((claim, i) => (claim ? [i] : []));
        const seen = [await ends[0].get(key), await ends[1].get(key)];
        // A machine that took longer than an entry lives has run another race: the key was free again.
        if (performance.now() - begunMs >= scope.ttlMs) continue;
        decided++;
        expect(won).toHaveLength(1);
        expect(seen).toEqual(Array(2).fill({ key, value: won[0] }));
      }
    }));

  it('gives it to one again after each release, and after it expired', () =>
    onBoard(start, async scope => {
      const ends = [scope.board, (await scope.open()).board];
      const key = scope.key('a');
      const race = async () => {
        const claims = Array.from({ length: 20 }, (_, i) => ends[i % 2].claim(key, i));
        const won = (await Promise.all(claims)).filter(claim => claim !== undefined);
        expect(won).toHaveLength(1);
        return won[0].revision;
      };
      for (let round = 0; round < 10; round++) await ends[round % 2].release(key, await race());
      await race();
      await scope.until(async () => (await scope.board.get(key)) === undefined);
      await race();
    }));

  it('gives it to nobody else before it has expired, and then to one of all who go on claiming', () =>
    onBoard(start, async scope => {
      const ends = [scope.board, (await scope.open()).board];
      const [earlier, key] = [scope.key('earlier'), scope.key('a')];
      // Claimed before the other: as long as it is there, the other has not expired.
      await scope.claimed(earlier, 'first');
      await scope.claimed(key, 'first');
      const won: unknown[] = [];
      const claimants = Array.from({ length: 8 }, async (_, i) => {
        while (won.length === 0) {
          if (await ends[i % 2].claim(key, i)) won.push(await ends[i % 2].get(earlier));
          else await sleep(5);
        }
      });
      await Promise.all(claimants);
      expect(won).toEqual([undefined]);
    }));
}

function itHoldsToRevisions(start: Start): void {
  it('refuses a revision that is stale, another’s, of another key, or none', () =>
    onBoard(start, async scope => {
      const [a, b] = [scope.key('a'), scope.key('b')];
      const first = await scope.claimed(a, 1);
      const other = await scope.claimed(b, 1);
      const { revision } = (await scope.board.renew(a, 2, first))!;
      expect(revision).not.toBe(first);
      const near = [revision.slice(1), revision.slice(0, -1), `${revision}0`, `1${revision}`, ` ${revision}`];
      for (const wrong of [first, other, '', 'x', '0', '-1', '1.1', ...near]) {
        expect(await scope.board.renew(a, 3, wrong)).toBeUndefined();
        await scope.board.release(a, wrong);
        expect(await scope.board.get(a)).toEqual({ key: a, value: 2 });
      }
      await scope.board.release(a, revision);
      expect(await scope.board.renew(a, 4, revision)).toBeUndefined();
      await scope.claimed(a, 5);
      await scope.board.release(a, revision);
      expect(await scope.board.get(a)).toEqual({ key: a, value: 5 });
    }));

  it('lets either a renewal or a release of the same revision through', () =>
    onBoard(start, async scope => {
      const ends = [scope.board, (await scope.open()).board];
      for (let i = 0; i < 10; i++) {
        const key = scope.key(String(i));
        const revision = await scope.claimed(key, 'before');
        const [renewed] = await Promise.all([
          ends[i % 2].renew(key, 'after', revision),
          ends[(i >> 1) % 2].release(key, revision),
        ]);
        expect(await scope.board.get(key)).toEqual(renewed && { key, value: 'after' });
      }
    }));

  it('lets one of many renewals of the same revision through', () =>
    onBoard(start, async scope => {
      const key = scope.key('a');
      const revision = await scope.claimed(key, 'before');
      const renewals = Array.from({ length: 20 }, (_, i) => scope.board.renew(key, i, revision));
      const done = (await Promise.all(renewals)).flatMap((each, i) => (each ? [i] : []));
      expect(done).toHaveLength(1);
      expect(await scope.board.get(key)).toEqual({ key, value: done[0] });
    }));
}

function itForgetsWhoIsSilent(start: Start): void {
  it('keeps who renews, and forgets who does not, at every end', () =>
    onBoard(start, async scope => {
      const other = (await scope.open()).board;
      const kept = scope.key('kept');
      const { stop, revision, failed } = await scope.holding(kept, 'here');
      // Each time the one that came later and is not renewed is gone, the one that is renewed has outlived its time, and goes on to.
      for (const silent of [scope.key('silent'), scope.key('still')]) {
        await scope.claimed(silent, 'for a while');
        expect(await scope.keys(other)).toEqual([kept, silent]);
        await scope.until(async () => (await other.get(silent)) === undefined);
        expect(await scope.keys(other)).toEqual([kept]);
        expect(await scope.keys(scope.board)).toEqual([kept]);
        expect(await other.get(kept)).toEqual({ key: kept, value: 'here' });
      }
      await stop();
      expect(failed()).toBe(0);
      await scope.until(async () => (await other.count(scope.prefix)) === 0);
      expect(await scope.board.renew(kept, 'late', revision())).toBeUndefined();
      expect(await scope.board.get(kept)).toBeUndefined();
    }));

  it('forgets whose process has died', () =>
    onBoard(start, async scope => {
      const dying = await scope.open();
      const changes: PresenceChange[] = [];
      scope.keep(await scope.board.watch(scope.prefix, change => void changes.push(change)));
      await dying.board.claim(scope.key('a'), 1);
      await scope.until(() => changes.length === 1);
      await dying.kill();
      expect(await scope.board.count(scope.prefix)).toBe(1);
      await scope.until(() => changes.length === 2);
      expect(changes[1]).toEqual({ kind: 'gone', key: scope.key('a') });
      expect(await scope.board.count(scope.prefix)).toBe(0);
    }));
}

function itShowsWhoIsThere(start: Start): void {
  it('shows at once at every end what was done at any', () =>
    onBoard(start, async scope => {
      const ends = [scope.board, (await scope.open()).board, (await scope.open()).board];
      const there = new Map<string, PresenceRevision>();
      for (let i = 0; i < 30; i++) {
        const [writer, reader] = [ends[i % 3], ends[(i + 1) % 3]];
        const key = scope.key(String(i % 7));
        const revision = there.get(key);
        if (!revision) there.set(key, (await writer.claim(key, i))!.revision);
        else {
          await writer.release(key, revision);
          there.delete(key);
        }
        expect(await scope.keys(reader)).toEqual([...there.keys()].sort());
        expect(await reader.count(scope.prefix)).toBe(there.size);
        expect((await reader.get(key)) !== undefined).toBe(there.has(key));
      }
    }));

  it('takes a prefix as whole tokens', () =>
    onBoard(start, async scope => {
      const keys = ['a', 'a.b', 'a.b.c', 'a.bc', 'a-b', 'ab'].map(key => scope.key(key));
      for (const key of keys) await scope.claimed(key, null);
      const under = async (prefix: string) => [
        (await scope.board.list(scope.key(prefix))).map(({ key }) => key.slice(scope.prefix.length + 1)),
        await scope.board.count(scope.key(prefix)),
      ];
      expect(await under('a')).toEqual([['a', 'a.b', 'a.b.c', 'a.bc'], 4]);
      expect(await under('a.b')).toEqual([['a.b', 'a.b.c'], 2]);
      expect(await under('a.b.c')).toEqual([['a.b.c'], 1]);
      expect(await under('b')).toEqual([[], 0]);
      const all = await scope.board.list('');
      expect(all.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
      expect(await scope.board.count('')).toBeGreaterThanOrEqual(6);
    }));
}

function itCarriesValues(start: Start): void {
  it('carries every key and every JSON value as it is', () =>
    onBoard(start, async scope => {
      const other = (await scope.open()).board;
      const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
      const keyOf = fc.array(token, { minLength: 1, maxLength: 6 }).map(tokens => tokens.join('.'));
      await fc.assert(
        fc.asyncProperty(keyOf, fc.jsonValue({ maxDepth: 4 }), async (name, value) => {
          const key = scope.key(name);
          const copy = JSON.parse(JSON.stringify(value));
          const claimed = await scope.board.claim(key, value);
          expect(await other.get(key)).toEqual({ key, value: copy });
          expect(await other.list(key)).toEqual([{ key, value: copy }]);
          await other.release(key, claimed!.revision);
          expect(await scope.board.get(key)).toBeUndefined();
        }),
        { numRuns: byTier(60, 1_000) },
      );
    }));

  it('gives everybody a copy', () =>
    onBoard(start, async scope => {
      const key = scope.key('a');
      const value = { list: [1] };
      const told: PresenceChange[] = [];
      for (let i = 0; i < 2; i++)
        scope.keep(
          await scope.board.watch(scope.prefix, change => {
            told.push(structuredClone(change));
            if (change.kind === 'put') (change.value as typeof value).list.push(2);
          }),
        );
      await scope.claimed(key, value);
      value.list.push(3);
      await scope.until(() => told.length === 2);
      const [listed] = await scope.board.list(key);
      (listed.value as typeof value).list.push(4);
      expect(await scope.board.get(key)).toEqual({ key, value: { list: [1] } });
      expect(told).toEqual([1, 2].map(() => ({ kind: 'put', key, value: { list: [1] } })));
    }));
}

function itTellsWhatChanges(start: Start): void {
  it('tells who comes late what is there, then each change of state in order, until it is stopped', () =>
    onBoard(start, async scope => {
      const other = (await scope.open()).board;
      const key = scope.key('a');
      const first = await scope.claimed(key, 1);
      await scope.claimed(scope.key('b'), 'b');
      const told: unknown[] = [];
      const watch = await other.watch(key, change => void told.push(change));
      expect(told).toEqual([{ kind: 'put', key, value: 1 }]);
      const second = (await scope.board.renew(key, 1, first))!;
      const third = (await scope.board.renew(key, 2, second.revision))!;
      await scope.board.release(key, third.revision);
      await scope.claimed(key, 3);
      await scope.until(() => told.length === 4);
      const values = [{ value: 1 }, { value: 2 }, {}, { value: 3 }];
      expect(told).toEqual(values.map(value => ({ kind: 'value' in value ? 'put' : 'gone', key, ...value })));
      // What expires is told once, by the time that it is not shown any more or soon after.
      await scope.until(() => told.length === 5);
      expect(told[4]).toEqual({ kind: 'gone', key });
      expect(await other.get(key)).toBeUndefined();
      watch.stop();
      watch.stop();
      await scope.claimed(key, 4);
      expect(await other.count(key)).toBe(1);
      expect(told).toHaveLength(5);
    }));

  it('tells all others what one of them cannot bear, also when it changes something meanwhile', () =>
    onBoard(start, async scope => {
      const [a, b] = [scope.key('a'), scope.key('b')];
      const told: string[] = [];
      scope.keep(
        await scope.board.watch(scope.prefix, ({ kind, key }) => {
          if (kind === 'put' && key === a) void scope.board.claim(b, 0);
          throw new Error('cannot bear it');
        }),
      );
      scope.keep(await scope.board.watch(scope.prefix, ({ kind, key }) => void told.push(`${kind} ${key}`)));
      await scope.claimed(a, 1);
      await scope.until(() => told.length === 2);
      expect(told).toEqual([`put ${a}`, `put ${b}`]);
    }));
}

function itAgreesWithItself(start: Start): void {
  it('tells the same as it lists, under any order of claims, renewals, releases and ends', async () => {
    const step = fc.record({
      kind: fc.constantFrom('claim', 'claim', 'renew', 'release', 'watch'),
      key: fc.nat(4),
      end: fc.nat(1),
      value: fc.nat(2),
    });
    await onBoard(start, async scope => {
      const ends = [scope.board, (await scope.open()).board];
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
          const prefix = scope.key(String(++round));
          const model = new Map<string, { value: unknown; revision: PresenceRevision }>();
          const watching: { told: Map<string, unknown>; watch: PresenceWatch }[] = [];
          const join = async (end: number) => {
            const told = new Map<string, unknown>();
            const onChange = (change: PresenceChange) =>
              void (change.kind === 'put' ? told.set(change.key, change.value) : told.delete(change.key));
            watching.push({ told, watch: await ends[end].watch(prefix, onChange) });
          };
          await join(0);
          for (const { kind, key: name, end, value } of steps) {
            const key = `${prefix}.${name}`;
            const held = model.get(key);
            const board = ends[end];
            if (kind === 'watch') await join(end);
            else if (kind === 'release') {
              await board.release(key, held?.revision ?? 'none');
              model.delete(key);
            } else {
              const revision = held?.revision ?? 'none';
              const done =
                kind === 'claim' ? await board.claim(key, value) : await board.renew(key, value, revision);
              expect(done !== undefined).toBe((kind === 'claim') === (held === undefined));
              if (done) model.set(key, { value, revision: done.revision });
            }
          }
          const expected = [...model].map(([key, { value }]) => ({ key, value })).sort(byKey);
          for (const board of ends) expect(await board.list(prefix)).toEqual(expected);
          const agree = ({ told }: { told: Map<string, unknown> }) =>
            isSame([...told].map(([key, value]) => ({ key, value })).sort(byKey), expected);
          await scope.until(() => watching.every(agree));
          for (const { watch } of watching) watch.stop();
        }),
        { numRuns: byTier(25, 300) },
      );
    });
  });
}

function itRefusesWhatCannotBe(start: Start): void {
  it('refuses what can be no key, no prefix and no value, with the bound', () =>
    onBoard(start, async ({ board, key }) => {
      const long = 'x'.repeat(201);
      for (const wrong of ['', '.', 'a.', '.a', 'a..b', 'a b', 'a*', '>', 'a.>', 'ä', 'a/b', 'a\n', long]) {
        const about = wrong === long ? /201 characters is more than 200/ : /is no key/;
        for (const work of [
          board.claim(wrong, 1),
          board.renew(wrong, 1, 'r'),
          board.release(wrong, 'r'),
          board.get(wrong),
        ]) {
          await expect(work).rejects.toThrow(RangeError);
          await expect(work).rejects.toThrow(about);
        }
        if (wrong === '') continue;
        for (const work of [board.list(wrong), board.count(wrong), board.watch(wrong, () => undefined)])
          await expect(work).rejects.toThrow(about);
      }
      const round: unknown[] = [];
      round.push(round);
      for (const wrong of [undefined, () => 1, Symbol('a'), 1n, round]) {
        await expect(board.claim(key('a'), wrong)).rejects.toThrow(RangeError);
        await expect(board.renew(key('a'), wrong, 'r')).rejects.toThrow(/has to be JSON/);
      }
      // Bytes of JSON count, not characters.
      const largest = 'é'.repeat(4_095);
      await expect(board.claim(key('a'), `${largest}x`)).rejects.toThrow(/8193 bytes is more than 8192/);
      expect(await board.get(key('a'))).toBeUndefined();
      const { revision } = (await board.claim(key('a'), largest))!;
      expect(await board.get(key('a'))).toEqual({ key: key('a'), value: largest });
      await board.release(key('a'), revision);
      const longest = key('y'.repeat(200 - key('').length));
      expect(await board.claim(longest, 0)).toBeDefined();
      expect(await board.count(longest)).toBe(1);
    }));

  it('refuses any key that is not tokens joined by dots, and nothing else', () =>
    onBoard(start, async ({ board }) => {
      const text = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.stringMatching(/^[a.*> _-]{0,6}$/),
      );
      await fc.assert(
        fc.asyncProperty(text, async key => {
          const may = key.length > 0 && key.split('.').every(each => /^[A-Za-z0-9_-]+$/.test(each));
          // One that may be is of somebody else’s revision.
          if (may) expect(await board.renew(key, 1, 'none')).toBeUndefined();
          else await expect(board.renew(key, 1, 'none')).rejects.toThrow(RangeError);
        }),
        { numRuns: byTier(200, 5_000) },
      );
    }));
}

function itSaysThatItIsAway(start: Start): void {
  it('says SERVICE_UNAVAILABLE while it is away, and tells a dead end nothing', () =>
    onBoard(start, async scope => {
      const key = scope.key('a');
      const away = await scope.open();
      const fresh = await scope.open();
      let told = 0;
      await away.board.watch(scope.prefix, () => void told++);
      let isGone = false;
      scope.keep(await scope.board.watch(scope.prefix, ({ kind }) => void (isGone ||= kind !== 'put')));
      const revision = await scope.claimed(key, 1);
      await scope.until(() => told === 1);
      for (const { board, kill } of [away, fresh]) {
        await kill();
        for (const work of [
          board.claim(key, 1),
          board.renew(key, 1, revision),
          board.release(key, revision),
          board.get(key),
          board.list(''),
          board.count(''),
          board.watch('', () => undefined),
        ])
          await expect(work).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
      }
      expect(await scope.board.get(key)).toEqual({ key, value: 1 });
      // Somebody who lives is told of its end.
      await scope.until(() => isGone);
      expect(told).toBe(1);
    }));
}

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

async function onBoard(start: Start, work: (scope: Scope) => Promise<void>): Promise<void> {
  const under = await start();
  const scope = new Scope(`t${process.pid}-${++runs}`, under, (await under.open()).board);
  try {
    await work(scope);
  } finally {
    await scope.close();
  }
}

/** The keys of one test, and who holds and watches them. */
class Scope {
  private readonly watches: PresenceWatch[] = [];
  private readonly stops: (() => Promise<void>)[] = [];

  constructor(
    readonly prefix: string,
    private readonly under: PresenceUnderTest,
    readonly board: PresenceBoard,
  ) {}

  get ttlMs(): number {
    return this.under.ttlMs;
  }

  readonly key = (name: string): string => `${this.prefix}.${name}`;

  open(): Promise<PresenceEnd> {
    return this.under.open();
  }

  async claimed(key: string, value: unknown): Promise<PresenceRevision> {
    const claim = await this.board.claim(key, value);
    expect(claim).toBeDefined();
    return claim!.revision;
  }

  async keys(board: PresenceBoard): Promise<string[]> {
    return (await board.list(this.prefix)).map(({ key }) => key);
  }

  /** Holds the key by renewals, as a service does, until it is stopped. */
  async holding(key: string, value: unknown) {
    let revision = await this.claimed(key, value);
    let failed = 0;
    let stopped = false;
    const running = (async () => {
      while (!stopped) {
        await sleep(this.ttlMs / 8);
        const renewed = await this.board.renew(key, value, revision);
        if (renewed) revision = renewed.revision;
        else failed++;
      }
    })();
    const stop = () => {
      stopped = true;
      return running;
    };
    this.stops.push(stop);
    return { stop, revision: () => revision, failed: () => failed };
  }

  keep(watch: PresenceWatch): void {
    this.watches.push(watch);
  }

  readonly until = until;

  async close(): Promise<void> {
    for (const watch of this.watches) watch.stop();
    await Promise.all(this.stops.map(stop => stop()));
  }
}
