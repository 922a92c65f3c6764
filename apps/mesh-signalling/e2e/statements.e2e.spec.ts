import { openSession } from '@svc/mesh';
import { createLogger, type EmbeddedPostgres, openDataSource, ProblemError } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import fc from 'fast-check';
import { createHash, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Allowances } from '../src/identity/allowances.js';
import { InboxLooks } from '../src/inbox/inbox-looks.js';
import {
  MESH_SESSION_RIGHTS,
  MeshSessions1765000000000,
} from '../src/migrations/1765000000000-mesh-sessions.js';
import { MeshOffers1766000000000 } from '../src/migrations/1766000000000-mesh-offers.js';
import { KeyedDigests1766500000000 } from '../src/migrations/1766500000000-keyed-digests.js';
import type { StoredSession } from '../src/sessions/session-rows.js';
import { SessionStore, WAITING_MAX } from '../src/sessions/session-store.js';

/** What calls that come at once are answered, beside the same calls one after the other. */
let postgres: EmbeddedPostgres;
let dataSource: DataSource;
beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  dataSource = await openDataSource({
    service: 'mesh-signalling',
    url: postgres.urlFor('mesh-signalling'),
    migrationUrl: postgres.migrationUrlFor('mesh-signalling'),
    migrations: [MeshSessions1765000000000, MeshOffers1766000000000, KeyedDigests1766500000000],
    tableRights: MESH_SESSION_RIGHTS,
    logger: createLogger('mesh-signalling', { level: 'silent' }),
  });
});
afterAll(async () => {
  await dataSource?.destroy();
  await postgres?.stop();
});

const settings = { perMinute: { key: 3, address: 5, inbox: 2 }, addressKey: 'k' } as never;
const hashOf = (name: string) => createHash('sha256').update(name).digest();
const codeOf = (error: unknown) => {
  if (!(error instanceof ProblemError)) throw error;
  return `${error.code} ${error.payload.detail} ${String(error.payload.extensions?.reason)}`;
};
const outcomesOf = (calls: Promise<unknown>[]) =>
  Promise.all(calls.map(call => call.then(value => value ?? 'done', codeOf)));

describe('allowances and nonces', () => {
  const call = fc.record({
    key: fc.integer({ min: 0, max: 2 }),
    address: fc.integer({ min: 0, max: 2 }),
    nonce: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    callKey: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
  });

  it('of calls at once are counted and given as one after the other', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 24 }), async calls => {
        const allowances = new Allowances(dataSource, settings);
        const spend = (scope: string, { key, address, nonce, callKey }: (typeof calls)[number]) =>
          allowances.spend(
            allowances.ofRendezvous(
              { keyHash: `${scope}${key}`, identity: 'verified' },
              { address: `${scope}${address}` },
            ),
            nonce === undefined
              ? undefined
              : {
                  ...{ keyHash: hashOf(`${scope}${key}`), nonce: Buffer.alloc(16, nonce) },
                  ...(callKey !== undefined && { callKey: hashOf(String(callKey)) }),
                },
          );
        round++;
        const atOnce = await outcomesOf(calls.map(each => spend(`a${round}:`, each)));
        const inTurn: unknown[] = [];
        for (const each of calls) inTurn.push(...(await outcomesOf([spend(`b${round}:`, each)])));
        expect(atOnce).toEqual(inTurn);
      }),
      { numRuns: Number(process.env['STATEMENT_RUNS'] ?? 20) },
    );
  });

  it('begin a new minute with the first call after it', async () => {
    const allowances = new Allowances(dataSource, settings);
    const [name] = allowances.ofInbox({ keyHash: 'again' }, { address: 'again' });
    const spend = () => outcomesOf(Array.from({ length: 3 }, () => allowances.spend([name])));
    const limited = expect.stringContaining('RATE_LIMITED');
    expect(await spend()).toEqual(['done', 'done', limited]);
    await dataSource.query(`UPDATE mesh_allowance SET ends_at = now() WHERE name = $1`, [name.name]);
    expect(await spend()).toEqual(['done', 'done', limited]);
  });

  it('fail of the call alone that Postgres refuses', async () => {
    const allowances = new Allowances(dataSource, settings);
    const calls = ['x', 'y'.repeat(200), 'z'].map(keyHash =>
      allowances.spend(allowances.ofInbox({ keyHash }, { address: keyHash })),
    );
    const [first, second, third] = await Promise.allSettled(calls);
    expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('offers', () => {
  const side = { iceUfrag: 'abcd', icePwd: 'x'.repeat(22), candidates: [], endOfCandidates: true };
  const offerOf = (scope: string, caller: number, target: number, callKey?: number): StoredSession => {
    const id = `mesh_${randomBytes(16).toString('base64url')}`;
    const targetKey = hashOf(`key of ${scope}${target}`).toString('hex');
    return {
      session: openSession({ id, mid: '0', targetKey, offerer: side }, Date.now()),
      offerer: {
        ...{ publicKey: hashOf(`key ${caller}`).toString('hex'), identity: 'verified' },
        keyHash: hashOf(`caller ${scope}${caller}`).toString('hex'),
      },
      ...{ requestDigest: hashOf('request'), targetHash: hashOf(`${scope}${target}`).toString('hex') },
      ...{ sdpOffer: 'v=0\r\n', offerProof: { nonce: 'n' } as never },
      ...(callKey !== undefined && { callKey: hashOf(`call ${scope}${callKey}`) }),
    };
  };
  const openInbox = async (scope: string, target: number) => {
    const inboxId = `inbox_${randomBytes(16).toString('base64url')}`;
    await dataSource.query(`INSERT INTO mesh_inbox (inbox_id, peer_hash, public_key) VALUES ($1, $2, $3)`, [
      ...[inboxId, hashOf(`${scope}${target}`), hashOf(`key of ${scope}${target}`).toString('hex')],
    ]);
    return inboxId;
  };

  it('at once find room and one another as one after the other', async () => {
    let round = 0;
    const offer = fc.record({
      caller: fc.integer({ min: 0, max: 24 }),
      target: fc.integer({ min: 0, max: 2 }),
      callKey: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    });
    const halves = fc.tuple(
      fc.array(offer, { maxLength: 20 }),
      fc.array(offer, { minLength: 1, maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(halves, async ([before, after]) => {
        const store = new SessionStore(dataSource);
        const insert = (scope: string, { caller, target, callKey }: (typeof before)[number]) =>
          store.insertOffer(offerOf(scope, caller, target, callKey));
        const [a, b] = [`a${++round}:`, `b${round}:`];
        // Of the last target no inbox is open.
        for (const scope of [a, b]) for (const target of [0, 1]) await openInbox(scope, target);
        const atOnce = await outcomesOf(before.map(each => insert(a, each)));
        atOnce.push(...(await outcomesOf(after.map(each => insert(a, each)))));
        const inTurn: unknown[] = [];
        for (const each of [...before, ...after]) inTurn.push(await insert(b, each));
        expect(atOnce).toEqual(inTurn);
      }),
      { numRuns: Number(process.env['STATEMENT_RUNS'] ?? 12) },
    );
  });

  it('of a call that is known take no place from those behind them', async () => {
    const store = new SessionStore(dataSource);
    await openInbox('last:', 0);
    for (let i = 1; i < WAITING_MAX; i++)
      expect(await store.insertOffer(offerOf('last:', i, 0, i))).toBe('inserted');
    const offers = [offerOf('last:', 100, 0, 7), offerOf('last:', 101, 0), offerOf('last:', 102, 0)];
    const outcomes = await Promise.all(offers.map(each => store.insertOffer(each)));
    expect(outcomes).toEqual(['known', 'inserted', 'full']);
    // Nor does one that is known from then on.
    await openInbox('twice:', 0);
    for (let i = 2; i < WAITING_MAX; i++) await store.insertOffer(offerOf('twice:', i, 0));
    const twice = [offerOf('twice:', 100, 0, 7), offerOf('twice:', 101, 0, 7), offerOf('twice:', 102, 0)];
    expect(await Promise.all(twice.map(each => store.insertOffer(each)))).toEqual([
      ...['inserted', 'known', 'inserted'],
    ]);
  });

  it('of two replicas at once are sixteen of one peer, and their numbers are in the order of their commits', async () => {
    const scope = 'crowd:';
    const inboxId = await openInbox(scope, 0);
    const stores = [new SessionStore(dataSource), new SessionStore(dataSource)];
    const looks = new InboxLooks(dataSource);
    const seen: string[] = [];
    let isOver = false;
    const reading = (async () => {
      for (let afterSeq = 0, last = false; !last;) {
        last = isOver;
        const look = (await looks.look({ inboxId, afterSeq }))!;
        for (const row of look.rows) seen.push(row.session_id);
        afterSeq = Number(look.rows.at(-1)?.seq ?? afterSeq);
      }
    })();
    const offers = Array.from({ length: 60 }, (_, i) => offerOf(scope, i, 0));
    const outcomes = await Promise.all(offers.map((each, i) => stores[i % 2].insertOffer(each)));
    isOver = true;
    await reading;
    const inserted = offers.filter((_, i) => outcomes[i] === 'inserted').map(({ session }) => session.id);
    expect(inserted.length).toBe(WAITING_MAX);
    expect(outcomes.filter(each => each === 'full').length).toBe(offers.length - WAITING_MAX);
    expect([...seen].sort()).toEqual([...inserted].sort());
  });

  it('are changed once of each version, whoever comes with it, and each change is told', async () => {
    const scope = 'change:';
    const inboxes = await Promise.all([0, 1, 2].map(target => openInbox(scope, target)));
    const stores = [new SessionStore(dataSource), new SessionStore(dataSource)];
    const offers = Array.from({ length: 12 }, (_, i) => offerOf(scope, i, i % 3));
    await Promise.all(offers.map(each => stores[0].insertOffer(each)));
    const changes = offers.flatMap(stored =>
      ['x', 'y', 'z'].map((name, i) => {
        const next = { ...stored.session, version: 2 };
        const notice = { type: 'candidates', candidates: [name] } as const;
        return { name, id: stored.session.id, done: stores[i % 2].replace(stored, { next, notice }) };
      }),
    );
    const won = new Map<string, string[]>();
    for (const { id, name, done } of changes) if (await done) won.set(id, [...(won.get(id) ?? []), name]);
    expect(offers.map(({ session }) => won.get(session.id)?.length)).toEqual(offers.map(() => 1));
    const looks = new InboxLooks(dataSource);
    const found = await Promise.all(inboxes.map(inboxId => looks.look({ inboxId, afterSeq: 0 })));
    const told = new Map(
      found.flatMap(look =>
        look!.rows.flatMap(row =>
          row.type === 'candidates' ? [[row.session_id, row.body!.candidates!] as const] : [],
        ),
      ),
    );
    expect(told).toEqual(won);
    const after = await Promise.all(offers.map(({ session }) => stores[1].find(session.id)));
    expect(after.map(stored => stored?.session.version)).toEqual(offers.map(() => 2));
    expect(await stores[0].find('mesh_nobody')).toBeUndefined();
  });

  it('are looked for in many inboxes at once as in one after the other', async () => {
    const scope = 'looks:';
    const looks = new InboxLooks(dataSource);
    const store = new SessionStore(dataSource);
    const inboxIds = await Promise.all(Array.from({ length: 9 }, (_, target) => openInbox(scope, target)));
    for (let i = 0; i < 30; i++) await store.insertOffer(offerOf(scope, i, i % 7));
    await dataSource.query(`UPDATE mesh_inbox SET last_seen = now() - interval '1 day' WHERE inbox_id = $1`, [
      inboxIds[3],
    ]);
    await dataSource.query(`UPDATE mesh_inbox SET last_seen = now() - interval '20 s' WHERE inbox_id = $1`, [
      inboxIds[4],
    ]);
    const keyHash = hashOf(`${scope}3`).toString('hex');
    const places = [
      ...inboxIds.flatMap(inboxId => [{ inboxId }, { inboxId, afterSeq: 0 }, { inboxId, afterSeq: 1e9 }]),
      ...[{ keyHash, afterSeq: 0 }, { keyHash }, { inboxId: 'inbox_nobody' }],
    ];
    const atOnce = await Promise.all(places.map(place => looks.look(place)));
    for (const [i, place] of places.entries()) expect(atOnce[i]).toEqual(await looks.look(place));
    // A place beyond the end is none.
    expect(atOnce.map(look => look?.rows.length)).toEqual([
      ...[5, 5, 5, 5, 5, 5, 4, 4, 4, undefined, undefined, undefined],
      ...[4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 4, 4, undefined],
    ]);
    const ends = [0, 1].map(i => ({
      inboxId: inboxIds[i],
      afterSeq: Number(atOnce[3 * i]?.rows.at(-1)?.seq),
    }));
    const beyond = await Promise.all(ends.map(end => looks.look(end)));
    expect(beyond.map(look => [look?.rows.length, look?.afterSeq])).toEqual(
      ends.map(end => [0, end.afterSeq]),
    );
    const [{ is_new: isNew }] = await dataSource.query(
      `SELECT last_seen > now() - interval '10 s' AS is_new FROM mesh_inbox WHERE inbox_id = $1`,
      [inboxIds[4]],
    );
    expect(isNew).toBe(true);
  });
});
