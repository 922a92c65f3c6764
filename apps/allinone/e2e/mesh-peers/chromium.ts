import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where Debian and others put it; undefined: it is not installed. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Starts a browser that, where it may know them, uses the addresses of its own machine too: there may be no other network. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM!,
    args: ['--no-sandbox', '--allow-loopback-in-peer-connection'],
  });

/** Whether the machine has an address that is not a loopback. */
const hasNetwork = Object.values(networkInterfaces())
  .flat()
  .some(address => address !== undefined && !address.internal);

/** The peer as one script, of what a browser can load alone. */
export async function bundlePagePeer(): Promise<string> {
  const { outputFiles } = await build({
    ...{
      entryPoints: [fileURLToPath(new URL('./page-peer.ts', import.meta.url))],
      bundle: true,
      write: false,
    },
    ...{ format: 'iife', globalName: 'peerOfThePage', platform: 'browser', target: 'es2022' },
  });
  return outputFiles[0].text;
}

/**
 * A page of the gateway's own origin with a peer in it, as `pagePeer`.
 *
 * @param options.addresses whether the page may know the addresses of its machine: as in any browser, one that may use the
 * microphone. For others they are hidden behind names of multicast DNS; without a network those would have none at all.
 */
export async function openPeerPage(
  browser: Browser,
  options: { readonly address: string; readonly script: string; readonly addresses: boolean },
): Promise<Page> {
  const { address, script, addresses } = options;
  const context = await browser.newContext();
  if (addresses || !hasNetwork) await context.grantPermissions(['microphone'], { origin: address });
  const page = await context.newPage();
  const url = `${address}/a-peer-in-a-page`;
  await page.route(url, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(url);
  await page.addScriptTag({ content: script });
  await page.evaluate('peerOfThePage.begin()');
  return page;
}
