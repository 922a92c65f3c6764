import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ACOUSTIC_DOES_NOT_PROVE, SPECKLE_DOES_NOT_PROVE } from '@svc/contracts';
import { joinPairingToken, type Pairing, pairingSigningInput } from '@svc/protocols';
import { checkPairing } from '../../src/acoustic/check-pairing.js';
import { auditedRequest } from '../../src/proof/audited-request.js';
import { ExitCode } from '../../src/cli/exit-code.js';
import { run } from '../../src/cli/run.js';

const pair = generateKeyPairSync('ed25519');
const KEYS = [
  {
    ...{ kid: 'kid-1', alg: 'Ed25519' as const, notBefore: '2026-01-01T00:00:00.000Z' },
    ...{ publicKey: pair.publicKey.export({ format: 'jwk' }).x!, notAfter: null, revokedAt: null },
  },
];
const NONCE = 'ab'.repeat(16);
const nonceHash = createHash('sha256').update(Buffer.from(NONCE, 'hex')).digest('hex');
const iat = Math.floor(Date.now() / 1_000);
function token(changes: Partial<Pairing> = {}): string {
  const pairing: Pairing = {
    ...{ v: 1, deviceId: 'door-7', nonceHash, band: 'ultrasonic_19khz', berNoiseFloorDb: -30 },
    ...{ assurance: 'recording_submitted', iat, exp: iat + 300, kid: 'kid-1' },
    ...changes,
  };
  const input = pairingSigningInput(pairing);
  return joinPairingToken(input, sign(null, Buffer.from(input), pair.privateKey));
}

const SOUND = Buffer.from('RIFF of a sound \u0000\u00ff', 'latin1');
const RECORDING = Buffer.from('RIFF of a recording', 'latin1');
const IMAGE = Buffer.from('\u0089PNG of a surface', 'latin1');
const EVIDENCE = { proofId: 'prf_x', doesNotProve: 'That it was played.' };
const QUALITY = { snrDb: 20, esN0Db: 21, ebN0Db: 18, berNoiseFloorDb: -60, frequencyOffsetPpm: 12 };
const ANSWERS: Record<string, object> = {
  '/v1/acoustic/modulate': {
    ...{
      sampleRate: 44_100,
      durationSeconds: 1.25,
      spaceHz: 18_600,
      markHz: 19_200,
      baud: 150,
      codewords: 18,
    },
    ...{ frameBits: 220, sha256: 'cd'.repeat(32), wavBase64: SOUND.toString('base64'), auditProof: EVIDENCE },
  },
  '/v1/acoustic/demodulate': {
    ...{ decoded: true, sampleRate: 44_100, durationSeconds: 2, auditProof: EVIDENCE },
    packets: [
      {
        ...{ payloadHex: '68690a1b', startSeconds: 0.5, crcValid: true, codewords: 10, correctedWords: 1 },
        ...{ doubleErrorWords: 0, secdedSyndrome: 9, quality: QUALITY },
      },
    ],
  },
  '/v1/acoustic/challenge': {
    ...{ challengeNonce: NONCE, audio: SOUND.toString('base64'), expiresAt: '2026-04-02T00:00:30.000Z' },
    ...{ keyId: 'k1', assurance: 'recording_submitted', auditProof: EVIDENCE },
  },
  '/v1/speckle/extract-puf': {
    ...{ fingerprintHex: 'ef'.repeat(240), maskHex: 'ff'.repeat(240), bits: 1_922, usableBits: 1_800 },
    ...{
      quality: { contrast: 0.9, speckleSizePx: 5, saturatedPct: 0.1, regularity: 0.12 },
      helperData: 'aGVscGVy',
    },
    ...{ pufId: `puf_${'a'.repeat(22)}`, residualEntropyBits: 359.2, auditProof: EVIDENCE },
  },
  '/v1/speckle/verify-slab': {
    ...{ verdict: 'match', fhd: 0.1, usableBits: 1_700, threshold: 0.35, dof: 1_612, auditProof: EVIDENCE },
    ...{ falseMatchProbability: 1e-90, alignment: { shiftXPx: 1, shiftYPx: -2, rotationDeg: 0.5 } },
    ...{ keyReproduced: true, pufId: `puf_${'a'.repeat(22)}`, enrolledAt: '2026-04-02T00:00:00.000Z' },
  },
};

let folder: string;
let server: Server;
let asked: { path: string; body: Record<string, unknown>; key?: string }[];
let pairingToken: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-sound-'));
  for (const [name, bytes] of Object.entries({ 'in.wav': RECORDING, 'in.png': IMAGE, helper: 'aGVscGVy\n' }))
    writeFileSync(join(folder, name), bytes);
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', part => (text += part));
    request.on('end', () => {
      const answer = answerTo(request.url!, text, request.headers['idempotency-key'] as string);
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
});
beforeEach(() => {
  asked = [];
  pairingToken = token();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function answerTo(path: string, text: string, key?: string): object | undefined {
  if (path === '/.well-known/svc-pairing-keys.json') return { keys: KEYS };
  if (text !== '') asked.push({ path, body: JSON.parse(text) as never, ...(key && { key }) });
  if (path !== '/v1/acoustic/verify-pairing') return ANSWERS[path];
  return {
    ...{ pairingToken, secdedSyndrome: 0, correctedWords: 0, doubleErrorWords: 0, berNoiseFloorDb: -30 },
    ...{ validUntil: (iat + 300) * 1_000, assurance: 'recording_submitted', snrDb: 20, auditProof: EVIDENCE },
  };
}

const file = (name: string): string => join(folder, name);
async function svc(...args: string[]) {
  const { port } = server.address() as AddressInfo;
  let [stdout, stderr] = ['', ''];
  const code = await run({
    arguments: [...args, '--url', `http://127.0.0.1:${port}`],
    environment: {},
    streams: {
      stdin: new PassThrough().end(''),
      stdout: { write: text => (stdout += text) },
      stderr: { write: text => (stderr += text) },
    },
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

describe('svc acoustic', () => {
  test('modulate asks for the packet of a text, and saves its sound byte for byte', async () => {
    const out = file('out.wav');
    const { code, stdout } = await svc('acoustic', 'modulate', 'hé', '--baud', '300', '--out', out);
    expect([code, asked]).toEqual([
      ExitCode.ok,
      [{ path: '/v1/acoustic/modulate', body: { payloadHex: '0x68c3a9', baud: 300, includeWav: true } }],
    ]);
    expect(readFileSync(out)).toEqual(SOUND);
    expect(stdout).toContain('18600 and 19200 Hz');
  });

  test('modulate takes hexadecimal, and asks for no sound that nobody keeps', async () => {
    await svc('acoustic', 'modulate', '00ff', '--hex', '--band', 'audible_fsk', '--profile', 'robust');
    expect(asked[0].body).toEqual({ payloadHex: '0x00ff', frequencyBand: 'audible_fsk', profile: 'robust' });
  });

  test('demodulate sends the bytes of a recording, and shows no control characters of what was heard', async () => {
    const { code, stdout } = await svc('acoustic', 'demodulate', file('in.wav'), '--line-code', 'frame');
    expect([code, asked[0].body]).toEqual([
      ExitCode.ok,
      { recordingBase64: RECORDING.toString('base64'), lineCode: 'frame' },
    ]);
    expect(stdout).toContain('68690a1b at 0.500 s');
    expect(stdout).toContain('hi\ufffd\ufffd');
  });

  test('challenge saves the sound, and says until when it may be answered', async () => {
    const { stdout } = await svc('acoustic', 'challenge', 'door-7', '--out', file('c.wav'));
    expect([asked[0].body, readFileSync(file('c.wav'))]).toEqual([{ deviceId: 'door-7' }, SOUND]);
    expect(stdout).toContain(NONCE);
    expect(stdout).toContain('2026-04-02T00:00:30.000Z');
  });

  test('verify names its call, and holds the token against the published keys', async () => {
    const args = ['acoustic', 'verify', 'door-7', NONCE, file('in.wav')];
    const { code, stdout } = await svc(...args);
    expect([code, asked[0].body]).toEqual([
      ExitCode.ok,
      { deviceId: 'door-7', challengeNonce: NONCE, recordingBase64: RECORDING.toString('base64') },
    ]);
    expect(asked[0].key).toMatch(/^[0-9a-f-]{36}$/);
    expect(stdout).toMatch(/^checked +VALID/m);
    for (const [changes, verdict] of [
      [{ deviceId: 'door-8' }, 'OTHER_DEVICE'],
      [{ nonceHash: 'cd'.repeat(32) }, 'OTHER_CHALLENGE'],
      [{ iat: iat - 400, exp: iat - 100 }, 'EXPIRED'],
    ] as const) {
      pairingToken = token(changes);
      const answer = await svc(...args);
      expect([answer.code, answer.stdout]).toEqual([
        ExitCode.proofInvalid,
        expect.stringMatching(new RegExp(`^checked +${verdict}:`, 'm')),
      ]);
    }
  });

  test.each([
    [['acoustic']],
    [['acoustic', 'sing', 'x']],
    [['acoustic', 'modulate']],
    [['acoustic', 'modulate', 'a', 'b']],
    [['acoustic', 'modulate', 'abc', '--hex']],
    [['acoustic', 'modulate', 'a', '--baud', 'fast']],
    [['acoustic', 'demodulate', '/no/such/file']],
    [['acoustic', 'verify', 'door-7', NONCE]],
    [['speckle', 'extract']],
    [['speckle', 'guess', 'x']],
    [['speckle', 'extract', '/no/such/file']],
  ])('%j asks nobody', async args => {
    expect([(await svc(...args)).code, asked]).toEqual([ExitCode.usage, []]);
  });
});

describe('svc speckle', () => {
  test('extract sends an image with its region, and keeps the helper data', async () => {
    const options = ['--modality', 'paper_texture', '--roi', '10,20,300,400', '--enrol', '--slab', 'bar-1'];
    const { code, stdout } = await svc(
      'speckle',
      'extract',
      file('in.png'),
      ...options,
      '--helper',
      file('kept'),
    );
    expect([code, asked[0]]).toEqual([
      ExitCode.ok,
      {
        path: '/v1/speckle/extract-puf',
        body: {
          ...{
            imageBase64: IMAGE.toString('base64'),
            modality: 'paper_texture',
            enroll: true,
            slabId: 'bar-1',
          },
          roi: { x: 10, y: 20, width: 300, height: 400 },
        },
      },
    ]);
    expect([readFileSync(file('kept'), 'utf8'), stdout]).toEqual([
      'aGVscGVy\n',
      expect.stringContaining('about 359 bits'),
    ]);
  });

  test('verify sends an image with whom it is compared, and shows distance and chance', async () => {
    const options = ['--slab', 'bar-1', '--helper', file('helper')];
    const { code, stdout } = await svc('speckle', 'verify', file('in.png'), ...options);
    expect([code, asked[0].body]).toEqual([
      ExitCode.ok,
      { imageBase64: IMAGE.toString('base64'), slabId: 'bar-1', helperData: 'aGVscGVy' },
    ]);
    expect(stdout).toMatch(/^verdict +match$/m);
    expect(stdout).toContain('1.0e-90');
  });
});

describe('svc speckle of another’s piece', () => {
  const owned = ANSWERS['/v1/speckle/verify-slab'];
  afterEach(() => (ANSWERS['/v1/speckle/verify-slab'] = owned));

  test('verify sends the owner’s token, and shows the verdict without figures', async () => {
    const told = {
      verdict: 'mismatch',
      pufId: `puf_${'a'.repeat(22)}`,
      enrolledAt: '2026-04-02T00:00:00.000Z',
    };
    ANSWERS['/v1/speckle/verify-slab'] = { ...told, auditProof: EVIDENCE };
    const token = `slv_${'A'.repeat(43)}`;
    const { code, stdout } = await svc(
      'speckle',
      'verify',
      file('in.png'),
      '--slab',
      'bar-1',
      '--token',
      token,
    );
    expect([code, asked[0].body]).toEqual([
      ExitCode.ok,
      { imageBase64: IMAGE.toString('base64'), slabId: 'bar-1', verificationToken: token },
    ]);
    expect(stdout).toMatch(/^verdict +mismatch$/m);
    expect(stdout).not.toMatch(/^(distance|by chance|alignment|key) /m);
  });
});

describe('a pairing token', () => {
  test('is checked for the device and the challenge that are meant, and for any where they are not', async () => {
    const ask = (meant: object = {}) => checkPairing({ pairingToken, keys: KEYS, ...meant });
    expect((await ask()).code).toBe('VALID');
    expect((await ask({ deviceId: 'door-7', challengeNonce: `0x${NONCE.toUpperCase()}` })).code).toBe(
      'VALID',
    );
    expect((await ask({ deviceId: 'door-70' })).code).toBe('OTHER_DEVICE');
    expect((await ask({ challengeNonce: 'cd'.repeat(16) })).code).toBe('OTHER_CHALLENGE');
    expect((await ask({ challengeNonce: 'zz' })).code).toBe('OTHER_CHALLENGE');
    expect((await ask({ at: new Date((iat + 300) * 1_000) })).code).toBe('EXPIRED');
    expect((await checkPairing({ pairingToken: `${pairingToken}x`, keys: KEYS })).code).not.toBe('VALID');
    expect((await checkPairing({ pairingToken, keys: [] })).code).toBe('BAD_SIGNATURE');
  });
});

describe('a request whose evidence is checked', () => {
  const recordingBase64 = RECORDING.toString('base64');
  const recordingSha256 = `0x${createHash('sha256').update(RECORDING).digest('hex')}`;
  const imageSha256 = `0x${createHash('sha256').update(IMAGE).digest('hex')}`;

  test.each([
    [
      'a packet, with its defaults',
      ACOUSTIC_DOES_NOT_PROVE.modulate,
      { payloadHex: '0x00' },
      {
        ...{ payloadHex: '0x00', baud: 150, carrierHz: 18_600, frequencyBand: 'ultrasonic_19khz' },
        ...{ profile: 'standard', lineCode: 'frame', includeWav: false },
      },
    ],
    [
      'a recording, by its digest',
      ACOUSTIC_DOES_NOT_PROVE.demodulate,
      { recordingBase64 },
      {
        ...{ recordingSha256, baud: 150, frequencyBand: 'ultrasonic_19khz', profile: 'standard' },
        lineCode: 'frame',
      },
    ],
    [
      'a pairing, by the digest of its recording',
      ACOUSTIC_DOES_NOT_PROVE.pairing,
      { deviceId: 'd', challengeNonce: NONCE, recordingBase64 },
      { deviceId: 'd', challengeNonce: NONCE, recordingSha256 },
    ],
    [
      'a surface, by the digest of its image',
      SPECKLE_DOES_NOT_PROVE.extract,
      { imageBase64: IMAGE.toString('base64'), modality: 'laser_speckle' },
      { imageSha256, modality: 'laser_speckle', enroll: false },
    ],
    [
      'a comparison, by the digest of its image',
      SPECKLE_DOES_NOT_PROVE.verify,
      { imageBase64: IMAGE.toString('base64'), slabId: 'bar-1' },
      { imageSha256, slabId: 'bar-1' },
    ],
    [
      'a comparison with another’s piece, without the token',
      SPECKLE_DOES_NOT_PROVE.verify,
      {
        imageBase64: IMAGE.toString('base64'),
        slabId: 'bar-1',
        verificationToken: `slv_${'A'.repeat(43)}`,
      },
      { imageSha256, slabId: 'bar-1' },
    ],
  ])('is %s', (_what, doesNotProve, request, expected) => {
    expect(auditedRequest(request, { doesNotProve })).toEqual(expected);
    // As it was saved it stays.
    expect(auditedRequest(expected, { doesNotProve })).toEqual(expected);
  });
});
