import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import wrtc from '@roamhq/wrtc';
import { RTCPeerConnection as DataChannelConnection } from 'node-datachannel/polyfill';
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { bundlePagePeer, CHROMIUM, launchChromium, openPeerPage } from './mesh-peers/chromium.js';
import type { Offer } from './mesh-peers/inbox-reader.js';
import { IndependentPeer, type PeerConnectionClass } from './mesh-peers/independent-peer.js';
import type { MeshGateway } from './mesh-peers/mesh-gateway.js';
import { isAnswered, isProven, type SignedAnswer, withOtherFingerprint } from './mesh-peers/signed-texts.js';
import { until } from './processes.js';

const MEGABYTE = 1_048_576;
/** The stacks for Node that are not the browser's: one is Google's own, the other libdatachannel. */
const STACKS: readonly (readonly [name: string, rtc: PeerConnectionClass])[] = [
  ['wrtc', wrtc.RTCPeerConnection as unknown as PeerConnectionClass],
  ['node-datachannel', DataChannelConnection as unknown as PeerConnectionClass],
];
const [[, Wrtc], [, DataChannels]] = STACKS;

let gateway: MeshGateway;
const peers: IndependentPeer[] = [];

async function peerOf(rtc: PeerConnectionClass): Promise<IndependentPeer> {
  const peer = await IndependentPeer.create(rtc, gateway.address);
  peers.push(peer);
  return peer;
}

/** Resolves with the hash that all of them have; each was computed by its own peer. */
async function untilOneHash(...hashes: readonly (() => Promise<string>)[]): Promise<string> {
  let seen: string[] = [];
  await until(
    async () => {
      seen = await Promise.all(hashes.map(hash => hash()));
      return new Set(seen).size === 1;
    },
    () => `one hash of all: ${seen.join(' ')}`,
  );
  return seen[0];
}

const ended = (connection: RTCPeerConnection) =>
  until(
    () => ['failed', 'closed'].includes(connection.connectionState),
    () => `a connection that fails, which is ${connection.connectionState}`,
  );

/**
 * Peers that share no code with the client.
 *
 * @param stacks that open channels of their own
 * @param inBrowsers as well in Chromium
 */
export function describeIndependentPeers(
  gatewayOf: () => MeshGateway,
  stacks: readonly string[] = STACKS.map(([name]) => name),
  inBrowsers = true,
): void {
  beforeAll(() => {
    gateway = gatewayOf();
  });
  afterAll(() => {
    for (const peer of peers) peer.close();
  });

  describe.each(STACKS.filter(([name]) => stacks.includes(name)))('a peer of %s', (_name, rtc) => {
    it('opens the three channels under its key, and a megabyte comes back as it was sent', async () => {
      const peer = await peerOf(rtc);
      const welcome = await peer.meetService();
      expect(welcome).toMatchObject({ identity: 'verified', keyHash: peer.key.keyHash });
      const bytes = Uint8Array.from(randomBytes(MEGABYTE));
      expect(Buffer.compare(await peer.service!.echo(bytes), bytes)).toBe(0);
      // It is written down after the channels are open.
      let session: Record<string, unknown> = {};
      await until(
        async () => {
          session = (await peer.call('GET', `/v1/mesh/sessions/${welcome.sessionId}`)).json;
          return session.state === 'connected';
        },
        () => `a session that is connected: ${JSON.stringify(session)}`,
      );
      expect(session).toMatchObject({ kind: 'super_peer', identity: 'verified' });
    });

    it('does not open a connection whose certificate is not the one that was signed', async () => {
      const peer = await peerOf(rtc);
      const { connection } = await peer.tryService({ offered: withOtherFingerprint });
      await ended(connection);
      expect(peer.document.nodes.size).toBe(0);
    });

    it('does not open a connection to another certificate than the answer names', async () => {
      const peer = await peerOf(rtc);
      const { connection } = await peer.tryService({ answered: withOtherFingerprint });
      await ended(connection);
      expect(peer.document.nodes.size).toBe(0);
    });
  });

  describe('who signs', () => {
    it('an offer whose fingerprint was swapped on the way is refused', async () => {
      const peer = await peerOf(DataChannels);
      const { sdpOffer } = await peer.offer();
      const swapped = { ...(await peer.request(sdpOffer)), sdpOffer: withOtherFingerprint(sdpOffer) };
      await expect(peer.rendezvous(swapped)).rejects.toThrow('401 IDENTITY_UNPROVED SIGNATURE_INVALID');
    });

    it('a swapped fingerprint that the attacker signs shows as the attacker, whoever it claims to be', async () => {
      const [victim, attacker, target] = [
        ...[await peerOf(DataChannels), await peerOf(DataChannels), await peerOf(DataChannels)],
      ];
      const offers: Offer[] = [];
      await target.listen(offer => offers.push(offer));
      const { sdpOffer } = await victim.offer();
      const swapped = await attacker.request(withOtherFingerprint(sdpOffer), target.key.publicKey);
      const claimed = { ...swapped, peerPublicKey: victim.key.publicKey };
      await expect(attacker.rendezvous(claimed)).rejects.toThrow('401 IDENTITY_UNPROVED SIGNATURE_INVALID');
      expect(offers).toEqual([]);

      const answered = attacker.rendezvous(swapped);
      await until(
        () => offers.length > 0,
        () => 'an offer in the inbox',
      );
      const [{ peerProof, sdpOffer: told, sessionId }] = offers;
      expect(peerProof.peerPublicKey).toBe(attacker.key.publicKey);
      const meant = { method: 'POST', path: '/v1/mesh/rendezvous', sdp: told } as const;
      expect(await isProven(peerProof, { ...meant, target: target.key.publicKey })).toBe(true);
      // Nor does it pass for the victim's where the broker lies about who it was.
      const forged = { ...peerProof, peerPublicKey: victim.key.publicKey };
      expect(await isProven(forged, { ...meant, target: target.key.publicKey })).toBe(false);
      await attacker.call('DELETE', `/v1/mesh/sessions/${sessionId}`);
      await answered.catch(() => undefined);
    });

    it('an answer is signed with the key that the service publishes, and not where a certificate is swapped', async () => {
      const peer = await peerOf(DataChannels);
      const { sdpOffer } = await peer.offer();
      const answer = (await peer.rendezvous(await peer.request(sdpOffer))).json as unknown as SignedAnswer;
      expect(await isAnswered(answer, sdpOffer)).toBe(true);
      const swapped = { ...answer, sdpAnswer: withOtherFingerprint(answer.sdpAnswer) };
      expect(await isAnswered(swapped, sdpOffer)).toBe(false);
      const { keys } = (await peer.call('GET', '/.well-known/svc-mesh-keys.json')).json as {
        keys: { publicKey: string }[];
      };
      const published = keys.map(({ publicKey }) => Buffer.from(publicKey, 'base64url').toString('hex'));
      expect(published).toContain(answer.servicePublicKey);
    });

    it('an offer without a proof is answered to nobody in particular', async () => {
      const peer = await peerOf(DataChannels);
      const { sdpOffer } = await peer.offer();
      const { json } = await peer.call('POST', '/v1/mesh/rendezvous', {
        ...{ peerPublicKey: peer.key.publicKey, sdpOffer },
      });
      expect(json).toMatchObject({ identity: 'unverified', answeredBy: 'service' });
    });
  });

  describe('two peers of different stacks', () => {
    it('speak directly, each having checked what the other signed', async () => {
      const [caller, called] = [await peerOf(Wrtc), await peerOf(DataChannels)];
      const answers: ReturnType<IndependentPeer['answer']>[] = [];
      await called.listen(offer => answers.push(called.answer(offer)));
      const link = await caller.connectTo(called.key.publicKey);
      const { link: other, from } = await answers[0];
      link.send('to the one that was called');
      other.send('to the one that called');
      expect([await other.next(), await link.next(), from]).toEqual([
        ...['to the one that was called', 'to the one that called', caller.key.publicKey],
      ]);
    });
  });

  if (inBrowsers) describeBrowsers();
}

function describeBrowsers(): void {
  if (!CHROMIUM) {
    it('needs chromium', () => console.log('SKIPPED: chromium is not installed'));
  } else {
    describe('browsers', () => {
      let browsers: Browser[];
      let pages: Page[];
      beforeAll(async () => {
        browsers = [await launchChromium(), await launchChromium()];
        const [{ address }, script] = [gateway, await bundlePagePeer()];
        // One hides its addresses, as browsers do by default; the other finds it by the checks that it sends.
        pages = [
          await openPeerPage(browsers[0], { address, script, addresses: false }),
          await openPeerPage(browsers[1], { address, script, addresses: true }),
        ];
      });
      afterAll(async () => {
        for (const browser of browsers ?? []) await browser.close();
      });

      it('open the channels under their keys, and a megabyte comes back as it was sent', async () => {
        for (const page of pages) {
          const [welcome, keyHash] = await page.evaluate(async () => [
            ...[await pagePeer.meetService(), pagePeer.keyHash],
          ]);
          expect(welcome).toMatchObject({ identity: 'verified', keyHash });
          const [sent, back] = await page.evaluate(n => pagePeer.echo(n), MEGABYTE);
          expect(back).toBe(sent);
        }
      });

      it('have one document with peers of both other stacks, and the hash that sync_mesh_crdt says', async () => {
        const [wrtcPeer, plainPeer] = [await peerOf(Wrtc), await peerOf(DataChannels)];
        await Promise.all([wrtcPeer.meetService(), plainPeer.meetService()]);
        // Each writes what is its own, and all of them the same entry at once.
        for (const [name, peer] of [['wrtc', wrtcPeer] as const, ['node', plainPeer] as const]) {
          peer.document.shared.set(name, { by: name, é: [1.5, null, 'z\u2028'], aa: true });
          peer.document.shared.set('contended', name);
        }
        await Promise.all(
          pages.map((page, i) =>
            page.evaluate(n => {
              pagePeer.set(`page ${n}`, { n, '\u{1F600}': -0.25 });
              pagePeer.set('contended', `page ${n}`);
            }, i),
          ),
        );
        const keyHashes = await Promise.all(pages.map(page => page.evaluate(() => pagePeer.keyHash)));
        keyHashes.push(wrtcPeer.key.keyHash, plainPeer.key.keyHash);
        const { shared, nodes } = wrtcPeer.document;
        await until(
          () =>
            ['wrtc', 'node', 'page 0', 'page 1'].every(name => shared.has(name)) &&
            keyHashes.every(keyHash => nodes.has(keyHash)),
          () => `all entries and all nodes at one peer: ${JSON.stringify([shared, nodes])}`,
        );
        const hash = await untilOneHash(
          () => wrtcPeer.document.hash(),
          () => plainPeer.document.hash(),
          ...pages.map(page => () => page.evaluate(() => pagePeer.hash())),
          async () => (await gateway.document()).crdtStateHash,
        );
        expect(hash).toMatch(/^[0-9a-f]{64}$/);
        const contended = await Promise.all(
          pages.map(page => page.evaluate(() => pagePeer.get('contended') as string)),
        );
        const agreed = shared.get('contended');
        expect([...contended, plainPeer.document.shared.get('contended')]).toEqual([agreed, agreed, agreed]);
      });

      it('speak directly, each having checked what the other signed', async () => {
        const [caller, called] = pages;
        const keys = await Promise.all(pages.map(page => page.evaluate(() => pagePeer.publicKey)));
        await called.evaluate(() => pagePeer.listen());
        await caller.evaluate(target => pagePeer.connectTo(target), keys[1]);
        await called.waitForFunction(() => pagePeer.other() !== '');
        expect(await called.evaluate(() => pagePeer.other())).toBe(keys[0]);
        await caller.evaluate(() => pagePeer.send('to the one that was called'));
        await called.evaluate(() => pagePeer.send('to the one that called'));
        expect(await called.evaluate(() => pagePeer.next())).toBe('to the one that was called');
        expect(await caller.evaluate(() => pagePeer.next())).toBe('to the one that called');
      });
    });
  }
}
