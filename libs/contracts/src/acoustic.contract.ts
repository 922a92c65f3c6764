import { z } from 'zod';
import { KeyHolder } from './account.contract.js';
import { commitmentEvidence } from './audit-proof.js';
import { PublicKeys } from './licences.contract.js';
import { AdmittedWork, Bytes, procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { IdemKey } from './tool-call.contract.js';
import { base64Bytes, CallerName, hexBytes, unguessableId } from './wire-format.js';

export const CARRIER_HZ_MIN = 18_600;
export const CARRIER_HZ_MAX = 19_500;
/** Bytes of one packet's payload. */
export const PACKET_PAYLOAD_BYTES_MAX = 4_096;
/** Seconds of sound that one request may bring, or one answer carry. */
export const SOUND_SECONDS_MAX = 60;
/** Bytes of one recording: a minute of 44,100 Hz, 16 bits, mono. */
export const RECORDING_BYTES_MAX = 5_292_044;
/** For so long a challenge may be answered, milliseconds. */
export const PAIRING_CHALLENGE_MS = 30_000;
/** For so long a pairing token is valid, milliseconds. */
export const PAIRING_TOKEN_MS = 300_000;

const Recording = base64Bytes(RECORDING_BYTES_MAX).meta({
  description: `WAV file, base64: PCM of 16, 24 or 32 bits or float, one or two channels, 8 to 192 kHz, at most ${SOUND_SECONDS_MAX} s`,
});
const Baud = z
  .literal([50, 75, 100, 150, 300])
  .default(150)
  .meta({ type: 'integer', description: 'Symbols a second' });
export const FrequencyBand = z.enum(['ultrasonic_19khz', 'audible_fsk']).default('ultrasonic_19khz').meta({
  description:
    'ultrasonic_19khz: both tones from 18.6 to 19.5 kHz, as carrierHz says; audible_fsk: 1.8 and 2.4 kHz',
});
const CarrierHz = z.int().min(CARRIER_HZ_MIN).max(CARRIER_HZ_MAX).meta({
  description:
    'To 18,900 the space, with the mark 600 Hz above; to 19,200 the space, with the mark 300 Hz above; beyond the mark, with the space 600 Hz below. Of ultrasonic_19khz alone; 18,600 where it is not said',
});
const Profile = z
  .enum(['standard', 'robust'])
  .default('standard')
  .meta({ description: 'robust sends the frame twice, on other tones the second time' });
const LineCode = z.enum(['frame', 'async8n1']).default('frame').meta({
  description:
    'frame: chirp, pilot, header, interleaved words, CRC-32. async8n1: the coded bytes with start and stop bits, as any FSK modem reads them',
});

/** What sender and receiver have to agree on. */
const channel = { carrierHz: CarrierHz.optional(), baud: Baud, frequencyBand: FrequencyBand };

/** Body of `POST /v1/acoustic/modulate`. */
export const ModulateRequest = z
  .strictObject({
    // How many bytes fit into a packet the service says: 422.
    payloadHex: z
      .string()
      .regex(/^(0x)?([0-9a-fA-F]{2})*$/, {
        error: 'an even number of hexadecimal digits, 0x before them or not',
      })
      .meta({
        description: `1 to ${PACKET_PAYLOAD_BYTES_MAX} bytes, hexadecimal, 0x before them or not`,
        example: '0x48656c6c6f',
      }),
    ...channel,
    carrierHz: CarrierHz.default(CARRIER_HZ_MIN),
    profile: Profile,
    lineCode: LineCode,
    includeWav: z
      .boolean()
      .default(false)
      .meta({
        description: `Put the audio into the answer as wavBase64, where it lasts ${SOUND_SECONDS_MAX} s at the most. With Accept: audio/wav the answer is the audio`,
      }),
  })
  .meta({ id: 'ModulateRequest', example: { payloadHex: '0x48656c6c6f', carrierHz: 18_600 } });
export type ModulateRequest = z.output<typeof ModulateRequest>;

const packetFields = {
  sampleRate: z.int(),
  durationSeconds: z.number(),
  spaceHz: z.int(),
  markHz: z.int(),
  baud: z.int(),
  frameBits: z.int().meta({ description: 'Bits on the air, of one copy: pilot, header, words and CRC' }),
  codewords: z.int().meta({ description: '[8,4,4] words of payload and CRC, of one copy' }),
  sha256: z.string().meta({ description: 'Digest of the WAV file, hex' }),
};

/** What a packet came to, as the service says it on the bus: its audio travels beside it. */
export const ModulateReply = z.object({ ...packetFields, wav: Bytes.optional() });
export type ModulateReply = z.infer<typeof ModulateReply>;

/** Response of `POST /v1/acoustic/modulate`; the first two fields are the spec's. */
export const ModulateResult = z
  .object({ ...packetFields, wavBase64: z.string().optional(), ...commitmentEvidence })
  .meta({ id: 'ModulateResult' });
export type ModulateResult = z.infer<typeof ModulateResult>;

/** Body of `POST /v1/acoustic/demodulate`. */
export const DemodulateRequest = z
  .strictObject({ recordingBase64: Recording, ...channel, profile: Profile, lineCode: LineCode })
  .meta({ id: 'DemodulateRequest' });
export type DemodulateRequest = z.output<typeof DemodulateRequest>;

const linkQuality = {
  snrDb: z
    .number()
    .meta({ description: 'Power of the tones by that of the noise in the band of the packet' }),
  esN0Db: z.number().meta({ description: 'Energy of a symbol by the density of the noise' }),
  ebN0Db: z.number().meta({ description: 'The same of a bit of the payload: everything sent counted' }),
  berNoiseFloorDb: z.number().meta({
    description: '10·log10 of the error rate of an uncoded bit at that Es/N0; not below -90',
  }),
  frequencyOffsetPpm: z
    .number()
    .meta({ description: 'Clock drift and motion together: how far time is scaled' }),
};

/** What was heard of one packet. */
export const HeardPacket = z.object({
  payloadHex: z.string(),
  startSeconds: z.number().meta({ description: 'Where its frame begins in the recording' }),
  crcValid: z.boolean().optional().meta({ description: 'Of lineCode frame' }),
  codewords: z.int(),
  correctedWords: z.int().meta({ description: 'Words with one wrong bit before decoding' }),
  doubleErrorWords: z.int().meta({ description: 'Words with two' }),
  secdedSyndrome: z
    .int()
    .meta({ description: 'Worst word: 0 clean, 8 + position corrected, 1 to 7 double error' }),
  quality: z.object(linkQuality),
});
export type HeardPacket = z.infer<typeof HeardPacket>;

const heardFields = {
  decoded: z.boolean(),
  reason: z.string().optional().meta({
    description:
      'Where not: NO_SYNC, HEADER_UNREADABLE, CRC_MISMATCH, CUT_OFF; of async8n1 NO_CARRIER, WORDS_UNREADABLE',
  }),
  payloadHex: z.string().optional().meta({ description: 'Of the first packet' }),
  crcValid: z.boolean().optional(),
  correctedWords: z.int().optional(),
  quality: z.object(linkQuality).optional(),
  packets: z.array(HeardPacket).max(64).meta({ description: 'Every packet of the recording, in order' }),
  sampleRate: z.int().meta({ description: 'Of the recording' }),
  durationSeconds: z.number(),
};
export const DemodulateReply = z.object(heardFields);
export type DemodulateReply = z.infer<typeof DemodulateReply>;

/** Response of `POST /v1/acoustic/demodulate`; no packet found is 200 with `decoded: false`. */
export const DemodulateResult = z
  .object({ ...heardFields, ...commitmentEvidence })
  .meta({ id: 'DemodulateResult' });
export type DemodulateResult = z.infer<typeof DemodulateResult>;

/** Names an emitter that challenges may be sent to. */
export const BeaconKey = unguessableId('bcn');

/** Body of `POST /v1/acoustic/challenge`. */
export const AcousticChallengeRequest = z
  .strictObject({
    deviceId: CallerName,
    frequencyBand: FrequencyBand,
    beaconKey: BeaconKey.optional().meta({
      description: 'An enrolled emitter: the audio goes to it only, never into this answer',
    }),
    confirmationKey: hexBytes(32, 32).optional().meta({
      description:
        'Ed25519 public key of the device, hex: its signature is needed to verify, and the token names the key as cnf (RFC 7800)',
    }),
  })
  .meta({ id: 'AcousticChallengeRequest', example: { deviceId: 'door-7' } });
export type AcousticChallengeRequest = z.output<typeof AcousticChallengeRequest>;

const challengeFields = {
  challengeNonce: z.string().meta({ description: '16 bytes, hex' }),
  audio: z.string().optional().meta({ description: 'WAV file, base64; absent when it went to a beacon' }),
  expiresAt: z.iso.datetime(),
  keyId: z.string().meta({ description: 'The key whose MAC the sound carries' }),
  assurance: z.enum(['beacon', 'recording_submitted']),
};
export const AcousticChallengeReply = z.object(challengeFields);
export type AcousticChallengeReply = z.infer<typeof AcousticChallengeReply>;

/** Response of `POST /v1/acoustic/challenge`. */
export const AcousticChallenge = z
  .object({ ...challengeFields, ...commitmentEvidence })
  .meta({ id: 'AcousticChallenge' });
export type AcousticChallenge = z.infer<typeof AcousticChallenge>;

/** Body of `POST /v1/acoustic/verify-pairing`. */
export const VerifyPairingRequest = z
  .strictObject({
    deviceId: CallerName,
    challengeNonce: hexBytes(16, 16),
    recordingBase64: Recording,
    confirmationSignature: hexBytes(64, 64).optional().meta({
      description:
        'Of a challenge with a confirmationKey: Ed25519 over svc/pairing-confirmation/v1, a zero byte and the 16 bytes of the nonce, hex',
    }),
  })
  .meta({ id: 'VerifyPairingRequest' });
export type VerifyPairingRequest = z.output<typeof VerifyPairingRequest>;

const pairingFields = {
  pairingToken: z.string().meta({
    description:
      'pair1.<base64url of the claims>.<base64url of the Ed25519 signature over the text before it>; the keys: /.well-known/svc-pairing-keys.json',
  }),
  secdedSyndrome: z
    .int()
    .meta({ description: 'Worst word: 0 clean, 8 + position corrected, 1 to 7 double error' }),
  correctedWords: z.int(),
  doubleErrorWords: z.int(),
  berNoiseFloorDb: z.number(),
  validUntil: z.int().meta({ description: 'Unix milliseconds' }),
  assurance: z.enum(['beacon', 'recording_submitted']),
  snrDb: z.number(),
};
export const PairingReply = z.object(pairingFields);
export type PairingReply = z.infer<typeof PairingReply>;

/** Response of `POST /v1/acoustic/verify-pairing`. */
export const PairingResult = z
  .object({ ...pairingFields, ...commitmentEvidence })
  .meta({ id: 'PairingResult' });
export type PairingResult = z.infer<typeof PairingResult>;

/** What the evidence of each answer does not show, in one sentence. */
export const ACOUSTIC_DOES_NOT_PROVE = {
  modulate:
    'That the sound was played, or heard by anyone: only that this packet was made so, and that the answer is unchanged; whoever modulates the same request must get the same digest.',
  demodulate:
    'Where and when the recording was made, or by whom: only that this was read out of it, and that the answer is unchanged.',
  challenge:
    'That the sound was played anywhere: only that this challenge was issued then, and is unchanged.',
  pairing:
    'A distance: sound may be relayed by radio, and latencies of 10 to 200 ms are 3 to 70 m of it; only that a recording that carries the challenge was brought while it was valid.',
} as const;

/** Body of `POST /v1/acoustic/beacons`. */
export const EnrolBeaconRequest = z
  .strictObject({ name: CallerName })
  .meta({ id: 'EnrolBeaconRequest', example: { name: 'lobby speaker' } });

/** An emitter of an account. */
export const Beacon = z
  .object({ beaconKey: BeaconKey, name: CallerName, enrolledAt: z.iso.datetime() })
  .meta({ id: 'Beacon' });
export type Beacon = z.infer<typeof Beacon>;

/** Response of `POST /v1/acoustic/beacons`. */
export const EnrolledBeacon = Beacon.extend({
  emitterSecret: z.string().meta({ description: 'Shown once: the emitter fetches its sounds with it' }),
}).meta({ id: 'EnrolledBeacon' });
export type EnrolledBeacon = z.infer<typeof EnrolledBeacon>;

/** Longest that an emitter's question for a sound is held open, milliseconds. */
export const BEACON_WAIT_MS_MAX = 20_000;

const RECORDING_BODY_BYTES_MAX = 8_388_608;

export const acousticRoutes = defineRoutes({
  modulate: {
    operationId: 'acoustic.modulate',
    method: 'POST',
    path: '/v1/acoustic/modulate',
    summary: 'Encode bytes as a near-ultrasound FSK packet',
    tag: 'Acoustic',
    access: 'quota',
    body: { schema: ModulateRequest },
    replies: {
      200: {
        description: 'The packet; with Accept: audio/wav its sound alone',
        schema: ModulateResult,
        mediaType: 'application/json, audio/wav',
        headers: {
          'Repr-Digest': 'Of audio/wav: the SHA-256 of the sound (RFC 9530)',
          'SVC-Answer': 'Of audio/wav: the answer as JSON, without wavBase64 and auditProof',
          'SVC-Audit-Proof': 'Of audio/wav: the auditProof of that answer, as JSON',
        },
      },
    },
    problems: ['UNPROCESSABLE'],
  },
  demodulate: {
    operationId: 'acoustic.demodulate',
    method: 'POST',
    path: '/v1/acoustic/demodulate',
    summary: 'Decode a recording',
    tag: 'Acoustic',
    access: 'quota',
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
    body: { schema: AcousticChallengeRequest },
    replies: { 200: { description: 'The challenge', schema: AcousticChallenge } },
    problems: ['NOT_FOUND'],
  },
  verifyPairing: {
    operationId: 'acoustic.verify-pairing',
    method: 'POST',
    path: '/v1/acoustic/verify-pairing',
    summary: 'Verify a recording of a challenge and issue a pairing token',
    description:
      'Evidence that a recording of the challenge was brought in time, not a bound on distance. A nonce serves once.',
    tag: 'Acoustic',
    access: 'quota',
    body: { schema: VerifyPairingRequest },
    bodyBytesMax: RECORDING_BODY_BYTES_MAX,
    replies: { 200: { description: 'The token', schema: PairingResult } },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'EXPIRED', 'NOT_FOUND'],
  },
  enrolBeacon: {
    operationId: 'acoustic.enrol-beacon',
    method: 'POST',
    path: '/v1/acoustic/beacons',
    summary: 'Enrol an emitter that challenges may be sent to',
    tag: 'Acoustic',
    access: 'key',
    body: { schema: EnrolBeaconRequest },
    replies: { 201: { description: 'The emitter, with its secret', schema: EnrolledBeacon } },
    problems: ['CONFLICT'],
  },
  beacons: {
    operationId: 'acoustic.beacons',
    method: 'GET',
    path: '/v1/acoustic/beacons',
    summary: 'The emitters of the account',
    tag: 'Acoustic',
    access: 'key',
    replies: { 200: { description: 'The emitters', schema: z.object({ beacons: z.array(Beacon) }) } },
  },
  removeBeacon: {
    operationId: 'acoustic.remove-beacon',
    method: 'DELETE',
    path: '/v1/acoustic/beacons/:beaconKey',
    summary: 'Remove an emitter of the account',
    tag: 'Acoustic',
    access: 'key',
    params: z.object({ beaconKey: BeaconKey }),
    replies: { 204: { description: 'It is gone' } },
    problems: ['NOT_FOUND'],
  },
  beaconSound: {
    operationId: 'acoustic.beacon-sound',
    method: 'GET',
    path: '/v1/acoustic/beacons/:beaconKey/sound',
    summary: 'The next sound that an emitter is to play',
    description:
      'For the emitter, which says `Authorization: Bearer <emitterSecret>`. Each sound is given once; 204 where there is none within waitMs.',
    tag: 'Acoustic',
    access: 'free',
    params: z.object({ beaconKey: BeaconKey }),
    query: z.object({ waitMs: z.coerce.number().int().min(0).max(BEACON_WAIT_MS_MAX).default(0) }),
    replies: {
      200: {
        description: 'A WAV file',
        schema: z.string(),
        mediaType: 'audio/wav',
        headers: { 'X-Sound-Expires-At': 'Until when the challenge in it may be answered, RFC 3339' },
      },
      204: { description: 'Nothing to play' },
    },
    problems: ['UNKNOWN_CREDENTIAL'],
  },
  pairingKeys: {
    operationId: 'well-known.pairing-keys',
    method: 'GET',
    path: '/.well-known/svc-pairing-keys.json',
    summary: 'Public keys that pairing tokens verify against',
    tag: 'Acoustic',
    access: 'free',
    replies: { 200: { description: 'The keys', schema: PublicKeys } },
  },
});

const DemodulateCall = z.object({
  request: DemodulateRequest.omit({ recordingBase64: true }),
  recording: Bytes,
});
const PairingCall = z.object({
  deviceId: CallerName,
  challengeNonce: hexBytes(16, 16),
  recording: Bytes,
  confirmationSignature: hexBytes(64, 64).optional(),
  /** Names the call: asked again with the same recording while its token is valid, it gets the same token. */
  idemKey: IdemKey.optional(),
});
const beaconOf = z.object({ by: KeyHolder, beaconKey: BeaconKey });

export const acousticContract = {
  /** UNPROCESSABLE where the sound that is asked for is too long to be sent. Before anything is taken. */
  admitModulate: procedure('acoustic', 'admit-modulate', {
    request: z.object({ request: ModulateRequest, withWav: z.boolean() }),
    reply: AdmittedWork.extend({ durationSeconds: z.number() }),
    timeoutMs: 2_000,
  }),
  modulate: procedure('acoustic', 'modulate', {
    isPublic: true,
    request: z.object({ request: ModulateRequest, withWav: z.boolean() }),
    reply: ModulateReply,
    timeoutMs: 30_000,
  }),
  /** UNPROCESSABLE for a recording that cannot be read, or has too few samples a second for the band; OVERLOADED. */
  admitDemodulate: procedure('acoustic', 'admit-demodulate', {
    request: DemodulateCall,
    reply: AdmittedWork,
    timeoutMs: 10_000,
  }),
  demodulate: procedure('acoustic', 'demodulate', {
    isPublic: true,
    request: DemodulateCall,
    reply: DemodulateReply,
    timeoutMs: 30_000,
  }),
  /** NOT_FOUND for an emitter that is not enrolled. */
  admitChallenge: procedure('acoustic', 'admit-challenge', {
    request: AcousticChallengeRequest,
    reply: AdmittedWork,
    timeoutMs: 2_000,
  }),
  challenge: procedure('acoustic', 'challenge', {
    isPublic: true,
    request: AcousticChallengeRequest,
    reply: AcousticChallengeReply,
    timeoutMs: 10_000,
  }),
  /**
   * NOT_FOUND for a nonce that is unknown or another device's, EXPIRED, CONFLICT for one that was used; UNPROCESSABLE for a
   * recording that cannot be read or does not carry the challenge. Nothing is used up.
   */
  admitPairing: procedure('acoustic', 'admit-pairing', {
    request: PairingCall,
    reply: AdmittedWork,
    timeoutMs: 10_000,
  }),
  /** As {@link admitPairing}; uses the nonce: exactly one call gets a token. */
  verifyPairing: procedure('acoustic', 'verify-pairing', {
    isPublic: true,
    request: PairingCall,
    reply: PairingReply,
    timeoutMs: 30_000,
  }),
  enrolBeacon: procedure('acoustic', 'enrol-beacon', {
    request: z.object({ by: KeyHolder, name: CallerName }),
    reply: EnrolledBeacon,
    timeoutMs: 5_000,
  }),
  beacons: procedure('acoustic', 'beacons', {
    request: z.object({ by: KeyHolder }),
    reply: z.object({ beacons: z.array(Beacon) }),
    timeoutMs: 5_000,
  }),
  removeBeacon: procedure('acoustic', 'remove-beacon', {
    request: beaconOf,
    reply: z.object({}),
    timeoutMs: 5_000,
  }),
  /** UNKNOWN_CREDENTIAL unless the secret is the emitter's. Each sound is given once. */
  beaconSound: procedure('acoustic', 'beacon-sound', {
    request: z.object({
      beaconKey: BeaconKey,
      emitterSecret: z.string().min(1).max(128),
      waitMs: z.int().min(0).max(BEACON_WAIT_MS_MAX),
    }),
    reply: z.object({ sound: z.object({ wav: Bytes, expiresAt: z.iso.datetime() }).optional() }),
    timeoutMs: BEACON_WAIT_MS_MAX + 5_000,
  }),
  pairingKeys: procedure('acoustic', 'pairing-keys', {
    isPublic: true,
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 2_000,
  }),
} as const;
