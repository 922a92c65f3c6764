import { nodeRtc, ScriptedMesh } from '../../testing/mesh-service.js';
import { settled } from '../../testing/settled.js';
import { createPeerIdentity, joinMesh, type JoinOptions, type MeshPeer } from '../../src/mesh/index.js';

let service: ScriptedMesh;
let peers: MeshPeer[];
beforeEach(async () => {
  service = await ScriptedMesh.start();
  peers = [];
});
afterEach(async () => {
  await Promise.all(peers.map(peer => peer.close()));
  service.close();
});

async function join(options: Partial<JoinOptions> = {}): Promise<MeshPeer> {
  const peer = await joinMesh({
    baseUrl: 'http://mesh.test',
    fetch: service.fetch,
    rtc: nodeRtc,
    ...{ backoffMs: 20, pingMsMin: 10 },
    ...options,
  });
  peers.push(peer);
  return peer;
}

describe('a peer', () => {
  it('joins with a signed offer and says what it verified', async () => {
    const identity = await createPeerIdentity({ kind: 'secp256k1' });
    const peer = await join({ identity });
    const [session] = service.sessions.values();
    expect(peer.state).toBe('open');
    expect(peer.session).toEqual({
      sessionId: session.id,
      nodeId: 'node-1',
      identity: 'verified',
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      serviceFingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      servicePublicKey: service.key.publicKey,
    });
    expect(session.offer.peerPublicKey).toBe(identity.publicKey);
    expect(service.requests.filter(request => request.startsWith('PATCH'))).toEqual([]);
  });

  it('gets back what it sends on echo, each its own, in any number at once', async () => {
    const peer = await join();
    const sent = Array.from({ length: 100 }, (_, i) => new Uint8Array(1 + i * 600).fill(i));
    const back = await Promise.all(sent.map(bytes => peer.echo(bytes)));
    expect(back.every((bytes, i) => Buffer.from(bytes).equals(Buffer.from(sent[i])))).toBe(true);
    expect(() => peer.echo(new Uint8Array(65_537))).toThrow(RangeError);
    expect(() => peer.echo(new Uint8Array())).toThrow(RangeError);
    const flood = await Promise.allSettled(Array.from({ length: 1_100 }, () => peer.echo(new Uint8Array(1))));
    const refused = flood.filter(one => one.status === 'rejected');
    expect(refused.length).toBe(76);
    expect(refused[0].reason).toMatchObject({ code: 'TOO_MUCH_WAITS' });
    expect(await peer.ping()).toBeGreaterThan(0);
  });

  it('sees what another writes, and both have the hash of the service', async () => {
    const [one, other] = await Promise.all([join(), join()]);
    one.document.shared.set('from', 'one');
    await settled(() => other.document.shared.get('from') === 'one');
    other.document.shared.set('from', 'other');
    other.document.shared.set('list', [1, { two: null }]);
    await settled(() => one.document.shared.get('from') === 'other' && one.document.shared.has('list'));
    await settled(() => service.document.stateHash === one.document.stateHash);
    expect(other.document.stateHash).toBe(one.document.stateHash);
  });

  it('undoes a change that is not taken, says why, and the next one is, also after it has connected again', async () => {
    const peer = await join();
    const first = peer.document;
    first.shared.set('good', 1);
    const seen: string[] = [];
    peer.on('refused', ({ code, got }) => seen.push(got === undefined ? code : `${code} ${got}`));
    peer.on('documentRenewed', document => seen.push(document === peer.document ? 'renewed' : 'another'));
    first.document.getMap('other').set('a', 1);
    peer.document.document.getMap('nodes').set('forged', { publicKey: 'x' });
    expect(seen).toEqual(['UNKNOWN_ROOT', 'renewed', 'FOREIGN_ENTRY', 'renewed']);
    expect(peer.document.shared.toJSON()).toEqual({ good: 1 });
    peer.document.shared.set('after', 2);
    // Whoever has kept the first one is heard, too.
    first.shared.set('later', 3);
    await settled(() => service.document.state.shared.later === 3);
    expect(peer.document.stateHash).toBe(service.document.stateHash);
    seen.splice(0);
    const local = peer.document;
    const bound = { code: 'DOCUMENT_FULL', detail: 'too large', max: 4, got: 5 };
    service.say({ type: 'refused', ...bound });
    await settled(() => peer.document !== local && peer.document.shared.get('later') === 3);
    expect(seen).toEqual(['DOCUMENT_FULL 5', 'renewed']);
    service.kill();
    await settled(() => peer.state === 'connecting');
    await settled(() => peer.state === 'open');
    peer.document.shared.set('last', 4);
    await settled(() => service.document.state.shared.last === 4);
    expect(service.document.state.shared).toEqual({ good: 1, after: 2, later: 3, last: 4 });
  });

  it('goes on with a document that the service has begun anew, and with what it wrote just before', async () => {
    const peer = await join();
    const before = peer.document;
    before.shared.set('list', [1]);
    await settled(() => service.document.state.shared.list !== undefined);
    service.renewDocument();
    before.shared.set('late', 2);
    await settled(() => peer.document !== before && service.document.state.shared.late === 2);
    peer.document.shared.set('next', 3);
    await settled(() => service.document.state.shared.next === 3);
    expect(service.document.state.shared).toEqual({ list: [1], late: 2, next: 3 });
    expect(peer.document.stateHash).toBe(service.document.stateHash);
    expect(peer.state).toBe('open');
  });

  it('makes another connection when one is lost, and brings what was written in between', async () => {
    const peer = await join();
    const [first] = service.sessions.keys();
    const told: string[] = [];
    peer.on('lost', () => told.push('lost'));
    peer.on('open', ({ sessionId }) => told.push(sessionId));
    service.kill();
    await settled(() => peer.state === 'connecting');
    expect(peer.session).toBeUndefined();
    await expect(peer.echo(new Uint8Array(1))).rejects.toMatchObject({ code: 'DISCONNECTED' });
    peer.document.shared.set('meanwhile', true);
    await settled(() => peer.state === 'open');
    await settled(() => service.document.state.shared.meanwhile === true);
    expect(told).toEqual(['lost', peer.session!.sessionId]);
    expect(peer.session!.sessionId).not.toBe(first);
  });

  it('has another connection before it leaves one that drains', async () => {
    const peer = await join();
    const [first] = service.sessions.values();
    const states: string[] = [];
    peer.on('state', state => states.push(state));
    peer.on('draining', ({ reconnectWithinMs }) => states.push(`draining ${reconnectWithinMs}`));
    service.say({ type: 'draining', reconnectWithinMs: 100 });
    await settled(() => peer.session?.sessionId !== first.id);
    await settled(() => first.state === 'closed');
    expect(states).toEqual(['draining 100']);
    expect(peer.state).toBe('open');
    expect(await peer.echo(new Uint8Array([7]))).toEqual(new Uint8Array([7]));
  });

  it('waits as long as it is asked to, tries again what may pass, and gives up what will not', async () => {
    const peer = await join();
    const answer = (status: number, code: string, retryAfter: string) => () =>
      new Response(JSON.stringify({ code, detail: code }), {
        status,
        headers: { 'retry-after': retryAfter },
      });
    service.refusals.push(answer(429, 'RATE_LIMITED', '1'), answer(403, 'FORBIDDEN', '0'));
    const lost: { retryInMs: number }[] = [];
    peer.on('lost', event => lost.push(event));
    const closed = new Promise<{ error?: unknown }>(resolve => peer.on('closed', resolve));
    service.kill();
    expect((await closed).error).toMatchObject({ code: 'FORBIDDEN' });
    expect(lost.length).toBe(2);
    expect(lost[1].retryInMs).toBeGreaterThanOrEqual(1_000);
    expect(peer.state).toBe('closed');
    await expect(peer.ping()).rejects.toMatchObject({ code: 'DISCONNECTED' });
  });

  it('closes its session, and connects no more', async () => {
    const peer = await join();
    const [session] = service.sessions.values();
    const events: unknown[] = [];
    peer.on('closed', event => events.push(event));
    await peer.close();
    await peer.close();
    expect(session.state).toBe('closed');
    expect(events).toEqual([{ error: undefined }]);
    expect(service.requests.filter(request => request.endsWith('rendezvous')).length).toBe(1);
    await expect(peer.echo(new Uint8Array(1))).rejects.toMatchObject({ code: 'DISCONNECTED' });
  });

  it('says at once that there is no WebRTC, and gives up when it is told to', async () => {
    await expect(join({ rtc: undefined })).rejects.toMatchObject({ code: 'WEBRTC_MISSING' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(join({ signal })).rejects.toThrow('enough');
    expect(service.sessions.size).toBe(0);
  });

  it('pings where nothing else goes, so that its connection is not closed as idle', async () => {
    service.idleMs = 40;
    const peer = await join();
    const pongs: number[] = [];
    peer.on('control', message => message.type === 'pong' && pongs.push(message.id));
    await settled(() => pongs.length >= 2);
    expect(pongs.slice(0, 2)).toEqual([1, 2]);
  });
});
