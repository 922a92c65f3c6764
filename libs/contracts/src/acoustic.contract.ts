import { z } from 'zod';
import { defineRoutes } from './route.js';
import { base64Bytes, CallerName, hexBytes } from './wire-format.js';

export const CARRIER_HZ_MIN = 18_600;
export const CARRIER_HZ_MAX = 19_500;
/** Bytes of one packet's payload. */
export const PACKET_PAYLOAD_BYTES_MAX = 4_096;
/** Bytes of one recording: a minute of 44,100 Hz, 16 bits, mono. */
export const RECORDING_BYTES_MAX = 5_292_044;

const Recording = base64Bytes(RECORDING_BYTES_MAX).meta({ description: 'WAV file, base64' });
const Baud = z
  .literal([50, 75, 100, 150, 300])
  .default(150)
  .meta({ type: 'integer', description: 'Symbols a second' });
const FrequencyBand = z.enum(['ultrasonic_19khz', 'audible_fsk']).default('ultrasonic_19khz');

/** Body of `POST /v1/acoustic/modulate`. */
export const ModulateRequest = z
  .strictObject({
    payloadHex: hexBytes(1, PACKET_PAYLOAD_BYTES_MAX).meta({ example: '0x48656c6c6f' }),
    carrierHz: z.int().min(CARRIER_HZ_MIN).max(CARRIER_HZ_MAX).default(CARRIER_HZ_MIN),
    baud: Baud,
    profile: z
      .enum(['standard', 'robust'])
      .default('standard')
      .meta({ description: 'robust sends the frame twice' }),
    lineCode: z.enum(['frame', 'async8n1']).default('frame'),
    includeWav: z
      .boolean()
      .default(false)
      .meta({ description: 'Put the audio into the answer as wavBase64' }),
  })
  .meta({ id: 'ModulateRequest' });

/** Response of `POST /v1/acoustic/modulate`; the first two fields are the spec's. */
export const ModulateResult = z
  .object({
    sampleRate: z.int(),
    durationSeconds: z.number(),
    spaceHz: z.int(),
    markHz: z.int(),
    frameBits: z.int(),
    codewords: z.int(),
    sha256: z.string().meta({ description: 'Digest of the WAV file, hex' }),
    wavBase64: z.string().optional(),
    audioUrl: z.string().optional(),
  })
  .meta({ id: 'ModulateResult' });

/** Body of `POST /v1/acoustic/demodulate`. */
export const DemodulateRequest = z
  .strictObject({
    recordingBase64: Recording,
    carrierHz: z.int().min(CARRIER_HZ_MIN).max(CARRIER_HZ_MAX).optional(),
    baud: Baud,
    frequencyBand: FrequencyBand,
    lineCode: z.enum(['frame', 'async8n1']).default('frame'),
  })
  .meta({ id: 'DemodulateRequest' });

const LinkQuality = {
  snrDb: z.number(),
  esN0Db: z.number(),
  ebN0Db: z.number(),
  berNoiseFloorDb: z.number(),
};

/** Response of `POST /v1/acoustic/demodulate`; no packet found is 200 with `decoded: false`. */
export const DemodulateResult = z
  .object({
    decoded: z.boolean(),
    reason: z.string().optional(),
    payloadHex: z.string().optional(),
    crcValid: z.boolean().optional(),
    correctedWords: z.int().optional(),
    quality: z.object(LinkQuality).optional(),
  })
  .meta({ id: 'DemodulateResult' });

/** Body of `POST /v1/acoustic/challenge`. */
export const AcousticChallengeRequest = z
  .strictObject({
    deviceId: CallerName,
    frequencyBand: FrequencyBand,
    beaconKey: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: 'An enrolled emitter; the audio goes to it only' }),
  })
  .meta({ id: 'AcousticChallengeRequest' });

/** Response of `POST /v1/acoustic/challenge`. */
export const AcousticChallenge = z
  .object({
    challengeNonce: z.string().meta({ description: '16 bytes, hex' }),
    audio: z.string().optional().meta({ description: 'WAV file, base64; absent when it went to a beacon' }),
    expiresAt: z.iso.datetime(),
    keyId: z.string(),
  })
  .meta({ id: 'AcousticChallenge' });

/** Body of `POST /v1/acoustic/verify-pairing`. */
export const VerifyPairingRequest = z
  .strictObject({
    deviceId: CallerName,
    challengeNonce: hexBytes(16, 16),
    recordingBase64: Recording,
  })
  .meta({ id: 'VerifyPairingRequest' });

/** Response of `POST /v1/acoustic/verify-pairing`. */
export const PairingResult = z
  .object({
    pairingToken: z.string(),
    secdedSyndrome: z
      .int()
      .meta({ description: 'Worst word: 0 clean, 8 + position corrected, 1 to 7 double error' }),
    berNoiseFloorDb: z.number(),
    validUntil: z.int().meta({ description: 'Unix milliseconds' }),
    assurance: z.enum(['beacon', 'recording_submitted']),
    snrDb: z.number(),
  })
  .meta({ id: 'PairingResult' });

const RECORDING_BODY_BYTES_MAX = 8_388_608;

export const acousticRoutes = defineRoutes({
  modulate: {
    operationId: 'acoustic.modulate',
    method: 'POST',
    path: '/v1/acoustic/modulate',
    summary: 'Encode bytes as a near-ultrasound FSK packet',
    tag: 'Acoustic',
    access: 'quota',
    available: false,
    body: { schema: ModulateRequest },
    replies: { 200: { description: 'The packet', schema: ModulateResult } },
  },
  demodulate: {
    operationId: 'acoustic.demodulate',
    method: 'POST',
    path: '/v1/acoustic/demodulate',
    summary: 'Decode a recording',
    tag: 'Acoustic',
    access: 'quota',
    available: false,
    body: { schema: DemodulateRequest },
    bodyBytesMax: RECORDING_BODY_BYTES_MAX,
    replies: { 200: { description: 'What was heard', schema: DemodulateResult } },
    problems: ['UNPROCESSABLE'],
  },
  challenge: {
    operationId: 'acoustic.challenge',
    method: 'POST',
    path: '/v1/acoustic/challenge',
    summary: 'Make a sound that proves proximity for 30 seconds',
    tag: 'Acoustic',
    access: 'quota',
    available: false,
    body: { schema: AcousticChallengeRequest },
    replies: { 200: { description: 'The challenge', schema: AcousticChallenge } },
  },
  verifyPairing: {
    operationId: 'acoustic.verify-pairing',
    method: 'POST',
    path: '/v1/acoustic/verify-pairing',
    summary: 'Verify a recording of a challenge and issue a pairing token',
    tag: 'Acoustic',
    access: 'quota',
    available: false,
    body: { schema: VerifyPairingRequest },
    bodyBytesMax: RECORDING_BODY_BYTES_MAX,
    replies: { 200: { description: 'The token', schema: PairingResult } },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'EXPIRED', 'NOT_FOUND'],
  },
});
