import { nodeRtc, ScriptedMesh } from '../../testing/mesh-service.js';
import { settled } from '../../testing/settled.js';
import {
  createPeerIdentity,
  type DirectConnection,
  joinMesh,
  type ListenOptions,
  type MeshPeer,
} from '../../src/mesh/index.js';

let service: ScriptedMesh;
let peers: MeshPeer[];
let directs: DirectConnection[];
beforeEach(async () => {
  service = await ScriptedMesh.start();
  [peers, directs] = [[], []];
});
afterEach(async () => {
  for (const direct of directs) direct.close();
  await Promise.all(peers.map(peer => peer.close()));
  service.close();
});

async function join(kind: 'ed25519' | 'secp256k1' = 'ed25519', rtc = nodeRtc): Promise<MeshPeer> {
  const identity = await createPeerIdentity({ kind });
  const peer = await joinMesh({ baseUrl: 'http://mesh.test', fetch: service.fetch, rtc, identity });
  peers.push(peer);
  return peer;
}

/** A peer that listens, and what came to it. */
async function listener(options: Partial<ListenOptions> = {}, rtc = nodeRtc) {
  const peer = await join('secp256k1', rtc);
  const came: DirectConnection[] = [];
  const failures: unknown[] = [];
  const ended = peer.listen({
    onConnection: direct => directs.push((came[came.length] = direct)),
    onFailure: error => failures.push(error),
    ...options,
  });
  await settled(() => service.hasInbox(peer.identity.publicKey));
  return { peer, came, failures, ended };
}

async function connect(from: MeshPeer, to: MeshPeer): Promise<DirectConnection> {
  const direct = await from.connectTo({ targetKey: to.identity.publicKey });
  directs.push(direct);
  return direct;
}

describe('two peers', () => {
  it('speak directly, each knowing the key of the other', async () => {
    const { peer: target, came } = await listener();
    const caller = await join();
    const direct = await connect(caller, target);
    await settled(() => came.length > 0);
    const other = came.at(-1)!;
    expect([direct.peer.publicKey, other.peer.publicKey]).toEqual([
      target.identity.publicKey,
      caller.identity.publicKey,
    ]);
    expect([direct.isOwnOffer, other.isOwnOffer, direct.sessionId]).toEqual([true, false, other.sessionId]);
    const heard = new Promise(resolve =>
      direct.channel.addEventListener('message', ({ data }) => resolve(data)),
    );
    other.channel.addEventListener('message', ({ data }) => other.channel.send(`heard ${data}`));
    direct.channel.send('hello');
    expect(await heard).toBe('heard hello');
    direct.close();
    await other.gone;
  });

  it('hold a certificate against the fingerprint that was checked, whatever stands beside it', async () => {
    /** Its descriptions name a certificate that is not there, too, by a stronger hash. */
    class TwoNamed extends nodeRtc {
      override get localDescription() {
        const said = super.localDescription;
        if (!said?.sdp) return said;
        const other = `a=fingerprint:sha-512 ${Array(64).fill('AB').join(':')}\r\n`;
        return { type: said.type, sdp: said.sdp + other } as RTCSessionDescription;
      }
    }
    const { peer: target, came } = await listener({}, TwoNamed);
    const direct = await connect(await join('ed25519', TwoNamed), target);
    await settled(() => came.length > 0);
    expect(direct.peer.publicKey).toBe(target.identity.publicKey);
  });

  it('find each other where the answer comes later than the rendezvous waits', async () => {
    service.isPutOff = true;
    const { peer: target } = await listener();
    const direct = await connect(await join(), target);
    expect(direct.peer.publicKey).toBe(target.identity.publicKey);
    expect(service.requests).toContain(`GET /v1/mesh/sessions/${direct.sessionId}`);
  });

  it('are not connected where the one that is asked for does not want it', async () => {
    const asked: string[] = [];
    const { peer: target, came } = await listener({
      accept: ({ publicKey }) => {
        asked.push(publicKey);
        return false;
      },
    });
    service.isPutOff = true;
    const caller = await join();
    await expect(connect(caller, target)).rejects.toMatchObject({ code: 'NOT_ANSWERED' });
    expect([asked, came]).toEqual([[caller.identity.publicKey], []]);
  });

  it('meet again after the stream of the inbox broke off, with a new proof', async () => {
    let opened = 0;
    const { peer: target } = await listener({ onListening: () => opened++ });
    service.breakInboxes();
    await settled(() => service.hasInbox(target.identity.publicKey) && opened === 2);
    const direct = await connect(await join(), target);
    expect(direct.peer.publicKey).toBe(target.identity.publicKey);
  });

  it('stop listening with their peer', async () => {
    const { peer, ended } = await listener();
    await peer.close();
    await expect(ended).resolves.toBeUndefined();
  });

  it('are told where the other is not there, and what is no key', async () => {
    const caller = await join();
    const targetKey = (await createPeerIdentity()).publicKey;
    await expect(caller.connectTo({ targetKey })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
    await expect(caller.connectTo({ targetKey: 'ab' })).rejects.toThrow(RangeError);
  });
});

describe('a broker that lies', () => {
  it('cannot answer in the place of the peer that was asked for', async () => {
    const { peer: target } = await listener();
    const mallory = await createPeerIdentity();
    service.alter = async (answer, session) => {
      const path = `/v1/mesh/sessions/${session.id}/answer`;
      const { signProof, fingerprintOf } = await import('../../src/mesh/index.js');
      const fingerprint = fingerprintOf(answer.sdpAnswer);
      const target = session.offer.peerPublicKey;
      const request = { method: 'POST', path, sdp: answer.sdpAnswer, fingerprint, target } as const;
      const proof = { ...(await signProof(mallory, request)), method: 'POST', path, target };
      const signed = await service.sign(session, answer.sdpAnswer, {
        ...answer.peerProof!,
        peerPublicKey: session.offer.targetPeerKey!,
      });
      return { ...signed, peerProof: proof };
    };
    const caller = await join();
    await expect(connect(caller, target)).rejects.toMatchObject({ code: 'PROOF_OF_OTHER_PEER' });
  });

  it('cannot pass on an answer without a proof, or with one that was meant for another', async () => {
    const { peer: target } = await listener();
    const caller = await join();
    service.alter = ({ peerProof: _, ...answer }) => answer;
    await expect(connect(caller, target)).rejects.toMatchObject({ code: 'PROOF_MISSING' });
    const other = (await createPeerIdentity()).publicKey;
    service.alter = answer => ({ ...answer, peerProof: { ...answer.peerProof!, target: other } });
    await expect(connect(caller, target)).rejects.toMatchObject({ code: 'PROOF_OF_OTHER_TARGET' });
  });

  it('cannot bring an offer that was changed, is old, or was made for another', async () => {
    const { peer: target, came, failures } = await listener();
    service.isPutOff = true;
    const caller = await join();
    const changes: [string, (offer: Parameters<typeof service.send>[1] & { type: 'offer' }) => object][] = [
      ['SIGNATURE_INVALID', ({ sdpOffer }) => ({ sdpOffer: sdpOffer.replace(/[0-9A-F]{2}$/m, '00') })],
      ['DESCRIPTION_INVALID', () => ({ sdpOffer: 'v=0' })],
      [
        'PROOF_UNTIMELY',
        ({ peerProof }) => ({ peerProof: { ...peerProof, timestamp: Date.now() - 61_000 } }),
      ],
      ['PROOF_OF_OTHER_TARGET', ({ peerProof }) => ({ peerProof: { ...peerProof, target: undefined } })],
      [
        'PROOF_OF_OTHER_REQUEST',
        ({ peerProof }) => ({ peerProof: { ...peerProof, path: '/v1/mesh/inbox' } }),
      ],
      ['SIGNATURE_INVALID', ({ peerProof }) => ({ peerProof: { ...peerProof, peerPublicKey: 'no key' } })],
      ['SIGNATURE_INVALID', ({ peerProof }) => ({ peerProof: { ...peerProof, nonce: 7 } })],
    ];
    for (const [code, change] of changes) {
      service.alterEvent = event =>
        event.type === 'offer' ? ({ ...event, ...change(event) } as never) : event;
      const abort = new AbortController();
      const before = failures.length;
      const targetKey = target.identity.publicKey;
      const connecting = caller.connectTo({ targetKey, signal: abort.signal }).catch(() => undefined);
      await settled(() => failures.length > before);
      // Before the next change: a caller whose offer is not answered sends it again after a while.
      abort.abort();
      await connecting;
      for (const failure of failures.slice(before)) {
        expect(failure).toMatchObject({ name: 'MeshDistrustError', code });
      }
    }
    expect(came).toEqual([]);
    expect(service.requests.some(request => request.endsWith('/answer'))).toBe(false);
  });
});
