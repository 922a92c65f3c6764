import { createHash } from 'node:crypto';
import { ADMIN_KEY } from './card-fixture.js';
import { post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const frequencyBand = 'audible_fsk';
const TOOL = 'verify_acoustic_proximity_token';

/** @param shared what all suites of the file share */
export function describeSoundTasks(shared: () => PaidRoute): void {
  describe('sounds as tasks', () => {
    describe('the desk of sounds, with the services as they are', () => {
      let route: PaidRoute;
      let key: string;

      beforeAll(async () => {
        route = shared();
        const admin = { 'x-svc-key': ADMIN_KEY };
        const accounts = `${route.address}/v1/admin/accounts`;
        const { json: account } = await post(accounts, {}, admin);
        const one = `${accounts}/${String(account.accountId)}`;
        await post(`${one}/credit`, { amountMicroUsd: 1_000_000, reason: 'test' }, admin);
        key = (await post(`${one}/keys`, {}, admin)).json.key as string;
      });

      const give = async (
        capability: string,
        task: object,
        more: object = {},
      ): Promise<{ status: number; json: Json }> => {
        const url = `${route.address}/departments/acoustics`;
        let { status, json } = await post(
          url,
          { capability, task, ...more },
          { 'x-svc-key': key, prefer: 'wait=20' },
        );
        while (status === 202 || json.status === 'RUNNING' || json.status === 'QUEUED') {
          const response = await fetch(`${url}/tasks/${String(json.taskId)}`);
          [status, json] = [response.status, (await response.json()) as Json];
        }
        return { status, json };
      };
      const resultOf = async (capability: string, task: object): Promise<Json> => {
        const { json } = await give(capability, task);
        expect([json.status, json.problem]).toEqual(['COMPLETED', undefined]);
        return json.result as Json;
      };

      it('makes a packet, hears it, challenges and pairs, each with its evidence', async () => {
        const packet = { payloadHex: '0x48656c6c6f', frequencyBand, baud: 300, includeWav: true };
        const made = await resultOf('acoustic.modulate', packet);
        const wav = Buffer.from(made.wavBase64, 'base64');
        expect(made.sha256).toBe(createHash('sha256').update(wav).digest('hex'));
        const channel = { frequencyBand, baud: 300 };
        const heard = await resultOf('acoustic.demodulate', { ...channel, recordingBase64: made.wavBase64 });
        expect(heard).toMatchObject({ decoded: true, payloadHex: '0x48656c6c6f' });
        const challenge = await resultOf('acoustic.challenge', { deviceId: 'door-7', frequencyBand });
        const claimed = { deviceId: 'door-7', challengeNonce: challenge.challengeNonce };
        const call = { ...claimed, recordingBase64: challenge.audio };
        const first = await give('acoustic.verify-pairing', call);
        const paired = first.json.result as Json;
        expect(paired.pairingToken).toMatch(/^pair1\./);
        for (const result of [made, heard, challenge, paired]) {
          expect(result).toMatchObject({ proves: 'commitment', auditProof: { root: expect.any(String) } });
        }
        // What was paired is said again by the tool, which is paid for.
        const said = await resultOf(TOOL, { ...claimed, frequencyBand });
        expect(said.pairingToken).toBe(paired.pairingToken);
        // The same purchase again is the same task; another of the same recording is no second pairing, and costs nothing.
        const again = await give('acoustic.verify-pairing', call);
        expect(again.json.taskId).toBe(first.json.taskId);
        const another = await give('acoustic.verify-pairing', call, { priority: 'high' });
        expect(another).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
        expect(another.json.taskId).not.toBe(first.json.taskId);
      });

      it('refuses before any payment what cannot be done', async () => {
        const long = { payloadHex: 'ab'.repeat(700), frequencyBand, baud: 300, includeWav: true };
        const refused = await give('acoustic.modulate', long);
        expect(refused).toMatchObject({
          ...{
            status: 422,
            json: { code: 'UNPROCESSABLE', errors: [{ path: 'task.includeWav', bound: '25' }] },
          },
        });
        const unknown = { deviceId: 'door-7', challengeNonce: '11'.repeat(16), frequencyBand };
        expect(await give(TOOL, unknown)).toMatchObject({ status: 409, json: { reason: 'NO_CAPTURE' } });
      });
    });
  });
}
