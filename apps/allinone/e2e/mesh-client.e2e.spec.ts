/// <reference lib="dom" />
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import wrtc from '@roamhq/wrtc';
import { createPeerIdentity, type DirectConnection, joinMesh, type MeshPeer } from '@svc/client/mesh';
import { meshSignallingService } from '@svc/mesh-signalling';
import { cleanup } from 'node-datachannel';
import { RTCPeerConnection as NodeConnection } from 'node-datachannel/polyfill';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { type PaidRoute, startPaidRoute } from './paid-route-fixture.js';

type Rtc = new (configuration?: RTCConfiguration) => RTCPeerConnection;

jest.setTimeout(120_000);

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
/** A folder where a person who wants to look finds what the browser showed. */
const SCREENSHOTS = process.env.SCREENSHOTS;
const PLATFORMS = {
  'node-datachannel': NodeConnection as unknown as Rtc,
  '@roamhq/wrtc': wrtc.RTCPeerConnection as unknown as Rtc,
};
/** Limits of calls are not what is tested here. */
const WIDE = { MESH_KEY_CALLS_PER_MINUTE: '1000', MESH_ADDRESS_CALLS_PER_MINUTE: '1000' };

let route: PaidRoute;
let browser: Browser | undefined;
const peers: MeshPeer[] = [];
const directs: DirectConnection[] = [];
beforeAll(async () => {
  route = await startPaidRoute({ mesh: meshSignallingService, variables: WIDE });
  if (CHROMIUM) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}, 120_000);
afterEach(async () => {
  for (const direct of directs.splice(0)) direct.close();
  await Promise.all(peers.splice(0).map(peer => peer.close()));
});
afterAll(async () => {
  await browser?.close();
  await route?.close();
  cleanup();
}, 60_000);

async function joinBy(rtc: Rtc, kind: 'ed25519' | 'secp256k1' = 'ed25519'): Promise<MeshPeer> {
  const identity = await createPeerIdentity({ kind });
  const peer = await joinMesh({ baseUrl: route.address, rtc, identity });
  peers.push(peer);
  return peer;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}

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
    expect(await two.page.innerText('#direct p.mono')).toContain(await one.page.innerText('#connection dd'));
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
  const assets = [...(await page.text()).matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
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
