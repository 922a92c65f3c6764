/// <reference lib="dom" />
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import wrtc from '@roamhq/wrtc';
import { createClient, sandboxWallet } from '@svc/client';
import { createPeerIdentity, type DirectConnection, joinMesh, type MeshPeer } from '@svc/client/mesh';
import { cleanup } from 'node-datachannel';
import { RTCPeerConnection as NodeConnection } from 'node-datachannel/polyfill';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import type { PaidRoute } from './paid-route-fixture.js';

type Rtc = new (configuration?: RTCConfiguration) => RTCPeerConnection;

/** A folder where a person who wants to look finds what the browser showed. */
const SCREENSHOTS = process.env.SCREENSHOTS;
const PLATFORMS = {
  'node-datachannel': NodeConnection as unknown as Rtc,
  '@roamhq/wrtc': wrtc.RTCPeerConnection as unknown as Rtc,
};
/** Limits of calls are not what is tested here. */
export const MESH_VARIABLES = { MESH_KEY_CALLS_PER_MINUTE: '1000', MESH_ADDRESS_CALLS_PER_MINUTE: '1000' };

let route: PaidRoute;
let browser: Browser | undefined;
const peers: MeshPeer[] = [];
const directs: DirectConnection[] = [];

async function joinBy(rtc: Rtc, kind: 'ed25519' | 'secp256k1' = 'ed25519'): Promise<MeshPeer> {
  const identity = await createPeerIdentity({ kind });
  const peer = await joinMesh({ baseUrl: route.address, rtc, identity });
  peers.push(peer);
  return peer;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}

/**
 * Peers on every platform and in a browser, with the mesh and the prover as they are, started with {@link MESH_VARIABLES}.
 * @param browserOf undefined where none is installed
 */
export function describeMeshClient(routeOf: () => PaidRoute, browserOf: () => Browser | undefined): void {
  describe('peers of the mesh', () => {
    beforeAll(() => {
      route = routeOf();
      browser = browserOf();
    });
    afterEach(async () => {
      for (const direct of directs.splice(0)) direct.close();
      await Promise.all(peers.splice(0).map(peer => peer.close()));
    });
    afterAll(() => cleanup());

    describe.each(Object.entries(PLATFORMS))('a peer on %s', (_, rtc) => {
      it('joins, is entered, echoes, writes, and leaves', async () => {
        const peer = await joinBy(rtc, 'secp256k1');
        const { sessionId } = peer.session!;
        const session = async () =>
          (await (await fetch(`${route.address}/v1/mesh/sessions/${sessionId}`)).json()) as { state: string };
        await until(async () => (await session()).state === 'connected');
        expect(peer.session!.identity).toBe('verified');
        const sent = crypto.getRandomValues(new Uint8Array(65_536));
        expect(Buffer.from(await peer.echo(sent)).equals(sent)).toBe(true);
        await until(() => peer.document.nodes.has(peer.identity.keyHash));
        peer.document.shared.set('by', peer.identity.keyHash);
        peer.document.shared.set('parts', [1, { two: null }]);
        const other = await joinBy(NodeConnection as unknown as Rtc);
        await until(() => other.document.shared.get('by') === peer.identity.keyHash);
        await until(() => other.document.stateHash === peer.document.stateHash);
        await peer.close();
        await until(async () => (await session()).state === 'closed');
      });

      it('goes on over another connection when its own is gone', async () => {
        const peer = await joinBy(rtc);
        const before = peer.session!.sessionId;
        await fetch(`${route.address}/v1/mesh/sessions/${before}`, { method: 'DELETE' });
        await until(() => peer.state === 'connecting');
        peer.document.shared.set('meanwhile', before);
        await until(() => peer.state === 'open');
        expect(peer.session!.sessionId).not.toBe(before);
        const other = await joinBy(rtc);
        await until(() => other.document.shared.get('meanwhile') === before);
      });
    });

    it('the hash that a peer computes is the one that the tool sells', async () => {
      const peer = await joinBy(NodeConnection as unknown as Rtc);
      peer.document.shared.set('counted', Math.PI);
      const other = await joinBy(NodeConnection as unknown as Rtc);
      await until(() => other.document.shared.get('counted') === Math.PI);
      const baseUrl = route.address;
      const client = createClient({ baseUrl, wallet: sandboxWallet({ baseUrl }) });
      let told: Record<string, unknown> = {};
      await until(async () => {
        told = (await client.callTool('sync_mesh_crdt', { peerId: peer.identity.keyHash })).data;
        return told.crdtStateHash === peer.document.stateHash;
      });
      expect(told.meshNodesDiscovered).toBeGreaterThanOrEqual(2);
    });

    it.each<[keyof typeof PLATFORMS, keyof typeof PLATFORMS]>([
      ['node-datachannel', '@roamhq/wrtc'],
      ['@roamhq/wrtc', 'node-datachannel'],
    ])('a peer on %s and one on %s speak directly, each proven to the other', async (from, to) => {
      const [caller, target] = [await joinBy(PLATFORMS[from]), await joinBy(PLATFORMS[to], 'secp256k1')];
      const came: DirectConnection[] = [];
      let isListening = false;
      void target.listen({
        onConnection: direct => directs.push((came[came.length] = direct)),
        onListening: () => (isListening = true),
      });
      await until(() => isListening);
      const direct = await caller.connectTo({ targetKey: target.identity.publicKey });
      directs.push(direct);
      await until(() => came.length > 0);
      const [keys, other] = [[direct.peer.publicKey, came.at(-1)!.peer.publicKey], came.at(-1)!];
      expect(keys).toEqual([target.identity.publicKey, caller.identity.publicKey]);
      const heard = new Promise(resolve =>
        other.channel.addEventListener('message', ({ data }) => resolve(data)),
      );
      direct.channel.send('past the service');
      expect(await heard).toBe('past the service');
    });

    /** A page of the console, and what its browser complained of. */
    async function openConsole(
      context: BrowserContext,
      path = '/console/mesh',
    ): Promise<{ page: Page; faults: string[] }> {
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', message => message.type() === 'error' && faults.push(message.text()));
      page.on('pageerror', error => faults.push(error.message));
      await page.goto(`${route.address}${path}`);
      return { page, faults };
    }

    const look = async (page: Page, name: string) => {
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    };
    const isOpen = (page: Page) => page.waitForSelector('#state[data-state=open]');

    describe('the page of the mesh', () => {
      it('shows two tabs to each other, and what each writes', async () => {
        if (!browser) return console.log('SKIPPED: chromium is not installed');
        const context = await browser.newContext({ locale: 'en-US', colorScheme: 'light' });
        const [one, two] = [await openConsole(context), await openConsole(context)];
        await Promise.all([isOpen(one.page), isOpen(two.page)]);
        for (const { page } of [one, two]) await page.waitForSelector('#nodes tr[data-node] >> nth=1');
        await one.page.fill('#document [name=key]', 'greeting');
        await one.page.fill('#document [name=value]', '{"hello": [1, 2]}');
        await one.page.click('#document button[type=submit]');
        await two.page.waitForSelector('#document tr[data-key=greeting] >> text={"hello":[1,2]}');
        const hashOf = (page: Page) => page.innerText('#document dd');
        await until(async () => (await hashOf(one.page)) === (await hashOf(two.page)));
        await look(one.page, 'mesh-light');
        await two.page.click('#document tr[data-key=greeting] button');
        await one.page.waitForSelector('#document tr[data-key=greeting]', { state: 'detached' });
        expect([...one.faults, ...two.faults]).toEqual([]);
        await context.close();
      });

      it('is the same peer after a reload, and measures its echo', async () => {
        if (!browser) return console.log('SKIPPED: chromium is not installed');
        const context = await browser.newContext({ locale: 'en-US', colorScheme: 'dark' });
        const { page, faults } = await openConsole(context);
        await isOpen(page);
        const key = await page.innerText('#connection dd');
        await page.reload();
        await isOpen(page);
        expect(await page.innerText('#connection dd')).toBe(key);
        await page.click('#echo button');
        await page.waitForSelector('#echo >> text=MB/s');
        expect(await page.innerText('#echo [role=status]')).toMatch(/16,777,216 bytes in [\d.]+ s/);
        await look(page, 'mesh-dark');
        expect(faults).toEqual([]);
        await context.close();
      });

      it('connects to the peer of a link, and they speak past the service', async () => {
        if (!browser) return console.log('SKIPPED: chromium is not installed');
        const context = await browser.newContext({ locale: 'en-US' });
        const one = await openConsole(context);
        await isOpen(one.page);
        const link = new URL((await one.page.getAttribute('#direct a', 'href'))!);
        const two = await openConsole(context, `${link.pathname}${link.hash}`);
        await isOpen(two.page);
        await two.page.click('#direct button[type=submit] >> nth=0');
        await two.page.fill('#direct [name=message]', 'hello from two');
        await two.page.press('#direct [name=message]', 'Enter');
        await one.page.waitForSelector('#direct li.theirs >> text=hello from two');
        await one.page.fill('#direct [name=message]', 'and from one');
        await one.page.press('#direct [name=message]', 'Enter');
        await two.page.waitForSelector('#direct li.theirs >> text=and from one');
        expect(await two.page.innerText('#direct p.mono')).toContain(
          await one.page.innerText('#connection dd'),
        );
        await look(two.page, 'mesh-direct');
        expect([...one.faults, ...two.faults]).toEqual([]);
        await context.close();
      });
    });

    it('the console is served with its policy, its assets for ever, and nothing beside them', async () => {
      const get = (path: string) => fetch(`${route.address}${path}`);
      const page = await get('/console/mesh');
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
      const assets = [...(await page.text()).matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(
        ([, path]) => path,
      );
      expect(assets.length).toBeGreaterThanOrEqual(2);
      for (const path of assets) {
        const asset = await get(path);
        expect([asset.status, asset.headers.get('cache-control')]).toEqual([
          200,
          'public, max-age=31536000, immutable',
        ]);
        expect(asset.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      }
      expect((await get('/console')).status).toBe(200);
      const others = [
        'nothing',
        'assets/nothing.js',
        'assets/%2e%2e%2fmesh.html',
        '%2e%2e%2fpackage',
        'mesh.html',
        'constructor',
      ];
      for (const path of others) expect([path, (await get(`/console/${path}`)).status]).toEqual([path, 404]);
    });
  });
}
