import 'reflect-metadata';
import { meshContract, TARGET_WAIT_MS } from '@svc/contracts';
import { answerText, inspectAnswer } from '@svc/mesh';
import { problem, problemOf } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import {
  age,
  answeredOf,
  callsOf,
  type MeshCalls,
  type MeshOnBus,
  reasonOf,
  startMeshOnBus,
  until,
} from './mesh-on-bus.js';
import { candidateAt, description, fragmentOf, isSignedWith, MeshPeer } from './mesh-peer.js';

const idemKey = () => randomBytes(32).toString('hex');

describe('sessions that the service answers', () => {
  let mesh: MeshOnBus;
  let calls: MeshCalls;
  beforeAll(async () => {
    mesh = await startMeshOnBus();
    calls = callsOf(mesh);
  });
  afterAll(() => mesh?.close());

  const held = () => mesh.replicas[0].superPeer.held;
  const rowsOf = async () =>
    Number((await mesh.database.query(`SELECT count(*) FROM mesh_session`))[0].count);

  it('are answered with a signature over the offer, the answer and its time, by a key that is published', async () => {
    const peer = new MeshPeer();
    const sdpOffer = description();
    const reply = await answeredOf(calls.meet(peer.rendezvous(sdpOffer)));
    expect(reply).toMatchObject({ answeredBy: 'service', identity: 'verified', version: 2 });
    const { sessionId, sdpAnswer, expiresAt, answerSignature, servicePublicKey } = reply;
    const { fingerprint } = inspectAnswer(sdpAnswer, { candidates: 'any' });
    const expiresAtMs = Date.parse(expiresAt);
    const text = answerText({ sessionId, sdpOffer, sdpAnswer, fingerprint, expiresAtMs });
    expect(isSignedWith(servicePublicKey, text, answerSignature)).toBe(true);
    const { keys } = await mesh.client.call(meshContract.meshKeys, {});
    const publicKey = Buffer.from(servicePublicKey, 'hex').toString('base64url');
    expect(keys).toEqual([expect.objectContaining({ publicKey, use: 'mesh', alg: 'Ed25519' })]);
    const { session, version } = await calls.show(sessionId);
    expect(version).toBe(2);
    expect(session).toMatchObject({
      ...{ kind: 'super_peer', state: 'answered', sdpAnswer, answerSignature, servicePublicKey, expiresAt },
      ...{ offerCandidates: [], iceCandidates: reply.iceCandidates },
    });
    expect(held().get(sessionId)?.peer).toEqual({
      ...{ publicKey: peer.publicKey, keyHash: peer.keyHash, identity: 'verified' },
      // A keyed digest: it says nothing of the address.
      address: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
  });

  it('are answered without a signature too, and say that nobody was shown', async () => {
    const { sdpOffer, peerPublicKey } = new MeshPeer().rendezvous(description());
    const reply = await answeredOf(
      calls.meet({ sdpOffer, peerPublicKey: `0x${peerPublicKey.toUpperCase()}` }),
    );
    expect(reply.identity).toBe('unverified');
    expect(held().get(reply.sessionId)?.peer).toMatchObject({
      identity: 'unverified',
      publicKey: peerPublicKey,
    });
  });

  it('become connected, live as long as their connection is held, and close with it', async () => {
    const { ledger, sweep } = mesh.replicas[0];
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
    ledger.connected(sessionId);
    await until(async () => (await calls.show(sessionId)).session.state === 'connected');
    await age(mesh, sessionId, 100_000);
    const before = (await calls.show(sessionId)).session.expiresAt;
    await sweep.sweep();
    const { session } = await calls.show(sessionId);
    expect(session.state).toBe('connected');
    expect(Date.parse(session.expiresAt)).toBeGreaterThan(Date.parse(before) + 60_000);
    ledger.closed(sessionId, 'IDLE');
    await until(async () => (await calls.show(sessionId)).session.state === 'closed');
    expect((await calls.show(sessionId)).session.reason).toBe('IDLE');
    ledger.closed(sessionId, 'FAILED');
    ledger.closed('mesh_of_nobody', 'FAILED');
    expect(await reasonOf(calls.trickle(sessionId, fragmentOf(description(), [])))).toBe('EXPIRED IDLE');
  });

  it('become connected where that could not be written in time, as their connection lives', async () => {
    const { superPeer, sweep } = mesh.replicas[0];
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
    superPeer.opened.add(sessionId);
    await age(mesh, sessionId, 300_000);
    await sweep.sweep();
    const { session } = await calls.show(sessionId);
    expect(session.state).toBe('connected');
    expect(Date.parse(session.expiresAt)).toBeGreaterThan(Date.now() + 60_000);
    expect(superPeer.held.has(sessionId)).toBe(true);
    await age(mesh, sessionId, 300_000);
    await sweep.sweep();
    expect((await calls.show(sessionId)).session.state).toBe('connected');
    expect(superPeer.held.has(sessionId)).toBe(true);
  });

  it('are connected by the fingerprint that was signed alone', async () => {
    const sdpOffer = description();
    const strong = `a=fingerprint:sha-512 ${Array(64).fill('AB').join(':')}\r\n`;
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(sdpOffer + strong)));
    expect(held().get(sessionId)?.sdpOffer).toBe(sdpOffer);
  });

  it('take what connections tell in the order in which it is told', async () => {
    const { ledger } = mesh.replicas[0];
    const ids = await Promise.all(
      Array.from(
        { length: 10 },
        async () => (await answeredOf(calls.meet(new MeshPeer().rendezvous(description())))).sessionId,
      ),
    );
    for (const id of ids) {
      ledger.connected(id);
      ledger.closed(id, 'PEER_CLOSED');
    }
    await until(async () =>
      (await Promise.all(ids.map(calls.show))).every(({ session }) => session.state === 'closed'),
    );
    for (const id of ids) expect((await calls.show(id)).version).toBe(4);
  });

  it('that do not open end by their time, and their connection with them', async () => {
    const { superPeer, sweep } = mesh.replicas[0];
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
    await age(mesh, sessionId, 31_000);
    await sweep.sweep();
    expect((await calls.show(sessionId)).session).toMatchObject({ state: 'expired', reason: 'UNOPENED' });
    expect(superPeer.closed).toContainEqual({ sessionId, reason: 'UNOPENED' });
  });

  it('whose time is over take nothing any more, whether anybody has looked at the clock or not', async () => {
    const sdpOffer = description();
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(sdpOffer)));
    await age(mesh, sessionId, 31_000);
    const late = calls.trickle(sessionId, fragmentOf(sdpOffer, ['8.8.4.4 41000']));
    expect(await reasonOf(late)).toBe('EXPIRED UNOPENED');
    expect((await calls.show(sessionId)).session.state).toBe('expired');
    await calls.end(sessionId);
    expect((await calls.show(sessionId)).session.reason).toBe('UNOPENED');
  });

  it('whose connection is nowhere are closed', async () => {
    const { superPeer, sweep } = mesh.replicas[0];
    const sdpOffer = description();
    const [swept, touched] = await Promise.all(
      [description(), sdpOffer].map(sdp => answeredOf(calls.meet(new MeshPeer().rendezvous(sdp)))),
    );
    for (const { sessionId } of [swept, touched]) superPeer.held.delete(sessionId);
    const fragment = fragmentOf(sdpOffer, ['8.8.4.4 41000']);
    expect(await reasonOf(calls.trickle(touched.sessionId, fragment))).toBe('EXPIRED OWNER_GONE');
    await sweep.sweep();
    for (const { sessionId } of [swept, touched])
      expect((await calls.show(sessionId)).session).toMatchObject({ state: 'closed', reason: 'OWNER_GONE' });
  });

  it('take candidates of the offer’s side, which reach the connection once, and no others', async () => {
    const sdpOffer = description();
    const { sessionId, sdpAnswer, version } = await answeredOf(
      calls.meet(new MeshPeer().rendezvous(sdpOffer)),
    );
    const fragment = fragmentOf(sdpOffer, ['8.8.4.4 41000', '8.8.4.4 41001']);
    const { version: next } = await calls.trickle(sessionId, fragment);
    expect(next).toBe(version + 1);
    expect(await calls.trickle(sessionId, fragment)).toEqual({ version: next });
    const added = [candidateAt('8.8.4.4 41000', 100), candidateAt('8.8.4.4 41001', 101)];
    expect(held().get(sessionId)?.candidates).toEqual(added);
    expect((await calls.show(sessionId)).session.offerCandidates).toEqual(added);
    const restarted = fragmentOf(description(), ['8.8.4.4 41002']);
    expect(await reasonOf(calls.trickle(sessionId, restarted))).toBe('UNPROCESSABLE ICE_RESTART');
    const ours = fragmentOf(sdpAnswer, ['8.8.4.4 41002']);
    expect(await reasonOf(calls.trickle(sessionId, ours))).toBe('CONFLICT OTHER_SIDE');
    const many = fragmentOf(
      sdpOffer,
      Array.from({ length: 30 }, (_, i) => `8.8.4.4 ${42_000 + i}`),
    );
    expect(await reasonOf(calls.trickle(sessionId, many))).toBe('UNPROCESSABLE TOO_MANY_CANDIDATES');
    await calls.trickle(sessionId, fragmentOf(sdpOffer, [], true));
    const afterTheEnd = fragmentOf(sdpOffer, ['8.8.4.4 41003']);
    expect(await reasonOf(calls.trickle(sessionId, afterTheEnd))).toBe('CONFLICT CANDIDATES_ENDED');
    expect(await reasonOf(calls.trickle(sessionId, 'a=ice-ufrag:x'))).toMatch(/^UNPROCESSABLE/);
    expect(held().get(sessionId)?.candidates).toEqual(added);
  });

  it('are closed by whoever asks, with their connection, once and for good', async () => {
    const { superPeer } = mesh.replicas[0];
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
    await calls.end(sessionId);
    await calls.end(sessionId);
    expect(superPeer.closed.filter(each => each.sessionId === sessionId)).toEqual([
      { sessionId, reason: 'DELETED' },
    ]);
    expect((await calls.show(sessionId)).session).toMatchObject({ state: 'closed', reason: 'DELETED' });
    const nobodys = `mesh_${'A'.repeat(22)}`;
    const calledInVain = [
      calls.show(nobodys),
      calls.end(nobodys),
      calls.trickle(nobodys, fragmentOf(description(), [])),
    ];
    // All at once: one that fails while another is waited for would be heard by nobody.
    expect(await Promise.all(calledInVain.map(reasonOf))).toEqual(Array(3).fill('NOT_FOUND'));
  });

  it('are forgotten an hour after their end, and not before', async () => {
    const { sessionId } = await answeredOf(calls.meet(new MeshPeer().rendezvous(description())));
    await calls.end(sessionId);
    await mesh.database.query(
      `UPDATE mesh_session SET changed_at = now() - interval '59 minutes' WHERE session_id = $1`,
      [sessionId],
    );
    await mesh.replicas[0].retention.purge();
    expect((await calls.show(sessionId)).session.state).toBe('closed');
    await mesh.database.query(
      `UPDATE mesh_session SET changed_at = now() - interval '61 minutes' WHERE session_id = $1`,
      [sessionId],
    );
    await mesh.replicas[0].retention.purge();
    expect(await reasonOf(calls.show(sessionId))).toBe('NOT_FOUND');
  });

  it('are one for one call, however often it is asked', async () => {
    const request = new MeshPeer().rendezvous(description());
    const key = idemKey();
    const before = await rowsOf();
    const replies = await Promise.all(Array.from({ length: 5 }, () => answeredOf(calls.meet(request, key))));
    expect(new Set(replies.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(await answeredOf(calls.meet(request, key))).toEqual(replies[0]);
    expect(await rowsOf()).toBe(before + 1);
    const other = new MeshPeer().rendezvous(description());
    expect(await reasonOf(calls.meet(other, key))).toBe('CONFLICT');
    await calls.end(replies[0].sessionId);
    expect(await reasonOf(calls.meet(request, key))).toBe('EXPIRED DELETED');
    expect(await reasonOf(calls.meet(request, idemKey()))).toBe('IDENTITY_UNPROVED NONCE_USED');
  });

  it('leave nothing open where the connection cannot be made', async () => {
    const { superPeer } = mesh.replicas[0];
    superPeer.before = () => Promise.reject(new Error('no sockets left'));
    try {
      const heldCount = superPeer.held.size;
      const { code, message } = await problemOf(calls.meet(new MeshPeer().rendezvous(description())));
      expect(code).toBe('INTERNAL');
      expect(message).not.toContain('sockets');
      expect(superPeer.held.size).toBe(heldCount);
      const open = await mesh.database.query(`SELECT 1 FROM mesh_session WHERE state = 'waiting'`);
      expect(open).toEqual([]);
    } finally {
      superPeer.before = async () => undefined;
    }
  });

  it('are made by the same call again, where it was refused for no fault of its own', async () => {
    const { superPeer } = mesh.replicas[0];
    const full = problem('OVERLOADED', 'All connections are in use', { retryAfterSeconds: 5 });
    const request = new MeshPeer().rendezvous(description());
    const key = idemKey();
    const before = await rowsOf();
    superPeer.before = () => Promise.reject(full);
    try {
      // Of those at once one tries, and the others hear from it.
      const refused = Array.from({ length: 4 }, () => reasonOf(calls.meet(request, key)));
      expect(new Set(await Promise.all(refused))).toEqual(new Set(['OVERLOADED']));
    } finally {
      superPeer.before = async () => undefined;
    }
    expect(await rowsOf()).toBe(before);
    const { sessionId } = await answeredOf(calls.meet(request, key));
    expect((await answeredOf(calls.meet(request, key))).sessionId).toBe(sessionId);
  });

  it('are made anew where a replica began to answer and never did', async () => {
    const { superPeer } = mesh.replicas[0];
    const request = new MeshPeer().rendezvous(description());
    const key = idemKey();
    let goOn: (() => void) | undefined;
    superPeer.before = () => new Promise(resolve => (goOn = resolve));
    const first = problemOf(calls.meet(request, key));
    await until(() => goOn !== undefined);
    superPeer.before = async () => undefined;
    // It asks as long as it would wait for a peer, and is not told to wait on.
    mesh.targetWait.ms = 500;
    expect(await reasonOf(calls.meet(request, key))).toBe('OVERLOADED');
    mesh.targetWait.ms = TARGET_WAIT_MS;
    const { sessionId } = await answeredOf(calls.meet(request, key));
    goOn?.();
    expect((await first).code).toBe('OVERLOADED');
    expect((await answeredOf(calls.meet(request, key))).sessionId).toBe(sessionId);
  });

  it('that are ended while they are answered are not answered, and hold no connection', async () => {
    const { superPeer } = mesh.replicas[0];
    superPeer.before = sessionId => calls.end(sessionId).then(() => undefined);
    try {
      const heldCount = superPeer.held.size;
      expect((await problemOf(calls.meet(new MeshPeer().rendezvous(description())))).code).toBe('OVERLOADED');
      expect(superPeer.held.size).toBe(heldCount);
    } finally {
      superPeer.before = async () => undefined;
    }
  });
});
