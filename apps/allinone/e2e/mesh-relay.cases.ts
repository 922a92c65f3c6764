import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import wrtc from '@roamhq/wrtc';
import type { Offer } from './mesh-peers/inbox-reader.js';
import { IndependentPeer, type PeerConnectionClass } from './mesh-peers/independent-peer.js';
import type { MeshGateway } from './mesh-peers/mesh-gateway.js';
import { TURN_SERVER, type TurnServer } from './mesh-peers/turn-server.js';
import { until } from './processes.js';

const Wrtc = wrtc.RTCPeerConnection as unknown as PeerConnectionClass;

/** Credentials that the relay was not told of. */
const FORGED: readonly (readonly [string, (server: RTCIceServer) => RTCIceServer])[] = [
  [
    'another password',
    ({ credential, ...server }: RTCIceServer): RTCIceServer => ({
      ...server,
      credential: `${credential}A`,
    }),
  ],
  [
    'a later end than was given',
    ({ username = '', ...server }: RTCIceServer): RTCIceServer => {
      const [endS, ...name] = username.split(':');
      return { ...server, username: [Number(endS) + 3_600, ...name].join(':') };
    },
  ],
];

/**
 * @param turnOf the relay that the gateway names
 * @param forged how many other credentials are shown to the relay
 */
export function describeMeshRelay(
  turnOf: () => TurnServer | undefined,
  gatewayOf: () => MeshGateway,
  forged = FORGED.length,
): void {
  if (!TURN_SERVER) {
    it('needs coturn', () => console.log('SKIPPED: coturn is not installed'));
  } else {
    describe('peers that cannot reach each other but over a relay', () => {
      let gateway: MeshGateway;
      const peers: IndependentPeer[] = [];
      beforeAll(() => {
        gateway = gatewayOf();
      });
      afterAll(() => {
        for (const peer of peers) peer.close();
      });

      /** A peer with an offer in its inbox, and who calls it. */
      const called = async () => {
        const offers: Offer[] = [];
        const [caller, target] = [await newPeer(), await newPeer()];
        await target.listen(offer => offers.push(offer));
        const link = caller.connectTo(target.key.publicKey);
        // It may be that nobody answers.
        link.catch(() => undefined);
        await until(
          () => offers.length > 0,
          () => 'an offer in the inbox',
        );
        return { target, offer: offers[0], link };
      };
      const newPeer = async () => {
        const peer = await IndependentPeer.create(Wrtc, gateway.address);
        peers.push(peer);
        return peer;
      };

      it('speak over it, by the credential that comes with the offer', async () => {
        const { target, offer, link } = await called();
        const [{ urls, username = '' }] = offer.iceServers;
        expect(urls).toEqual([turnOf()!.url]);
        const leftS = Number(username.split(':')[0]) - Date.now() / 1_000;
        expect(leftS).toBeGreaterThan(3_500);
        expect(leftS).toBeLessThanOrEqual(3_600);

        const { iceServers } = offer;
        const answered = await target.answer(offer, { iceServers, iceTransportPolicy: 'relay' });
        const caller = await link;
        caller.send('over the relay');
        answered.link.send('and back');
        expect([await answered.link.next(), await caller.next()]).toEqual(['over the relay', 'and back']);
        // What has been received may be known before the pair that it came over.
        let ways: string[] = [];
        await until(
          async () => (ways = await wayOf(answered.link.connection)).length > 0,
          () => 'the pair of candidates that is used',
        );
        expect(ways).toEqual(['relay']);
      });

      it.each(FORGED.slice(0, forged))('are given none for %s', async (_what, change) => {
        const { offer } = await called();
        const connection = new Wrtc({
          iceServers: offer.iceServers.map(change),
          iceTransportPolicy: 'relay',
        });
        try {
          const candidates: string[] = [];
          connection.addEventListener('icecandidate', ({ candidate }) => {
            if (candidate?.candidate) candidates.push(candidate.candidate);
          });
          await connection.setRemoteDescription({ type: 'offer', sdp: offer.sdpOffer });
          await connection.setLocalDescription(await connection.createAnswer());
          await until(
            () => connection.iceGatheringState === 'complete',
            () => 'all that can be gathered',
          );
          expect(candidates).toEqual([]);
        } finally {
          connection.close();
        }
      });
    });
  }
}

/** The types of this side's candidates that a connection goes over. */
async function wayOf(connection: RTCPeerConnection): Promise<string[]> {
  const stats = [...(await connection.getStats()).values()] as Record<string, unknown>[];
  const used = stats.filter(
    ({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded',
  );
  return used.map(pair => stats.find(({ id }) => id === pair.localCandidateId)?.candidateType as string);
}
