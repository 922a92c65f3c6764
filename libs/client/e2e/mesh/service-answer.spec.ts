import { nodeRtc, ScriptedMesh } from '../../testing/mesh-service.js';
import {
  createPeerIdentity,
  fingerprintOf,
  joinMesh,
  type PeerConnectionClass,
} from '../../src/mesh/index.js';

let service: ScriptedMesh;
beforeEach(async () => {
  service = await ScriptedMesh.start();
});
afterEach(() => service.close());

/** Counts the remote descriptions that the platform is given: none may be of an answer that is not believed. */
function watchedRtc(): { rtc: PeerConnectionClass; taken: string[] } {
  const taken: string[] = [];
  class Watched extends (nodeRtc as new (configuration?: RTCConfiguration) => RTCPeerConnection) {
    override setRemoteDescription(description: RTCSessionDescriptionInit): Promise<void> {
      taken.push(description.sdp ?? '');
      return super.setRemoteDescription(description);
    }
  }
  return { rtc: Watched, taken };
}

async function refusalOf(): Promise<{ code: string; name: string }> {
  const { rtc, taken } = watchedRtc();
  const before = service.requests.length;
  const error = await joinMesh({ baseUrl: 'http://mesh.test', fetch: service.fetch, rtc }).then(
    peer => peer.close().then(() => ({ code: 'JOINED', name: '' })),
    (thrown: { code: string; name: string }) => thrown,
  );
  const asked = service.requests.slice(before).filter(request => request.endsWith('/rendezvous'));
  expect([taken, asked.length]).toEqual([[], 1]);
  return error;
}

const otherFingerprint = (sdp: string) =>
  sdp.replace(
    /^(a=fingerprint:sha-256 )(..)/m,
    (_, head: string, pair: string) => `${head}${pair === 'AA' ? 'BB' : 'AA'}`,
  );

it.each<[string, string, () => void]>([
  [
    'whose fingerprint was swapped',
    'SIGNATURE_INVALID',
    () => (service.alter = answer => ({ ...answer, sdpAnswer: otherFingerprint(answer.sdpAnswer) })),
  ],
  [
    'whose candidates were changed',
    'SIGNATURE_INVALID',
    () =>
      (service.alter = answer => ({
        ...answer,
        sdpAnswer: answer.sdpAnswer.replace(/typ host/, 'typ srflx'),
      })),
  ],
  [
    'signed by a key that is not published',
    'KEY_NOT_PUBLISHED',
    () =>
      (service.alter = async (answer, session) => {
        const mallory = await ScriptedMesh.start();
        return mallory.sign(session, answer.sdpAnswer);
      }),
  ],
  [
    'that names a published key and is signed by another',
    'SIGNATURE_INVALID',
    () =>
      (service.alter = async (answer, session) => {
        const mallory = await ScriptedMesh.start();
        return {
          ...(await mallory.sign(session, answer.sdpAnswer)),
          servicePublicKey: service.key.publicKey,
        };
      }),
  ],
  [
    'of another session to another offer',
    'SIGNATURE_INVALID',
    () =>
      (service.alter = async (answer, session) =>
        service.sign(
          { ...session, offer: { ...session.offer, sdpOffer: `${session.offer.sdpOffer}a=x\r\n` } },
          answer.sdpAnswer,
        )),
  ],
  [
    'that names another session than was signed',
    'SIGNATURE_INVALID',
    () => (service.alter = answer => ({ ...answer, sessionId: `mesh_${'9'.repeat(32)}` })),
  ],
  [
    'that names a peer where the service was asked',
    'SIGNATURE_INVALID',
    () =>
      (service.alter = async (answer, session) => {
        const { publicKey } = await createPeerIdentity();
        return service.sign(session, answer.sdpAnswer, { peerPublicKey: publicKey } as never);
      }),
  ],
  [
    'that is over',
    'ANSWER_EXPIRED',
    () => (service.alter = answer => ({ ...answer, expiresAt: new Date(Date.now() - 61_000).toISOString() })),
  ],
  [
    'whose end was put off',
    'SIGNATURE_INVALID',
    () =>
      (service.alter = answer => ({ ...answer, expiresAt: new Date(Date.now() + 600_000).toISOString() })),
  ],
  ['without an end', 'ANSWER_EXPIRED', () => (service.alter = answer => ({ ...answer, expiresAt: 'never' }))],
  [
    'that is no description',
    'DESCRIPTION_INVALID',
    () => (service.alter = answer => ({ ...answer, sdpAnswer: 'v=0\r\n' })),
  ],
  [
    'with a signature that is no hex',
    'SIGNATURE_INVALID',
    () => (service.alter = answer => ({ ...answer, answerSignature: 'zz' })),
  ],
])('an answer %s is refused before anything is connected', async (_, code, attack) => {
  attack();
  expect(await refusalOf()).toMatchObject({ code, name: 'MeshDistrustError' });
});

it.each<[string, Partial<ReturnType<ScriptedMesh['publishedKeys']>[number]>]>([
  ['was revoked', { revokedAt: '2024-01-01T00:00:00.000Z' }],
  ['is not in use yet', { notBefore: '2100-01-01T00:00:00.000Z' }],
  ['is not in use any more', { notAfter: '2024-01-01T00:00:00.000Z' }],
  ['is of another algorithm', { alg: 'ML-DSA-65' as 'Ed25519' }],
  ['is no key', { publicKey: '!' }],
])('an answer signed by a key that %s is refused', async (_, change) => {
  const published = service.publishedKeys()[0];
  service.publishedKeys = () => [{ ...published, ...change }];
  expect(await refusalOf()).toMatchObject({ code: 'KEY_NOT_PUBLISHED' });
});

it('an answer that is what it says is taken', async () => {
  const { rtc, taken } = watchedRtc();
  const peer = await joinMesh({ baseUrl: 'http://mesh.test', fetch: service.fetch, rtc });
  expect(taken.map(fingerprintOf)).toEqual([peer.session!.serviceFingerprint]);
  await peer.close();
});
