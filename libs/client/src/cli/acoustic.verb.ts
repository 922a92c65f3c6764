import {
  AcousticChallengeRequest as ChallengeSchema,
  ModulateRequest as ModulateSchema,
} from '@svc/contracts';
import type { PublishedKey } from '@svc/protocols';
import { checkPairing } from '../acoustic/check-pairing.js';
import type {
  AcousticChallenge,
  AcousticChallengeRequest,
  DemodulateRequest,
  DemodulateResult,
  ModulateRequest,
  ModulateResult,
  PairingResult,
  VerifyPairingRequest,
} from '../api-types.js';
import { encodeBase64, fromHex, toHex } from '../challenge/byte-text.js';
import {
  bytesOf,
  type FurtherCheck,
  given,
  purchase,
  PURCHASE_NOTES,
  purchaseOptions,
} from './agent-purchase.js';
import { wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readTraceData } from './operand.js';
import { publishedKeys } from './published-keys.js';
import { textOption, type Verb, type VerbContext, type VerbOption } from './verb.js';

const { price: _price, request: _request, ...buying } = purchaseOptions;
/** Packets that are shown. */
const SHOWN_MAX = 8;

type Line = readonly [string, string];
const shown = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

/** An operand of its place; the first is what to do. @throws UsageError */
function operandOf({ positionals }: VerbContext, place: number, name: string): string {
  const operand = positionals[place];
  if (operand === undefined) throw new UsageError(`${name} is missing`);
  return operand;
}

/** What sender and receiver have to agree on; the schema of the server says what may be. */
const channelOf = ({ values }: VerbContext): Record<string, unknown> =>
  given({
    carrierHz: wholeNumber('--carrier', textOption(values, 'carrier'), 1),
    baud: wholeNumber('--baud', textOption(values, 'baud'), 1),
    frequencyBand: textOption(values, 'band'),
    profile: textOption(values, 'profile'),
    lineCode: textOption(values, 'line-code'),
  });

async function payloadOf(context: VerbContext): Promise<string> {
  const { values, streams } = context;
  const isHex = values['hex'] === true;
  const text = await readTraceData(operandOf(context, 1, 'TEXT'), isHex, streams);
  return isHex ? text : `0x${toHex(new TextEncoder().encode(text))}`;
}

async function modulate(context: VerbContext): Promise<ExitCode> {
  const path = textOption(context.values, 'out');
  const request = {
    payloadHex: await payloadOf(context),
    ...channelOf(context),
    ...given({ includeWav: path === undefined ? undefined : true }),
  } as ModulateRequest;
  // Its evidence speaks of the request as the gateway reads it: with its defaults.
  const read = ModulateSchema.safeParse(request);
  return purchase<ModulateResult>(context, {
    doing: 'modulating',
    request: read.success ? { ...read.data } : { ...request },
    buy: (client, options) => client.modulate(request, options),
    lines: ({ durationSeconds, spaceHz, markHz, baud, frameBits, sha256 }) => [
      ['packet', `${durationSeconds.toFixed(3)} s, ${frameBits} bits of ${baud} baud`],
      ['tones', `${spaceHz} and ${markHz} Hz`],
      ['sha256', sha256],
      ['sound', path ?? 'not asked for: --out FILE'],
    ],
    keep: [{ path, contentOf: ({ wavBase64 }) => wavBase64 && bytesOf(wavBase64) }],
  });
}

function packetLines({ packets, decoded, reason }: DemodulateResult): Line[] {
  if (!decoded) return [['heard', `nothing: ${reason ?? 'no packet'}`]];
  const lines = packets
    .slice(0, SHOWN_MAX)
    .flatMap(({ payloadHex, startSeconds, quality, ...packet }): Line[] => {
      const text = new TextDecoder().decode(fromHex(payloadHex.replace(/^0x/, '')));
      const { correctedWords, doubleErrorWords, codewords } = packet;
      return [
        [
          'packet',
          `${payloadHex.length > 80 ? `${payloadHex.slice(0, 80)}…` : payloadHex} at ${startSeconds.toFixed(3)} s`,
        ],
        ['as text', shown(text.slice(0, 80))],
        ['words', `${codewords}: ${correctedWords} with one wrong bit, ${doubleErrorWords} with two`],
        [
          'signal',
          `Es/N0 ${quality.esN0Db.toFixed(1)} dB, ${quality.frequencyOffsetPpm.toFixed(0)} ppm off, floor ${quality.berNoiseFloorDb.toFixed(1)} dB`,
        ],
      ];
    });
  const more = packets.length - SHOWN_MAX;
  return more > 0 ? [...lines, ['more', `${more} (use --json or --save)`]] : lines;
}

async function demodulate(context: VerbContext): Promise<ExitCode> {
  const recording = await readFileOrStdin(operandOf(context, 1, 'FILE'), context.streams);
  const request = { recordingBase64: encodeBase64(recording), ...channelOf(context) } as DemodulateRequest;
  return purchase<DemodulateResult>(context, {
    doing: 'listening',
    request: { ...request },
    buy: (client, options) => client.demodulate(request, options),
    lines: packetLines,
  });
}

async function challenge(context: VerbContext): Promise<ExitCode> {
  const { values } = context;
  const path = textOption(values, 'out');
  const request = {
    deviceId: operandOf(context, 1, 'DEVICE'),
    ...given({ frequencyBand: textOption(values, 'band'), beaconKey: textOption(values, 'beacon') }),
    ...given({ confirmationKey: textOption(values, 'confirmation-key') }),
  } as AcousticChallengeRequest;
  const read = ChallengeSchema.safeParse(request);
  return purchase<AcousticChallenge>(context, {
    doing: 'challenging',
    request: read.success ? { ...read.data } : { ...request },
    buy: (client, options) => client.acousticChallenge(request, options),
    lines: ({ challengeNonce, expiresAt, keyId, assurance, audio }) => [
      ['challenge', challengeNonce],
      ['answer by', expiresAt],
      ['assurance', `${assurance}, under the key ${keyId}`],
      ['sound', audio === undefined ? 'goes to its emitter only' : (path ?? 'in --json and --save')],
    ],
    keep: [{ path, contentOf: ({ audio }) => audio && bytesOf(audio) }],
  });
}

async function verify(context: VerbContext): Promise<ExitCode> {
  const deviceId = operandOf(context, 1, 'DEVICE');
  const challengeNonce = operandOf(context, 2, 'NONCE');
  const recording = await readFileOrStdin(operandOf(context, 3, 'FILE'), context.streams);
  const request = {
    ...{ deviceId, challengeNonce, recordingBase64: encodeBase64(recording) },
    ...given({ confirmationSignature: textOption(context.values, 'confirmation-signature') }),
  } as VerifyPairingRequest;
  return purchase<PairingResult>(context, {
    doing: 'verifying',
    request: { ...request },
    // A retry is the same call: the nonce serves one.
    buy: (client, options) =>
      client.verifyPairing(request, { idempotencyKey: crypto.randomUUID(), ...options }),
    lines: pairingLines,
    checkMore: data => checkToken(context, data, { deviceId, challengeNonce }),
  });
}

/** Checks the token of an answer with the published keys: that it is for this device and challenge. */
async function checkToken(
  context: VerbContext,
  { pairingToken }: PairingResult,
  meant: { readonly deviceId: string; readonly challengeNonce: string },
): Promise<FurtherCheck> {
  const keys = await publishedKeys<PublishedKey>(context, '/.well-known/svc-pairing-keys.json');
  const { code } = await checkPairing({ pairingToken, keys, ...meant });
  const text = `${code}: signature, time, device and challenge, on this machine`;
  return { valid: code === 'VALID', lines: [['checked', text]], shown: {}, saved: {} };
}

function pairingLines(data: PairingResult): Line[] {
  const { pairingToken, validUntil, assurance, secdedSyndrome, snrDb, berNoiseFloorDb } = data;
  return [
    ['token', pairingToken],
    ['valid until', new Date(validUntil).toISOString()],
    ['assurance', `${assurance}: evidence that the sound was brought, no distance`],
    [
      'signal',
      `SNR ${snrDb.toFixed(1)} dB, floor ${berNoiseFloorDb.toFixed(1)} dB, worst word ${secdedSyndrome}`,
    ],
  ];
}

const text = (placeholder: string, help: string): VerbOption => ({ type: 'string', placeholder, help });

const VERBS: Readonly<Record<string, { operands: number; run(context: VerbContext): Promise<ExitCode> }>> = {
  modulate: { operands: 2, run: modulate },
  demodulate: { operands: 2, run: demodulate },
  challenge: { operands: 2, run: challenge },
  verify: { operands: 4, run: verify },
};

export const acousticVerb: Verb = {
  name: 'acoustic',
  summary: 'make and hear packets of sound; pair devices by them',
  operands: 'modulate TEXT | demodulate FILE | challenge DEVICE | verify DEVICE NONCE FILE',
  positionalsMin: 1,
  positionalsMax: 4,
  options: {
    out: text('FILE', 'save the sound as WAV, of modulate and challenge'),
    hex: { type: 'boolean', help: 'TEXT is hexadecimal' },
    carrier: text('HZ', '18600 to 19500, of the ultrasonic band (default 18600)'),
    baud: text('N', '50, 75, 100, 150 or 300 (default 150)'),
    band: text('NAME', 'ultrasonic_19khz or audible_fsk: 1.8 and 2.4 kHz'),
    profile: text('NAME', 'standard, or robust: the frame twice, on other tones the second time'),
    'line-code': text('NAME', 'frame, or async8n1, which any FSK modem reads'),
    beacon: text('KEY', 'of challenge: an enrolled emitter, which alone gets the sound'),
    'confirmation-key': text('HEX', 'of challenge: the Ed25519 key of the device, which the token names'),
    'confirmation-signature': text('HEX', 'of verify: that key’s signature over the nonce'),
    ...buying,
  },
  notes: [
    ...PURCHASE_NOTES,
    'Within the month’s requests of the key, or of the address, a call costs nothing.',
    'FILE is a WAV recording, - for stdin; the options of the sender must be those of the receiver.',
    'A challenge is answered within 30 seconds, once. What a token shows and what not: docs/acoustic.md.',
    '',
    'Examples:',
    '  svc acoustic modulate hello --out hello.wav && svc acoustic demodulate hello.wav',
    '  svc acoustic challenge door-7 --band audible_fsk --out challenge.wav',
    '  svc acoustic verify door-7 3f2a… recording.wav --save pairing.json',
  ],
  run(context) {
    const [what] = context.positionals;
    const verb = Object.hasOwn(VERBS, what) ? VERBS[what] : undefined;
    if (!verb) throw new UsageError(`say ${Object.keys(VERBS).join(', ')}`);
    if (context.positionals.length > verb.operands) throw new UsageError(`too many operands of ${what}`);
    return verb.run(context);
  },
};
