import { SeededRandom } from '@svc/kernels/testing';
import { convolve } from './convolve.js';
import { directToReverberantDb, drawRoomResponse, reverberationSeconds } from './shoebox-room.js';

const RATE_HZ = 44_100;

describe('rooms by images', () => {
  it.each([
    [6, 0.2],
    [3, 0.3],
    [0, 0.4],
    [-3, 0.5],
  ])('are measured as they were asked: DRR %d dB, RT60 %d s', (drrDb, rt60Seconds) => {
    for (const seed of [1, 2, 3]) {
      const { response } = drawRoomResponse({ drrDb, rt60Seconds }, RATE_HZ, new SeededRandom(seed));
      expect(directToReverberantDb(response, RATE_HZ)).toBeCloseTo(drrDb, 6);
      expect(Math.abs(reverberationSeconds(response, RATE_HZ) / rt60Seconds - 1)).toBeLessThan(0.1);
    }
  });

  it('fade both tones of a packet apart from one another', () => {
    const gains = [1, 2, 3, 4, 5, 6, 7, 8].map(seed => {
      const { response } = drawRoomResponse({ drrDb: 0, rt60Seconds: 0.3 }, RATE_HZ, new SeededRandom(seed));
      return levelDb(response, 18_600) - levelDb(response, 19_200);
    });
    const spread = Math.sqrt(gains.reduce((sum, db) => sum + db * db, 0) / gains.length);
    expect(spread).toBeGreaterThan(2);
    expect(spread).toBeLessThan(15);
  });

  it('have a diffuse tail: its samples are about normal', () => {
    const { response } = drawRoomResponse({ drrDb: 0, rt60Seconds: 0.5 }, RATE_HZ, new SeededRandom(4));
    const from = Math.round(0.15 * RATE_HZ);
    const tail = response.subarray(from, from + 2_000).map((x, n) => x * 10 ** ((3 * n) / (0.5 * RATE_HZ)));
    const moment = (power: number) => tail.reduce((sum, x) => sum + x ** power, 0) / tail.length;
    expect(moment(4) / moment(2) ** 2).toBeGreaterThan(2.3);
    expect(moment(4) / moment(2) ** 2).toBeLessThan(4.5);
  });
});

describe('convolution by blocks', () => {
  it.each([
    [1, 1],
    [5, 3],
    [1_000, 257],
    [300, 2_000],
    [4_000, 1],
  ])('is the sum of its definition: %d samples, %d of the response', (length, taps) => {
    const random = new SeededRandom(length);
    const samples = Float32Array.from({ length }, () => random.gaussian());
    const response = Float64Array.from({ length: taps }, () => random.gaussian());
    const expected = new Float64Array(length + taps - 1);
    samples.forEach((x, n) => response.forEach((h, k) => (expected[n + k] += x * h)));
    const got = convolve(samples, response);
    expect(got.length).toBe(expected.length);
    expect(Math.max(...got.map((y, n) => Math.abs(y - expected[n])))).toBeLessThan(1e-4);
  });
});

function levelDb(response: Float64Array, hz: number): number {
  let re = 0;
  let im = 0;
  response.forEach((x, n) => {
    re += x * Math.cos((2 * Math.PI * hz * n) / RATE_HZ);
    im += x * Math.sin((2 * Math.PI * hz * n) / RATE_HZ);
  });
  return 10 * Math.log10(re * re + im * im);
}
