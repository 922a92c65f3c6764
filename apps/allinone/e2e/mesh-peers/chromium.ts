import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where Debian and others put it; undefined: it is not installed. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Names of features that a browser does without. */
type Disabled = readonly string[];
/** It tells pages its addresses themselves, and not by names that only multicast DNS can say. */
export const PLAIN_ADDRESSES: Disabled = ['WebRtcHideLocalIpsWithMdns'];

/** Starts a browser, which also speaks to its own machine: there may be no other network. */
export function launchChromium(disabled: Disabled = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM!,
    args: [
      ...['--no-sandbox', '--allow-loopback-in-peer-connection'],
      ...(disabled.length > 0 ? [`--disable-features=${disabled.join(',')}`] : []),
    ],
  });
}

/** The peer as one script, of what a browser can load alone. */
export async function bundlePagePeer(): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [join(import.meta.dirname, 'page-peer.ts')], bundle: true, write: false },
    ...{ format: 'iife', globalName: 'peerOfThePage', platform: 'browser', target: 'es2022' },
  });
  return outputFiles[0].text;
}

/** A page of the gateway's own origin with a peer in it, as `pagePeer`. */
export async function openPeerPage(browser: Browser, address: string, script: string): Promise<Page> {
  const page = await browser.newPage();
  const url = `${address}/a-peer-in-a-page`;
  await page.route(url, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(url);
  await page.addScriptTag({ content: script });
  await page.evaluate('peerOfThePage.begin()');
  return page;
}
