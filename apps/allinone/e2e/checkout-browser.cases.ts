import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type CardRoute, GOOD_CARD } from './card-fixture.js';

/** A folder where a person who wants to look finds what the browser showed. */
const SCREENSHOTS = process.env.SCREENSHOTS;
const KEY = /svc_(?:test|live)_[a-z0-9]{16}_[\w-]{43}/;

let card: CardRoute;
let browser: Browser | undefined;

/** A browser that runs no scripts: every page on the way has to do without. */
async function openPage(): Promise<Page> {
  const context = await browser!.newContext({ javaScriptEnabled: false, locale: 'en-US' });
  return context.newPage();
}

async function look(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

async function fillIn(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
}

/**
 * The hosted page of a checkout in a browser.
 * @param browserOf undefined where none is installed
 */
export function describeCheckoutBrowser(cardOf: () => CardRoute, browserOf: () => Browser | undefined): void {
  describe('checkout in a browser', () => {
    beforeAll(() => {
      card = cardOf();
      browser = browserOf();
    });

    it('a browser buys a credit pack on the hosted page and sees its key once', async () => {
      if (!browser) return console.log('SKIPPED: chromium is not installed');
      const order = await card.call('POST', '/prepay-credits', { packId: 'pack_50' });
      expect(order.status).toBe(200);
      const page = await openPage();
      await page.goto(order.json.checkoutUrl);
      const asked = await page.innerText('body');
      expect(asked).toContain('no money moves');
      expect(asked).toContain('$50.00');
      await look(page, '1-checkout');

      await fillIn(page, { email: 'buyer@example.com', ...GOOD_CARD, number: '4000 0000 0000 9995' });
      await page.click('button[value=pay]');
      expect(await page.innerText('[role=alert]')).toBe('Your card has insufficient funds.');
      expect(await page.inputValue('[name=email]')).toBe('buyer@example.com');
      await look(page, '2-declined');

      await fillIn(page, GOOD_CARD);
      await page.click('button[value=pay]');
      expect(page.url()).toBe(`${card.route.address}/prepay-success?session_id=${order.json.sessionId}`);
      const shown = await page.innerText('body');
      const [key] = KEY.exec(shown)!;
      expect(shown).toContain('200 audits');
      await look(page, '3-bought');

      await page.reload();
      const again = await page.innerText('body');
      expect(again).not.toMatch(KEY);
      expect(again).toContain('shown once');
      await look(page, '4-reloaded');
      await page.goto(order.json.checkoutUrl);
      expect(await page.innerText('body')).toContain('This checkout is complete');

      const account = await card.call('GET', '/v1/account', undefined, { 'x-svc-key': key });
      expect([account.status, account.json.balanceMicroUsd]).toEqual([200, 50_000_000]);
      await page.context().close();
    });

    it('a browser that cancels is led back, and nothing is bought', async () => {
      if (!browser) return console.log('SKIPPED: chromium is not installed');
      const order = await card.call('POST', '/prepay-credits', {});
      const page = await openPage();
      await page.goto(order.json.checkoutUrl);
      await page.click('button[value=cancel]');
      expect(new URL(page.url()).origin).toBe(card.route.address);
      const unpaid = await card.call('GET', `/prepay-success?session_id=${order.json.sessionId}`);
      expect([unpaid.status, unpaid.json.code]).toEqual([409, 'CHECKOUT_UNPAID']);
      await page.context().close();
    });
  });
}
