import 'reflect-metadata';
import { TARGET_WAIT_MS } from '@svc/contracts';
import { answerText, inspectAnswer, inspectOffer, rendezvousText } from '@svc/mesh';
import { problemOf } from '@svc/platform';
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

const ANY = { candidates: 'any' } as const;

describe('offers to other peers', () => {
  let mesh: MeshOnBus;
  let calls: MeshCalls;
  beforeAll(async () => {
    mesh = await startMeshOnBus(2);
    calls = callsOf(mesh);
  });
  afterAll(() => mesh?.close());

  /** Calls a peer, and says what its inbox has then. */
  async function call(caller: MeshPeer, target: MeshPeer, sdpOffer = description()) {
    const inboxId = await calls.openInbox(target);
    const reply = calls.meet(caller.rendezvous(sdpOffer, target));
    reply.catch(() => undefined);
    const { events, lastSeq } = await calls.events(inboxId);
    const [{ event }] = events;
    if (event.type !== 'offer') throw new Error(`expected an offer, got ${event.type}`);
    return { inboxId, reply, offer: event, lastSeq, sessionId: event.sessionId, sdpOffer };
  }

  it('come to an inbox as they were sent, and their answer to the caller as it was signed', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const { offer, reply, sdpOffer, sessionId } = await call(
      caller,
      target,
      description({ addresses: ['10.0.0.1 40000', 'a-b.local 40001'] }),
    );
    expect(offer.sdpOffer).toBe(sdpOffer);
    const { peerProof } = offer;
    expect(peerProof).toMatchObject({ peerPublicKey: caller.publicKey, target: target.publicKey });
    expect(isSigned(peerProof, sdpOffer)).toBe(true);
    const request = target.answer(sessionId, caller);
    const answered = await calls.answer(sessionId, request);
    const got = await answeredOf(reply);
    expect(got).toMatchObject({ answeredBy: 'peer', identity: 'verified', sdpAnswer: request.sdpAnswer });
    expect(got.peerProof).toMatchObject({ peerPublicKey: target.publicKey, target: caller.publicKey });
    expect(isSigned(got.peerProof!, got.sdpAnswer)).toBe(true);
    expect(answered.session).toMatchObject({
      ...{ kind: 'brokered', state: 'answered', sdpAnswer: got.sdpAnswer, expiresAt: got.expiresAt },
      ...{ peerProof: got.peerProof, answerSignature: got.answerSignature },
    });
    const { fingerprint } = inspectAnswer(got.sdpAnswer, ANY);
    const text = answerText({
      ...{ sessionId, sdpOffer, sdpAnswer: got.sdpAnswer, fingerprint, answererKey: target.publicKey },
      expiresAtMs: Date.parse(got.expiresAt),
    });
    expect(isSignedWith(got.servicePublicKey, text, got.answerSignature)).toBe(true);
    expect(mesh.replicas.every(({ superPeer }) => superPeer.held.size === 0)).toBe(true);
  });

  it('are pending where no answer comes in time, and answered later', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    mesh.targetWait.ms = 500;
    const { reply, sessionId } = await call(caller, target);
    mesh.targetWait.ms = TARGET_WAIT_MS;
    const pending = await reply;
    expect(pending).toMatchObject({ outcome: 'pending', sessionId });
    expect((await calls.show(sessionId)).session.state).toBe('waiting');
    await calls.answer(sessionId, target.answer(sessionId, caller));
    expect((await calls.show(sessionId)).session.state).toBe('answered');
  });

  it('bring candidates of either side to the other', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const { inboxId, sessionId, sdpOffer, lastSeq, reply } = await call(caller, target);
    const early = await calls.trickle(sessionId, fragmentOf(sdpOffer, ['10.0.0.1 41000']));
    expect(early.version).toBe(2);
    const first = await calls.events(inboxId, lastSeq);
    expect(first.events.map(({ event }) => event)).toEqual([
      { type: 'candidates', sessionId, candidates: [candidateAt('10.0.0.1 41000', 100)] },
    ]);
    const request = target.answer(sessionId, caller);
    await calls.answer(sessionId, request);
    await answeredOf(reply);
    await calls.trickle(sessionId, fragmentOf(request.sdpAnswer, ['10.0.0.2 42000']));
    const { session } = await calls.show(sessionId);
    expect(session.iceCandidates).toEqual([candidateAt('8.8.4.4 40000'), candidateAt('10.0.0.2 42000', 100)]);
    expect(session.offerCandidates).toEqual([candidateAt('10.0.0.1 41000', 100)]);
    expect((await calls.events(inboxId, first.lastSeq, 0)).events).toEqual([]);
  });

  it('are answered by the peer that was called, for the offer that it got, once', async () => {
    const [caller, target, other] = [new MeshPeer(), new MeshPeer(), new MeshPeer()];
    const { sessionId, reply } = await call(caller, target);
    const sdpAnswer = description({ setup: 'active' });
    const right = target.answer(sessionId, caller, sdpAnswer);
    const wrong: [object, string][] = [
      [other.answer(sessionId, caller), 'IDENTITY_UNPROVED WRONG_PEER'],
      [target.answer(sessionId, other, sdpAnswer), 'IDENTITY_UNPROVED SIGNATURE_INVALID'],
      [target.answer(`mesh_${'A'.repeat(22)}`, caller, sdpAnswer), 'IDENTITY_UNPROVED SIGNATURE_INVALID'],
      [{ ...right, sdpAnswer: description({ setup: 'active' }) }, 'IDENTITY_UNPROVED SIGNATURE_INVALID'],
      [{ ...right, sdpAnswer: sdpAnswer.replace('active', 'actpass') }, 'UNPROCESSABLE SETUP'],
    ];
    for (const [request, reason] of wrong)
      expect(await reasonOf(calls.answer(sessionId, request))).toBe(reason);
    expect((await calls.show(sessionId)).session.state).toBe('waiting');
    const outcomes = await Promise.all(
      [target.answer(sessionId, caller), target.answer(sessionId, caller), right].map(request =>
        calls.answer(sessionId, request).then(
          () => 'answered',
          error => error.code as string,
        ),
      ),
    );
    expect(outcomes.sort()).toEqual(['CONFLICT', 'CONFLICT', 'answered']);
    await answeredOf(reply);
    expect(await reasonOf(calls.answer(sessionId, right))).toMatch(
      /^(IDENTITY_UNPROVED NONCE_USED|CONFLICT)/,
    );
    const own = await answeredOf(calls.meet(caller.rendezvous(description())));
    expect(await reasonOf(calls.answer(own.sessionId, target.answer(own.sessionId, caller)))).toBe(
      'CONFLICT ANSWERED_ALREADY',
    );
  });

  it('need a proof, a target that is another, and one that is there', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const sdpOffer = description();
    const { peerPublicKey, targetPeerKey } = caller.rendezvous(sdpOffer, target);
    const refused: [object, string][] = [
      [{ peerPublicKey, targetPeerKey, sdpOffer }, 'IDENTITY_UNPROVED SIGNATURE_MISSING'],
      [caller.rendezvous(sdpOffer, caller), 'UNPROCESSABLE'],
      [{ ...caller.rendezvous(sdpOffer, target), targetPeerKey: '00'.repeat(32) }, 'UNPROCESSABLE'],
      [{ ...caller.rendezvous(sdpOffer), targetPeerKey }, 'IDENTITY_UNPROVED SIGNATURE_INVALID'],
      [caller.rendezvous(sdpOffer, target), 'NOT_FOUND TARGET_ABSENT'],
    ];
    for (const [request, reason] of refused) {
      expect(await reasonOf(calls.admit(request))).toBe(reason);
      expect(await reasonOf(calls.meet(request))).toBe(reason);
    }
    const inboxId = await calls.openInbox(target);
    const request = caller.rendezvous(sdpOffer, target);
    await expect(calls.admit(request)).resolves.toEqual({});
    await calls.closeInbox(inboxId);
    expect(await reasonOf(calls.meet(request))).toBe('NOT_FOUND TARGET_ABSENT');
    await mesh.database.query(
      `UPDATE mesh_inbox SET last_seen = now() - interval '61 seconds' WHERE inbox_id = $1`,
      [await calls.openInbox(target)],
    );
    expect(await reasonOf(calls.meet(caller.rendezvous(sdpOffer, target)))).toBe('NOT_FOUND TARGET_ABSENT');
  });

  it('wait one at a time of each peer, sixteen of all, however many come at once', async () => {
    const target = new MeshPeer();
    const inboxId = await calls.openInbox(target);
    const callers = Array.from({ length: 24 }, () => new MeshPeer());
    const outcomes: string[] = [];
    const calling = callers.map(caller =>
      calls.meet(caller.rendezvous(description(), target)).then(
        ({ outcome }) => outcomes.push(outcome),
        async error => outcomes.push(await reasonOf(Promise.reject(error))),
      ),
    );
    await until(() => outcomes.length === 8);
    expect(outcomes).toEqual(Array(8).fill('CONFLICT TARGET_BUSY'));
    const waiting = (await offersOf(inboxId)).map(({ peerProof }) =>
      callers.find(({ publicKey }) => publicKey === peerProof.peerPublicKey)!,
    );
    expect(waiting).toHaveLength(16);
    expect(await reasonOf(calls.meet(waiting[0].rendezvous(description(), target)))).toBe(
      'CONFLICT TARGET_CALLED',
    );
    for (const { sessionId } of await offersOf(inboxId)) await calls.end(sessionId);
    await Promise.all(calling);
    expect(outcomes.slice(8)).toEqual(Array(16).fill('EXPIRED DELETED'));
    expect(await offersOf(inboxId)).toEqual([]);
  });

  it('of one call are one offer, and it is told what has become of it', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const inboxId = await calls.openInbox(target);
    const request = caller.rendezvous(description(), target);
    const idemKey = 'ab'.repeat(32);
    const replies = [1, 2, 3].map(() => calls.meet(request, idemKey));
    const [{ sessionId }] = await offersOf(inboxId, 5_000);
    await calls.answer(sessionId, target.answer(sessionId, caller));
    const answers = await Promise.all(replies.map(answeredOf));
    expect(new Set(answers.map(answer => answer.sessionId))).toEqual(new Set([sessionId]));
    expect(await answeredOf(calls.meet(request, idemKey))).toEqual(answers[0]);
    expect(await offersOf(inboxId)).toEqual([]);
  });

  it('that nobody answers end by their time, which both sides learn', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const { inboxId, sessionId, lastSeq, reply } = await call(caller, target);
    await age(mesh, sessionId, 61_000);
    await mesh.replicas[0].sweep.sweep();
    expect(await reasonOf(reply)).toBe('EXPIRED UNANSWERED');
    const { events } = await calls.events(inboxId, lastSeq);
    expect(events.map(({ event }) => event)).toEqual([{ type: 'closed', sessionId, reason: 'UNANSWERED' }]);
    expect(await reasonOf(calls.answer(sessionId, target.answer(sessionId, caller)))).toBe(
      'EXPIRED UNANSWERED',
    );
    expect((await calls.events(inboxId, undefined, 0)).events).toEqual([]);
  });

  it('once answered are over with their time for the service alone', async () => {
    const [caller, target] = [new MeshPeer(), new MeshPeer()];
    const { inboxId, sessionId, lastSeq, reply } = await call(caller, target);
    await calls.answer(sessionId, target.answer(sessionId, caller));
    const { expiresAt } = await answeredOf(reply);
    await age(mesh, sessionId, 31_000);
    await mesh.replicas[1].sweep.sweep();
    expect((await calls.show(sessionId)).session).toMatchObject({
      state: 'expired',
      reason: 'SIGNALLING_OVER',
      expiresAt,
    });
    expect((await calls.events(inboxId, lastSeq, 0)).events).toEqual([]);
  });

  async function offersOf(inboxId: string, waitMs = 0) {
    const { events } = await calls.events(inboxId, undefined, waitMs);
    return events.flatMap(({ event }) => (event.type === 'offer' ? [event] : []));
  }
});

describe('what is wrong with an offer', () => {
  let mesh: MeshOnBus;
  let calls: MeshCalls;
  beforeAll(async () => {
    mesh = await startMeshOnBus(1, { MESH_CANDIDATES: 'public' });
    calls = callsOf(mesh);
  });
  afterAll(() => mesh?.close());

  const peer = new MeshPeer();
  const good = description();
  const lines = (change: (lines: string[]) => string[]) => change(good.split('\r\n')).join('\r\n');
  const many = description({ addresses: Array.from({ length: 31 }, (_, i) => `8.8.4.4 ${40_000 + i}`) });

  it.each([
    ['nothing', '', 'VALIDATION_FAILED', undefined],
    ['65 KB', `${good}a=x:${'x'.repeat(65_536)}\r\n`, 'VALIDATION_FAILED', undefined],
    [
      'more bytes than characters',
      `${good}a=x:${'ä'.repeat(33_000)}\r\n`,
      'UNPROCESSABLE TOO_LONG',
      undefined,
    ],
    [
      'two sections',
      `${good}m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n`,
      'UNPROCESSABLE SECTION',
      17,
    ],
    [
      'no fingerprint',
      lines(all => all.filter(line => !line.startsWith('a=fingerprint'))),
      'UNPROCESSABLE MISSING',
      undefined,
    ],
    ['sha-1', good.replace(/sha-256 .*/, 'sha-1 AB:CD'), 'UNPROCESSABLE FINGERPRINT', 12],
    ['31 candidates', many, 'UNPROCESSABLE TOO_MANY_CANDIDATES', 46],
    [
      'loopback alone',
      description({ addresses: ['127.0.0.1 40000'] }),
      'UNPROCESSABLE NO_PUBLIC_CANDIDATE',
      16,
    ],
    [
      'private addresses alone',
      description({ addresses: ['10.0.0.1 40000', '192.168.1.1 40000'] }),
      'UNPROCESSABLE NO_PUBLIC_CANDIDATE',
      16,
    ],
  ])('is said of %s, with its line, and nothing is left open', async (_, sdpOffer, reason, line) => {
    const request = { peerPublicKey: peer.publicKey, sdpOffer };
    for (const work of [() => calls.admit(request), () => calls.meet(request)]) {
      expect(await reasonOf(work())).toBe(reason);
      const { payload } = await problemOf(work());
      expect(payload.errors?.[0].path).toMatch(/sdpOffer$/);
      if (line !== undefined)
        expect(payload).toMatchObject({
          extensions: { line },
          errors: [{ message: expect.stringContaining(`line ${line}`), got: expect.stringMatching(/./) }],
        });
    }
    expect(await nothingIsOpen()).toBe(true);
  });

  it('is said of its proof, and nothing is left open', async () => {
    const other = new MeshPeer();
    const right = peer.rendezvous(good);
    const flipped = `${right.signature!.slice(0, -1)}${right.signature!.endsWith('0') ? '1' : '0'}`;
    const wrong: [object, string][] = [
      [{ ...right, signature: flipped }, 'SIGNATURE_INVALID'],
      [peer.rendezvous(good, undefined, { timestamp: Date.now() - 61_000 }), 'TIMESTAMP_UNTIMELY'],
      [{ ...right, peerPublicKey: other.publicKey }, 'SIGNATURE_INVALID'],
      [{ ...right, sdpOffer: description() }, 'SIGNATURE_INVALID'],
    ];
    for (const [request, reason] of wrong)
      expect(await reasonOf(calls.meet(request))).toBe(`IDENTITY_UNPROVED ${reason}`);
    expect(await reasonOf(calls.meet({ ...right, nonce: undefined }))).toBe('VALIDATION_FAILED');
    expect(await nothingIsOpen()).toBe(true);
    // What was refused has used no nonce.
    const { sessionId } = await answeredOf(calls.meet(right));
    expect(await reasonOf(calls.meet(right))).toBe('IDENTITY_UNPROVED NONCE_USED');
    await calls.end(sessionId);
  });

  it('is nothing where private candidates come beside public ones: they do not reach the connection', async () => {
    const sdpOffer = description({ addresses: ['10.0.0.1 40000', '8.8.4.4 40000', 'a-b.local 40001'] });
    const { sessionId } = await answeredOf(calls.meet(peer.rendezvous(sdpOffer)));
    const used = mesh.replicas[0].superPeer.held.get(sessionId)!.sdpOffer;
    expect(inspectOffer(used, ANY).candidates.map(({ address }) => address)).toEqual(['8.8.4.4']);
    await calls.trickle(sessionId, fragmentOf(sdpOffer, ['192.168.1.1 41000', '8.8.4.5 41000']));
    expect(mesh.replicas[0].superPeer.held.get(sessionId)!.candidates).toEqual([
      candidateAt('8.8.4.5 41000', 101),
    ]);
    await calls.end(sessionId);
  });

  const nothingIsOpen = async () => {
    const open = await mesh.database.query(
      `SELECT 1 FROM mesh_session WHERE state NOT IN ('closed', 'expired')`,
    );
    return open.length === 0 && mesh.replicas[0].superPeer.held.size === 0;
  };
});

function isSigned(
  proof: {
    peerPublicKey: string;
    signature: string;
    nonce: string;
    timestamp: number;
    method: string;
    path: string;
    target?: string;
  },
  sdp: string,
): boolean {
  const { method, path, target: targetKey, nonce, timestamp: timestampMs } = proof;
  const fingerprint = /^a=fingerprint:sha-256 (\S+)/m.exec(sdp)![1];
  const text = rendezvousText({ method, path, sdp, fingerprint, targetKey, nonce, timestampMs });
  return isSignedWith(proof.peerPublicKey, text, proof.signature);
}
