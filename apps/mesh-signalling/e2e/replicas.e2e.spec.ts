import 'reflect-metadata';
import { jest } from '@jest/globals';
import { meshContract } from '@svc/contracts';
import {
  createLogger,
  findNatsServer,
  MemoryBus,
  type NatsServer,
  problemOf,
  startNatsServer,
  TopicNews,
} from '@svc/platform';
import { startOwnPostgres } from '@svc/platform/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  answeredOf,
  callsOf,
  type MeshCalls,
  type MeshOnBus,
  type MeshReplica,
  reasonOf,
  startMeshOnBus,
} from './mesh-on-bus.js';
import { candidateAt, description, fragmentOf, MeshPeer } from './mesh-peer.js';

const QUICK = {
  ...{ MESH_KEY_CALLS_PER_MINUTE: '1000', MESH_ADDRESS_CALLS_PER_MINUTE: '1000' },
  ...{ MESH_INBOX_CALLS_PER_MINUTE: '1000', PRESENCE_TTL_SECONDS: '1' },
};

const DAY_MS = 86_400_000;
const natsBinary = findNatsServer();

describe.each(['memory', 'nats'])('two replicas on one bus (%s)', kind => {
  if (kind === 'nats' && !natsBinary) {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
    return;
  }
  let mesh: MeshOnBus;
  let calls: MeshCalls;
  let nats: NatsServer | undefined;
  let folder: string | undefined;
  beforeAll(async () => {
    if (kind === 'nats') {
      folder = await mkdtemp(join(tmpdir(), 'mesh-replicas-'));
      const logger = createLogger('mesh-signalling', { level: 'silent' });
      nats = await startNatsServer({ binary: natsBinary!, dataDir: folder, logger });
    }
    const bus = nats
      ? ({ kind: 'nats', url: nats.url, token: nats.token } as const)
      : ({ kind: 'memory', bus: new MemoryBus() } as const);
    mesh = await startMeshOnBus(2, QUICK, bus);
    calls = callsOf(mesh);
  });
  afterAll(async () => {
    await mesh?.close();
    await nats?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** The replica that holds a session's connection, and the other. */
  function replicasOf(sessionId: string): [MeshReplica, MeshReplica] {
    const [first, second] = mesh.replicas;
    return first.superPeer.held.has(sessionId) ? [first, second] : [second, first];
  }

  it('bring candidates to the one that holds the connection, whichever is asked', async () => {
    const sdpOffer = description();
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(sdpOffer)));
    const ports = Array.from({ length: 6 }, (_, i) => 41_000 + i);
    for (const port of ports) await calls.trickle(sessionId, fragmentOf(sdpOffer, [`8.8.4.4 ${port}`]));
    const [owner, other] = replicasOf(sessionId);
    expect(owner.superPeer.held.get(sessionId)!.candidates).toEqual(
      ports.map(port => candidateAt(`8.8.4.4 ${port}`, 100)),
    );
    expect(other.superPeer.held.has(sessionId)).toBe(false);
  });

  it('close a connection at the one that holds it, whichever is asked', async () => {
    for (let i = 0; i < 4; i++) {
      const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
      const [owner] = replicasOf(sessionId);
      await calls.end(sessionId);
      expect(owner.superPeer.closed).toContainEqual({ sessionId, reason: 'DELETED' });
    }
  });

  it('wake whoever waits at one by what was done at the other', async () => {
    const { expect: expected } = TopicNews.prototype;
    const waits = jest.spyOn(TopicNews.prototype, 'expect').mockImplementation(function (
      this: TopicNews<unknown>,
      topic,
    ) {
      const wait = expected.call(this, topic);
      // Nobody looks into the table again by the time alone: what comes came by a notice.
      return { ...wait, within: () => wait.within(DAY_MS) };
    });
    try {
      for (let i = 0; i < 4; i++) {
        const [caller, target] = [new MeshPeer(), new MeshPeer()];
        const inboxId = await calls.openInbox(target);
        const waiting = calls.events(inboxId, undefined, 10_000);
        const reply = calls.meet(caller.rendezvous(description(), target));
        const { events } = await waiting;
        expect(events).toHaveLength(1);
        const [{ event }] = events;
        await calls.answer(event.sessionId, target.answer(event.sessionId, caller));
        await expect(answeredOf(reply)).resolves.toMatchObject({ answeredBy: 'peer' });
      }
      expect(waits).toHaveBeenCalled();
    } finally {
      waits.mockRestore();
    }
  });

  it('begin with what waits for whoever asks after a place that is not there', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const inboxId = await calls.openInbox(target);
    const reply = calls.meet(caller.rendezvous(description(), target));
    const [{ event }] = (await calls.events(inboxId, 999_999_999_999_999, 10_000)).events;
    await calls.answer(event.sessionId, target.answer(event.sessionId, caller));
    await expect(answeredOf(reply)).resolves.toMatchObject({ answeredBy: 'peer' });
  });

  it('use a nonce once, however many ask at once', async () => {
    const request = new MeshPeer().rendezvous(description());
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        calls.meet(request).then(
          () => 'answered',
          error => reasonOf(Promise.reject(error as Error)),
        ),
      ),
    );
    expect(outcomes.filter(outcome => outcome === 'answered')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'IDENTITY_UNPROVED NONCE_USED')).toHaveLength(19);
  });

  it('give an event to an inbox in one order, and none is missed by whoever goes on from the last', async () => {
    const target = new MeshPeer();
    const inboxId = await calls.openInbox(target);
    const callers = Array.from({ length: 16 }, () => new MeshPeer());
    const offers = callers.map(caller => ({ caller, sdpOffer: description() }));
    const replies = offers.map(({ caller, sdpOffer }) => calls.meet(caller.rendezvous(sdpOffer, target)));
    for (const reply of replies) reply.catch(() => undefined);
    const seen: string[] = [];
    let lastSeq: number | undefined;
    while (seen.length < 16) {
      const news = await calls.events(inboxId, lastSeq, 2_000);
      const seqs = news.events.map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      for (const { event } of news.events) {
        seen.push(event.sessionId);
        void calls.answer(
          event.sessionId,
          target.answer(
            event.sessionId,
            callers.find(each => 'peerProof' in event && each.publicKey === event.peerProof.peerPublicKey)!,
          ),
        );
      }
      lastSeq = news.lastSeq;
    }
    expect(new Set(seen).size).toBe(16);
    const answers = await Promise.all(replies.map(answeredOf));
    expect(new Set(answers.map(({ sessionId }) => sessionId))).toEqual(new Set(seen));
  });

  it('take changes of one session from both sides at once, each once', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const inboxId = await calls.openInbox(target);
    const sdpOffer = description();
    const reply = calls.meet(caller.rendezvous(sdpOffer, target));
    const [{ event, seq }] = (await calls.events(inboxId)).events;
    const { sessionId } = event;
    const request = target.answer(sessionId, caller);
    const candidates = Array.from({ length: 8 }, (_, i) => `8.8.4.4 ${41_000 + i}`);
    const trickled = candidates.map(address => calls.trickle(sessionId, fragmentOf(sdpOffer, [address])));
    await Promise.all([calls.answer(sessionId, request), ...trickled]);
    await answeredOf(reply);
    const { session, version } = await calls.show(sessionId);
    expect(version).toBe(10);
    expect(session.offerCandidates).toHaveLength(8);
    const told: string[] = [];
    for (let after = seq; told.length < 8;) {
      const { events, lastSeq } = await calls.events(inboxId, after);
      told.push(...events.flatMap(({ event: each }) => (each.type === 'candidates' ? each.candidates : [])));
      after = lastSeq;
    }
    expect(told.sort()).toEqual([...session.offerCandidates].sort());
  });

  it('end the sessions of one that is gone, when they are touched or soon after, and not of one that is silent for a moment', async () => {
    const third = await mesh.start();
    const offers: { sessionId: string; sdpOffer: string }[] = [];
    while (offers.filter(({ sessionId }) => third.superPeer.held.has(sessionId)).length < 2) {
      const sdpOffer = description();
      const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(sdpOffer)));
      offers.push({ sessionId, sdpOffer });
    }
    const [touched, swept] = offers.filter(({ sessionId }) => third.superPeer.held.has(sessionId));
    await third.service.close();
    mesh.replicas.splice(mesh.replicas.indexOf(third), 1);
    const fragment = fragmentOf(touched.sdpOffer, ['8.8.4.4 41000']);
    expect(await reasonOf(calls.trickle(touched.sessionId, fragment))).toBe('SERVICE_UNAVAILABLE');
    for (const { sweep } of mesh.replicas) await sweep.sweep();
    expect((await calls.show(swept.sessionId)).session.state).toBe('answered');
    // Each touch brings a candidate that the session has not had.
    let port = 41_001;
    const touch = () =>
      reasonOf(calls.trickle(touched.sessionId, fragmentOf(touched.sdpOffer, [`8.8.4.4 ${port++}`])));
    let reason = await touch();
    for (; reason === 'SERVICE_UNAVAILABLE'; reason = await touch()) await delay(100);
    expect(reason).toBe('EXPIRED OWNER_GONE');
    for (const { sweep } of mesh.replicas) await sweep.sweep();
    for (const { sessionId } of [touched, swept])
      expect((await calls.show(sessionId)).session).toMatchObject({ state: 'closed', reason: 'OWNER_GONE' });
    const left = offers.filter(
      ({ sessionId }) => ![touched, swept].some(gone => gone.sessionId === sessionId),
    );
    for (const { sessionId } of left) expect((await calls.show(sessionId)).session.state).toBe('answered');
  });

  it('close the connections whose sessions were ended without them', async () => {
    const meet = async () =>
      (await answeredOf(calls.meet(new MeshPeer().rendezvous(description())))).sessionId;
    const [ended, forgotten, living] = [await meet(), await meet(), await meet()];
    await mesh.database.query(
      `UPDATE mesh_session SET state = 'closed', reason = 'OWNER_GONE' WHERE session_id = $1`,
      [ended],
    );
    await mesh.database.query(`DELETE FROM mesh_session WHERE session_id = $1`, [forgotten]);
    for (const { sweep } of mesh.replicas) await sweep.sweep();
    const closed = mesh.replicas.flatMap(({ superPeer }) => superPeer.closed);
    expect(closed).toContainEqual({ sessionId: ended, reason: 'OWNER_GONE' });
    expect(closed).toContainEqual({ sessionId: forgotten, reason: 'EXPIRED' });
    expect(mesh.replicas.some(({ superPeer }) => superPeer.held.has(living))).toBe(true);
  });

  it('close without leaving anybody waiting: the other answers whoever asks again', async () => {
    const third = await mesh.start();
    const target = new MeshPeer();
    const inboxId = await calls.openInbox(target);
    const waiting = Array.from({ length: 6 }, () => calls.events(inboxId, undefined, 10_000));
    const callers = Array.from({ length: 3 }, () => new MeshPeer());
    await third.service.close();
    mesh.replicas.splice(mesh.replicas.indexOf(third), 1);
    // Heard from the beginning: the first is refused while the next is ended still.
    const replies = Promise.allSettled(
      callers.map(caller => calls.meet(caller.rendezvous(description(), target))),
    );
    const news = await Promise.all(waiting);
    expect(news.length).toBe(6);
    const { events } = await calls.events(inboxId);
    for (const { event } of events) await calls.end(event.sessionId);
    await replies;
  });
});

describe('what callers may do within a minute', () => {
  let mesh: MeshOnBus;
  let calls: MeshCalls;
  beforeAll(async () => {
    mesh = await startMeshOnBus(2, {}, undefined, startOwnPostgres);
    calls = callsOf(mesh);
  });
  afterAll(() => mesh?.close());

  const countOf = async (work: (() => Promise<unknown>)[]) => {
    const outcomes = await Promise.all(
      work.map(run =>
        run().then(
          () => 'done',
          error => error.code as string,
        ),
      ),
    );
    return {
      done: outcomes.filter(each => each === 'done').length,
      limited: outcomes.filter(each => each === 'RATE_LIMITED').length,
    };
  };
  const forget = () => mesh.database.query(`DELETE FROM mesh_allowance`);
  beforeEach(forget);
  const addresses = Array.from({ length: 100 }, (_, i) => ({ address: `198.51.100.${i}` }));

  it('is ten rendezvous of a key, of all replicas together', async () => {
    const peer = new MeshPeer();
    const outcome = await countOf(
      addresses.map(caller => () => calls.meet(peer.rendezvous(description()), undefined, caller)),
    );
    expect(outcome).toEqual({ done: 10, limited: 90 });
    const { payload } = await problemOf(calls.meet(peer.rendezvous(description()), undefined, addresses[0]));
    expect(payload.retryAfterSeconds).toBeGreaterThanOrEqual(50);
    expect(payload.retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(await reasonOf(calls.admit(peer.rendezvous(description()), addresses[0]))).toBe('RATE_LIMITED');
    await expect(calls.admit(new MeshPeer().rendezvous(description()), addresses[0])).resolves.toEqual({});
    await mesh.database.query(`UPDATE mesh_allowance SET ends_at = now() - interval '1 second'`);
    await expect(answeredOf(calls.meet(peer.rendezvous(description())))).resolves.toBeDefined();
  });

  it('is not spent by whoever names a key without showing that it is theirs', async () => {
    const peer = new MeshPeer();
    const { peerPublicKey, sdpOffer } = peer.rendezvous(description());
    expect(
      await countOf(
        addresses
          .slice(0, 20)
          .map(caller => () => calls.meet({ peerPublicKey, sdpOffer }, undefined, caller)),
      ),
    ).toEqual({ done: 10, limited: 10 });
    await expect(answeredOf(calls.meet(peer.rendezvous(description())))).resolves.toBeDefined();
  });

  it('is sixty rendezvous of an address, which is not kept', async () => {
    const peers = Array.from({ length: 80 }, () => new MeshPeer());
    const caller = { address: '2001:db8::7' };
    const outcome = await countOf(
      peers.map(peer => () => calls.meet(peer.rendezvous(description()), undefined, caller)),
    );
    expect(outcome).toEqual({ done: 60, limited: 20 });
    const names = JSON.stringify(await mesh.database.query(`SELECT name FROM mesh_allowance`));
    expect(names).not.toContain('2001:db8');
    // The document counts client ids by the same name.
    const held = mesh.replicas.flatMap(({ superPeer }) => [...superPeer.held.values()]);
    const theirs = held.filter(({ peer }) => peers.some(({ keyHash }) => keyHash === peer.keyHash));
    const addresses = new Set(theirs.map(({ peer }) => peer.address));
    expect([theirs.length, addresses.size, names.includes(`address:${[...addresses][0]}`)]).toEqual([
      ...[60, 1, true],
    ]);
  });

  it('is sixty openings of inboxes of an address, and they take no rendezvous from it', async () => {
    const caller = { address: '2001:db8::8' };
    const opened = Array.from({ length: 70 }, () => () => {
      const query = new MeshPeer().inbox() as never;
      return mesh.client.call(meshContract.openInbox, { query, caller });
    });
    expect(await countOf(opened)).toEqual({ done: 60, limited: 10 });
    const offer = new MeshPeer().rendezvous(description());
    await expect(answeredOf(calls.meet(offer, undefined, caller))).resolves.toBeDefined();
  });

  it('is counted no further by what is only asked about, and no nonce is used for what is refused', async () => {
    const peer = new MeshPeer();
    const request = peer.rendezvous(description());
    for (let i = 0; i < 12; i++) await calls.admit(request);
    await mesh.database.query(`INSERT INTO mesh_allowance VALUES ($1, 10, now() + interval '1 minute')`, [
      `verified:${peer.keyHash}`,
    ]);
    expect(await reasonOf(calls.meet(request))).toBe('RATE_LIMITED');
    await forget();
    await expect(answeredOf(calls.meet(request))).resolves.toBeDefined();
  });

  it('is thirty openings of inboxes, of which eight may be open', async () => {
    const peer = new MeshPeer();
    expect(await countOf(Array.from({ length: 12 }, () => () => calls.openInbox(peer)))).toEqual({
      done: 8,
      limited: 0,
    });
    const open: { inbox_id: string }[] = await mesh.database.query(
      `SELECT inbox_id FROM mesh_inbox WHERE peer_hash = $1`,
      [Buffer.from(peer.keyHash, 'hex')],
    );
    expect(open).toHaveLength(8);
    expect(await reasonOf(calls.openInbox(peer))).toBe('CONFLICT');
    await calls.closeInbox(open[0].inbox_id);
    await expect(calls.openInbox(peer)).resolves.toMatch(/^inbox_/);
    expect(await countOf(Array.from({ length: 30 }, () => () => calls.openInbox(peer)))).toEqual({
      done: 0,
      limited: 14,
    });
    const { query } = { query: peer.inbox() as never };
    const caller = { address: '198.51.100.7' };
    await forget();
    expect(await reasonOf(mesh.client.call(meshContract.openInbox, { query, caller }))).toBe('CONFLICT');
    expect(await reasonOf(mesh.client.call(meshContract.openInbox, { query, caller }))).toBe(
      'IDENTITY_UNPROVED NONCE_USED',
    );
  });

  it('is forgotten after it, as nonces are that no proof can come with any more', async () => {
    await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
    const count = async () =>
      Number(
        (
          await mesh.database.query(
            `SELECT (SELECT count(*) FROM mesh_allowance) + (SELECT count(*) FROM mesh_nonce) AS count`,
          )
        )[0].count,
      );
    await mesh.database.query(`UPDATE mesh_nonce SET used_at = now() - interval '4 minutes'`);
    const before = await count();
    await mesh.replicas[0].retention.purge();
    expect(await count()).toBe(before);
    await mesh.database.query(`UPDATE mesh_nonce SET used_at = now() - interval '6 minutes'`);
    await mesh.database.query(`UPDATE mesh_allowance SET ends_at = now() - interval '1 second'`);
    await mesh.replicas[0].retention.purge();
    expect(await count()).toBe(0);
  });

  it('is refused as away while the database is, and nothing stays open', async () => {
    const { superPeer } = mesh.replicas[0];
    const heldCount = () => mesh.replicas.reduce((sum, replica) => sum + replica.superPeer.held.size, 0);
    const before = heldCount();
    // The database goes while the answer is made.
    for (const replica of mesh.replicas) replica.superPeer.before = () => mesh.postgres.stop();
    expect((await problemOf(calls.meet(new MeshPeer().rendezvous(description())))).code).toBe(
      'SERVICE_UNAVAILABLE',
    );
    expect(heldCount()).toBe(before);
    expect((await problemOf(calls.meet(new MeshPeer().rendezvous(description())))).code).toBe(
      'SERVICE_UNAVAILABLE',
    );
    expect((await problemOf(calls.openInbox(new MeshPeer()))).code).toBe('SERVICE_UNAVAILABLE');
    expect(superPeer.held.size).toBeLessThanOrEqual(before);
  });
});
