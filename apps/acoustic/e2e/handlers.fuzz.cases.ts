import 'reflect-metadata';
import { acousticContract, type Procedure, toolCallContract } from '@svc/contracts';
import fc from 'fast-check';
import { writeWav } from '@svc/recording';
import { type AcousticOnBus, startAcousticOnBus } from './acoustic-on-bus.js';

const SEED = 20_261_122;

const REFUSALS = [
  ...['VALIDATION_FAILED', 'UNPROCESSABLE', 'NOT_FOUND', 'CONFLICT', 'EXPIRED', 'UNKNOWN_CREDENTIAL'],
  ...['NOT_YET_AVAILABLE', 'BODY_TOO_LARGE', 'QUEUE_FULL'],
];
const CHANNEL = { baud: 300, frequencyBand: 'audible_fsk', profile: 'standard', lineCode: 'frame' };
const HOLDER = {
  ...{ accountId: `acct_${'a'.repeat(20)}`, keyId: 'a'.repeat(16), plan: 'developer', scopes: [] },
};

/** Values at and beyond the edges of what is taken. */
const odd = fc.oneof(
  fc.constantFrom(0, -1, 1.5, 49, 18_599, 19_501, 2 ** 31, 1e308, '', 'x', '0x', null, true, [], {}),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.jsonValue({ maxDepth: 2 }),
);
/** A request with some members replaced, left out or added. */
const spoiled = (base: object, names: readonly string[] = ['extra']) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(base), ...names), fc.option(odd, { nil: undefined }), {
      maxKeys: 3,
    })
    .map(changes => ({ ...base, ...changes }));

const tone = writeWav([Float32Array.from({ length: 4_410 }, (_, n) => 0.4 * Math.sin(0.3 * n))], 44_100);
/** A file with some bytes changed, and cut off somewhere. */
const recordings = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 6 }),
    fc.option(fc.nat(tone.length), { nil: tone.length, freq: 3 }),
  )
  .map(([edits, length]) => {
    const bytes = tone.slice(0, length);
    for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
    return bytes;
  });
const nonces = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map(bytes => Buffer.from(bytes).toString('hex')),
  fc.constantFrom('', '0x', 'zz', '00'.repeat(15)),
);

/** @param numRuns payloads that each handler is sent */
export function describeHandlers(numRuns: number): void {
  describe('every handler of the service', () => {
    let acoustic: AcousticOnBus;
    let known: { readonly beaconKey: string; readonly challengeNonce: string };

    beforeAll(async () => {
      acoustic = await startAcousticOnBus();
      const { enrolBeacon, challenge } = acousticContract;
      const { beaconKey } = await acoustic.client.call(enrolBeacon, { by: HOLDER as never, name: 'b' });
      const { challengeNonce } = await acoustic.client.call(challenge, {
        ...{ deviceId: 'door-7', frequencyBand: 'audible_fsk' },
      });
      known = { beaconKey, challengeNonce };
    });
    afterAll(() => acoustic?.close());

    /** Answers, or refuses with a reason; anything else is a fault of ours. */
    async function isAnswered(procedure: Procedure, payload: unknown): Promise<void> {
      const outcome = await acoustic.client.call(procedure, payload as never).then(
        () => 'answered',
        (error: { code?: string }) => error.code ?? String(error),
      );
      if (outcome !== 'answered') expect(REFUSALS).toContain(outcome);
    }

    const packets = spoiled({ payloadHex: '0x48656c6c6f', ...CHANNEL, includeWav: false }, [
      'carrierHz',
      'x',
    ]);
    const modulations = fc.record({ request: packets, withWav: fc.boolean() });
    const listenings = fc.record({ request: spoiled(CHANNEL, ['carrierHz', 'x']), recording: recordings });
    const challenges = spoiled({ deviceId: 'door-7', frequencyBand: 'audible_fsk' }, ['beaconKey', 'extra']);
    const pairings = fc.oneof(
      fc.record({ deviceId: fc.string({ maxLength: 40 }), challengeNonce: nonces, recording: recordings }),
      recordings.map(recording => ({ deviceId: 'door-7', known: true, recording })),
    );
    const sounds = spoiled({ beaconKey: `bcn_${'A'.repeat(22)}`, emitterSecret: 's', waitMs: 0 });

    it.each([
      ['admitModulate', modulations],
      ['modulate', modulations],
      ['admitDemodulate', listenings],
      ['demodulate', listenings],
      ['admitChallenge', challenges],
      ['challenge', challenges],
      ['admitPairing', pairings],
      ['verifyPairing', pairings],
      ['enrolBeacon', fc.record({ by: spoiled(HOLDER), name: odd })],
      ['beacons', fc.record({ by: spoiled(HOLDER) })],
      ['removeBeacon', fc.record({ by: spoiled(HOLDER), beaconKey: odd })],
      ['beaconSound', sounds],
    ] as const)('answers or refuses whatever it is sent: %s', async (name, payloads) => {
      const sent = fc.asyncProperty(payloads as fc.Arbitrary<Record<string, unknown>>, async payload => {
        const { challengeNonce } = known;
        await isAnswered(
          acousticContract[name],
          'known' in payload ? { ...payload, challengeNonce } : payload,
        );
      });
      await fc.assert(sent, { numRuns, seed: SEED });
    });

    it('answers or refuses whatever the tool is sent', async () => {
      const base = { deviceId: 'door-7', challengeNonce: '00'.repeat(16), frequencyBand: 'audible_fsk' };
      const inputs = fc.oneof(
        spoiled(base, ['recordingBase64', 'extra']),
        recordings.map(bytes => ({
          ...{ ...base, challengeNonce: known.challengeNonce },
          recordingBase64: Buffer.from(bytes).toString('base64') || 'AAAA',
        })),
      );
      const { admitTool, callTool } = toolCallContract.acoustic;
      let count = 0;
      const sent = fc.asyncProperty(inputs, async input => {
        const asked = { tool: 'verify_acoustic_proximity_token', input };
        await isAnswered(admitTool, asked);
        const idemKey = (++count).toString(16).padStart(64, '0');
        await isAnswered(callTool, { ...asked, idemKey, receipt: '' });
      });
      await fc.assert(sent, { numRuns, seed: SEED });
    });
  });
}
