import { planPacket } from '@svc/modem';
import { workOfHearing, workOfMaking } from './sound-work.js';

const CALL_UNITS = 20;

const packet = (bytes: number, baud: 50 | 150 | 300, profile: 'standard' | 'robust' = 'standard') =>
  planPacket(bytes, { baud, profile });

const expectNear = (units: number, measuredMs: number) => {
  expect(units).toBeGreaterThanOrEqual(measuredMs / 2);
  expect(units).toBeLessThanOrEqual(2 * measuredMs);
};

describe('the work of a packet', () => {
  it.each([
    ['2 bytes', packet(2, 150), false, 13],
    ['256 bytes', packet(256, 50), false, 46],
    ['4,096 bytes at 300 baud', packet(4_096, 300), false, 107],
    ['4,096 bytes at 50 baud', packet(4_096, 50), false, 440],
    ['the same, sent twice', packet(4_096, 50, 'robust'), false, 830],
    ['a challenge, with its sound', packet(16, 150, 'robust'), true, 23],
    ['55 seconds, with their sound', packet(500, 150), true, 171],
  ])(
    'is estimated at up to twice and at least half of what was measured: %s',
    (_of, plan, isSent, measuredMs) => {
      expectNear(CALL_UNITS + workOfMaking(plan, { isSent }).workUnits, measuredMs);
    },
  );

  it('grows as its seconds do, and is more where its sound is sent', () => {
    const [once, twice] = [10, 20].map(durationSeconds =>
      workOfMaking({ durationSeconds }, { isSent: false }),
    );
    expect(twice.workUnits).toBeCloseTo(2 * once.workUnits, 9);
    const sent = workOfMaking({ durationSeconds: 10 }, { isSent: true });
    expect(sent.workUnits).toBeGreaterThan(5 * once.workUnits);
  });
});

describe('the work of a recording', () => {
  it.each([
    // Its body counts as a unit for each 16 KiB.
    ['a second', 1, 117_683, 18],
    ['ten seconds', 10, 1_176_083, 102],
    ['a minute', 60, 7_056_083, 816],
    ['a minute of few samples', 60, 1_280_115, 328],
    ['13 seconds of many', 13, 6_656_083, 574],
  ])(
    'is estimated at up to twice and at least half of what was measured: %s',
    (_of, durationSeconds, bodyBytes, measuredMs) => {
      expectNear(CALL_UNITS + bodyBytes / 16_384 + workOfHearing({ durationSeconds }).workUnits, measuredMs);
    },
  );
});
