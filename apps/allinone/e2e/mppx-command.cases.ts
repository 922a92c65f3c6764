import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CardRoute } from './card-fixture.js';

const MPPX = join(createRequire(import.meta.url).resolve('mppx'), '../bin.js');
const BODY = { traceData: '0x6d707078', degree: 1024 };

let card: CardRoute;
let home: string;

/** The program `mppx` as it is published, which mints its own token at the processor and pays with it. */
function mppx(...argv: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    MPPX_STRIPE_SECRET_KEY: card.emulator.secretKey,
    MPPX_STRIPE_SPT_URL: `${card.emulator.url}/v1/test_helpers/shared_payment/granted_tokens`,
  };
  return new Promise(resolve =>
    execFile(process.execPath, [MPPX, ...argv], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) || 1 : 0, output: stdout + stderr }),
    ),
  );
}

const pay = (paymentMethod: string) =>
  mppx(
    `${card.route.address}/v1/zk/prove`,
    '-J',
    JSON.stringify(BODY),
    '-M',
    `paymentMethod=${paymentMethod}`,
    '-i',
    '-v',
  );

/** @param whole as well a card that is declined and the program's own validator; a run of it takes two CPU seconds */
export function describeMppxCommand(cardOf: () => CardRoute, whole: boolean): void {
  describe('the program mppx', () => {
    beforeAll(async () => {
      [card, home] = [cardOf(), await mkdtemp(join(tmpdir(), 'mppx-'))];
    });
    afterAll(() => rm(home, { recursive: true, force: true }));

    it('the program mppx mints a token at the processor, pays with it, and gets its proof', async () => {
      const { code, output } = await pay('pm_card_visa');
      expect([code, output]).toEqual([0, expect.stringContaining('"status":"VERIFIED_VALID"')]);
      const [, reference] = /reference\s+(pi_\w+)/.exec(output)!;
      const intent = await card.stripe.paymentIntents.retrieve(reference);
      expect(intent).toMatchObject({ status: 'succeeded', amount_received: 50 });
      expect(output).toMatch(/x-svc-key: svc_test_/);
    });
    if (!whole) return;

    it('the program mppx gets nothing for a card that is declined, and nothing is taken', async () => {
      const before = await card.stripe.balance.retrieve();
      const { output } = await pay('pm_card_chargeDeclined');
      expect(output).not.toContain('VERIFIED_VALID');
      expect(await card.stripe.balance.retrieve()).toEqual(before);
    });

    it('the validator of mppx finds nothing that fails, and pays', async () => {
      const endpoint = ['--endpoint', 'POST:/v1/zk/prove', '--body', JSON.stringify(BODY)];
      // It reads the first challenge alone, which is that of L402 unless a client says what it prefers.
      const { code, output } = await mppx(
        'validate',
        card.route.address,
        ...endpoint,
        '-H',
        'Accept-Payment:stripe/charge',
      );
      expect([code, output]).toEqual([0, expect.stringContaining('Payment [stripe]: successful (HTTP 200)')]);
      expect(output).toMatch(/Summary: \d+ passed/);
      expect(output).not.toMatch(/✗|failed/);
    });
  });
}
