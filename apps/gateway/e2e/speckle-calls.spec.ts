import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { IMAGE_BYTES_MAX, SPECKLE_DOES_NOT_PROVE, speckleRoutes } from '@svc/contracts';
import { documentDigest, FREE_WORK_UNITS, TrustedProxies } from '@svc/edge';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { createHash, randomBytes } from 'node:crypto';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, HOLDER, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedSpeckle, type SpeckleScript } from './speckle-under-test.js';
import { scriptedAttest, type ToolScript, toolScript } from './tools-under-test.js';

const EXTRACT = speckleRoutes.extractPuf.path;
const VERIFY = speckleRoutes.verifySlab.path;
const PAID: HeaderLines = [['Authorization', 'L402 bWFj:00']];
const WITH_KEY: HeaderLines = [['X-SVC-KEY', 'svc_test_key']];
const IMAGE = randomBytes(300);
const imageBase64 = IMAGE.toString('base64');
const READ = { imageBase64, modality: 'laser_speckle' };
const ENROL = { ...READ, enroll: true, slabId: 'slab-1' };
const COMPARE = { imageBase64, slabId: 'slab-1' };

const bus = new MemoryBus();
let gateway: RunningGateway;
let services: RunningService[];
let money: PaymentsScript;
let speckle: SpeckleScript;
let evidence: ToolScript;
beforeAll(async () => {
  const payments = scriptedPayments();
  const scripted = scriptedSpeckle();
  [money, speckle, evidence] = [payments.script, scripted.script, toolScript()];
  services = [
    await startServiceOn(bus, 'payments', { controllers: payments.controllers }),
    await startServiceOn(bus, 'department', { controllers: scripted.controllers }),
    await startServiceOn(bus, 'prover', { controllers: [scriptedAttest(evidence)] }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  Object.assign(money, { requestsLeft: 1_000, canBeGivenUp: true, releaseFaults: [], claimFaults: [] });
  for (const list of [money.counted, money.uncounted, money.claimed, money.delivered]) list.length = 0;
  money.released.length = 0;
  for (const list of [speckle.admitFaults, speckle.admitted, speckle.extracted, speckle.verified])
    list.length = 0;
  evidence.attested.length = 0;
});

const post = (path: string, body?: unknown, lines: HeaderLines = []) =>
  rawCall(gateway.address, path, { body, lines });

describe.each([
  ['a reading', EXTRACT, READ, SPECKLE_DOES_NOT_PROVE.extract],
  ['a comparison', VERIFY, COMPARE, SPECKLE_DOES_NOT_PROVE.verify],
])('%s', (_name, path, body, doesNotProve) => {
  test('within the quota is answered for nothing, and counted once', async () => {
    const { status, json, headers } = await post(path, body);
    expect([status, json.proves, json.doesNotProve]).toEqual([200, 'commitment', doesNotProve]);
    expect([money.counted.length, money.uncounted, money.claimed]).toEqual([1, [], []]);
    expect(evidence.attested).toMatchObject([{ isFree: true }]);
    expect(headers.ratelimit).toMatch(/^"month";r=999;t=\d+$/);
  });

  test('costs of free work what the service says of its pixels, and not its bytes', async () => {
    const rateLimits = { factor: 2_100 / FREE_WORK_UNITS, trustedProxies: new TrustedProxies([]) };
    const small = await startGatewayOn(bus, { rateLimits });
    speckle.workUnits = 1_000;
    try {
      const seen: number[] = [];
      for (let n = 0; n < 4; n++) seen.push((await rawCall(small.address, path, { body })).status);
      expect(seen).toEqual([200, 200, 429, 429]);
    } finally {
      speckle.workUnits = 0;
      await small.close();
    }
  });

  test('travels as bytes, and its evidence names the picture by its digest', async () => {
    const { auditProof: _evidence, ...said } = (await post(path, body)).json;
    const [call] = path === EXTRACT ? speckle.extracted : speckle.verified;
    expect(Buffer.from(call.image).equals(IMAGE)).toBe(true);
    expect(JSON.stringify(call.request)).not.toContain(imageBase64);
    const [{ requestDigest, resultDigest }] = evidence.attested;
    const imageSha256 = `0x${createHash('sha256').update(IMAGE).digest('hex')}`;
    expect(Buffer.from(requestDigest)).toEqual(Buffer.from(documentDigest({ ...call.request, imageSha256 })));
    expect(Buffer.from(resultDigest)).toEqual(Buffer.from(documentDigest(said)));
  });

  test('over the quota is 402, then sold, and what was paid is delivered with the very answer', async () => {
    money.requestsLeft = 0;
    const asked = await post(path, body);
    expect([asked.status, asked.json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    const { status, headers, text } = await post(path, body, PAID);
    expect([status, headers['payment-receipt']]).toEqual([200, 'receipt-under-test']);
    expect(evidence.attested).toMatchObject([{ isFree: false }]);
    expect(Buffer.from(money.delivered[0].response.body).toString()).toBe(text);
  });

  test('that is refused in admission is neither counted nor paid, and says why', async () => {
    for (const [code, status] of [
      ...[['UNPROCESSABLE', 422] as const, ['UNSUPPORTED_MEDIA_TYPE', 415] as const],
      ['BODY_TOO_LARGE', 413] as const,
    ])
      for (const lines of [[], WITH_KEY, PAID]) {
        const errors = [{ path: 'imageBase64', message: 'no', bound: 1, got: 2 }];
        speckle.admitFaults.push(problem(code, 'imageBase64: no', { errors }));
        const answer = await post(path, body, lines);
        expect([answer.status, answer.json.code, answer.json.errors]).toEqual([status, code, errors]);
      }
    expect([money.requestsLeft, money.claimed, money.delivered]).toEqual([1_000, [], []]);
    expect([speckle.extracted, speckle.verified]).toEqual([[], []]);
  });
});

describe('an enrolment', () => {
  test('is by the account whose key came along, which may pay or be there beside a payment', async () => {
    for (const lines of [WITH_KEY, [...PAID, ...WITH_KEY]]) {
      expect((await post(EXTRACT, ENROL, lines)).status).toBe(200);
      expect(speckle.extracted.at(-1)).toMatchObject({
        by: HOLDER,
        request: { enroll: true, slabId: 'slab-1' },
      });
      expect(speckle.admitted.at(-1)).toMatchObject({ by: HOLDER });
    }
  });

  test('without a key tells the department of none', async () => {
    await post(EXTRACT, ENROL);
    expect(speckle.admitted.at(-1)).not.toHaveProperty('by');
  });

  test('with a key that is none is 401, and nothing is asked of the department', async () => {
    const bad: HeaderLines = [['X-SVC-KEY', BAD_KEY]];
    for (const lines of [bad, [...PAID, ...bad]]) {
      const { status, json } = await post(EXTRACT, ENROL, lines);
      expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
    }
    expect([speckle.admitted, speckle.extracted, money.delivered]).toEqual([[], [], []]);
  });

  test('that is not one is nobody’s, whatever key came along', async () => {
    await post(EXTRACT, READ, WITH_KEY);
    expect(speckle.extracted.at(-1)).not.toHaveProperty('by');
  });
});

describe('a comparison', () => {
  const verificationToken = `slv_${'A'.repeat(43)}`;

  test('is for the account whose key came along, which may pay or be there beside a payment', async () => {
    for (const lines of [WITH_KEY, [...PAID, ...WITH_KEY]]) {
      expect((await post(VERIFY, COMPARE, lines)).status).toBe(200);
      expect([speckle.verified.at(-1), speckle.admitted.at(-1)]).toMatchObject([
        { by: HOLDER },
        { by: HOLDER },
      ]);
    }
    await post(VERIFY, COMPARE);
    expect(speckle.verified.at(-1)).not.toHaveProperty('by');
  });

  test('with a key that is none is 401, and nothing is asked of the department', async () => {
    const bad: HeaderLines = [['X-SVC-KEY', BAD_KEY]];
    for (const lines of [bad, [...PAID, ...bad]])
      expect((await post(VERIFY, COMPARE, lines)).status).toBe(401);
    expect([speckle.admitted, speckle.verified, money.delivered]).toEqual([[], [], []]);
  });

  test('takes the owner’s token along, which its evidence does not cover', async () => {
    expect((await post(VERIFY, { ...COMPARE, verificationToken })).status).toBe(200);
    expect(speckle.verified.at(-1)).toMatchObject({ request: { slabId: 'slab-1', verificationToken } });
    const imageSha256 = `0x${createHash('sha256').update(IMAGE).digest('hex')}`;
    const [{ requestDigest }] = evidence.attested;
    expect(Buffer.from(requestDigest)).toEqual(
      Buffer.from(documentDigest({ slabId: 'slab-1', imageSha256 })),
    );
  });

  test('that the department refuses says which field, bound and value', async () => {
    for (const [code, status] of [['FORBIDDEN', 403] as const, ['RATE_LIMITED', 429] as const]) {
      const errors = [{ path: 'slabId', message: 'no', bound: 100, got: 100 }];
      speckle.admitFaults.push(problem(code, 'slabId: no', { errors, retryAfterSeconds: 60 }));
      const answer = await post(VERIFY, { ...COMPARE, verificationToken });
      expect([answer.status, answer.json.errors]).toEqual([status, errors]);
    }
  });
});

describe('a body that says no such thing', () => {
  const faultOf = ({ json }: { json: Record<string, unknown> }) =>
    (json.errors as { path: string }[] | undefined)?.map(({ path }) => path);

  test.each([
    ['a picture that is no base64', EXTRACT, { ...READ, imageBase64: 'no base64!' }, ['imageBase64']],
    ['an empty picture', EXTRACT, { ...READ, imageBase64: '' }, ['imageBase64']],
    ['no picture', EXTRACT, { modality: 'laser_speckle' }, ['imageBase64']],
    ['an unknown modality', EXTRACT, { ...READ, modality: 'x-ray' }, ['modality']],
    [
      'a region of 63 pixels',
      EXTRACT,
      { ...READ, roi: { x: 0, y: 0, width: 63, height: 256 } },
      ['roi.width'],
    ],
    [
      'a region before the picture',
      VERIFY,
      { ...COMPARE, roi: { x: -1, y: 0, width: 256, height: 256 } },
      ['roi.x'],
    ],
    ['a slabId with a space', EXTRACT, { ...ENROL, slabId: 'a slab' }, ['slabId']],
    ['both names', VERIFY, { ...COMPARE, pufId: `puf_${'A'.repeat(22)}` }, ['slabId']],
    ['neither name', VERIFY, { imageBase64 }, ['slabId']],
    ['a pufId of another form', VERIFY, { imageBase64, pufId: 'puf_1' }, ['pufId']],
    ['a token of another form', VERIFY, { ...COMPARE, verificationToken: 'slv_1' }, ['verificationToken']],
    ['helper data that is no base64', VERIFY, { ...COMPARE, helperData: '**' }, ['helperData']],
  ])('%s is 400, and not counted', async (_name, path, body, paths) => {
    const answer = await post(path, body);
    expect([answer.status, answer.json.code, faultOf(answer)]).toEqual([400, 'VALIDATION_FAILED', paths]);
    expect([money.counted, speckle.admitted]).toEqual([[], []]);
  });

  test('a field more is 400', async () => {
    expect((await post(EXTRACT, { ...READ, threshold: 1 })).status).toBe(400);
  });

  test('a picture above the bound is 400 or 413 before it is looked at', async () => {
    const base64 = 'A'.repeat(4 * Math.ceil((IMAGE_BYTES_MAX + 3) / 3));
    expect((await post(EXTRACT, { ...READ, imageBase64: base64 })).status).toBe(400);
    const beyond = 'A'.repeat(speckleRoutes.extractPuf.bodyBytesMax);
    expect((await post(EXTRACT, { ...READ, imageBase64: beyond })).status).toBe(413);
    expect(speckle.admitted).toEqual([]);
  });
});
