import { RecordingError, writeWav } from '@svc/recording';
import { makeChallengeTone } from '../challenge-tone/challenge-tone.js';
import { SeededRandom } from '@svc/kernels/testing';
import { compressedRing } from '../testing/node/index.js';
import { hearRecording } from './heard-recording.js';
import { RingAnalyser, type RingAnalyserError } from './ring-analyser.js';

/** Noise with strikes; in noise alone a strike is searched for longest. */
function recording(sampleRateHz: number, seconds: number): Uint8Array {
  const random = new SeededRandom(7);
  const samples = Float32Array.from({ length: sampleRateHz * seconds }, (_, n) => {
    const since = (n / sampleRateHz) % 1;
    return (
      0.3 * Math.exp(-since / 0.1) * Math.sin((2 * Math.PI * 4_000 * n) / sampleRateHz) +
      random.gaussian(0, 0.02)
    );
  });
  return writeWav([samples], sampleRateHz);
}

/** How often the caller's thread came round while some work went on. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setTimeout(turn, 1);
  };
  setTimeout(turn, 1);
  await work;
  isOver = true;
  return turns;
}

describe('a thread that listens', () => {
  const analyser = new RingAnalyser();
  afterAll(() => analyser.close());
  const short = recording(48_000, 1);

  it('hears what the caller would have heard', async () => {
    expect(await analyser.hear(short)).toEqual(await hearRecording(short));
    const { tonesHz, wav } = makeChallengeTone(new Uint8Array(16).fill(5));
    const heard = await analyser.hear(wav, tonesHz);
    expect(heard.tone).toMatchObject({ found: true, matched: 12 });
    expect(heard).toEqual(await hearRecording(wav, { tonesHz }));
    expect(await analyser.hear(short, tonesHz)).toMatchObject({ tone: { found: false }, analysis: null });
  });

  it('hears the modes of a recording that was compressed', async () => {
    const { recording, analysis } = await analyser.hear(compressedRing());
    expect(recording).toMatchObject({ sampleRateHz: 48_000, channels: 1, durationSeconds: 1 });
    for (const hz of [4_406, 8_652, 10_661]) {
      const nearest = analysis!.peaks.map(peak => Math.abs(peak.frequencyHz - hz)).sort((a, b) => a - b)[0];
      expect([hz, nearest < 0.5]).toEqual([hz, true]);
    }
  });

  it('leaves the caller’s own thread free while it listens', async () => {
    const { tonesHz } = makeChallengeTone(new Uint8Array(16).fill(9));
    const long = recording(48_000, 5);
    await analyser.hear(short);
    expect(await turnsDuring(Promise.resolve().then(() => hearRecording(long, { tonesHz })))).toBeLessThan(2);
    expect(await turnsDuring(analyser.hear(long, tonesHz))).toBeGreaterThan(5);
  });

  it('says what is wrong with a file, with its bound', async () => {
    const slow = writeWav([new Float32Array(8_000).fill(0.1)], 8_000);
    const refused = await analyser.hear(slow).catch((error: RecordingError) => error);
    expect(refused).toBeInstanceOf(RecordingError);
    expect(refused).toMatchObject({
      code: 'SAMPLE_RATE',
      field: 'nSamplesPerSec',
      min: 32_000,
      max: 192_000,
      got: 8_000,
    });
  });

  it('hears many at once, and refuses those beyond what may wait', async () => {
    const asked = Array.from({ length: 60 }, () =>
      analyser.hear(short).then(
        () => 'heard',
        (error: RingAnalyserError) => error.code,
      ),
    );
    const codes = await Promise.all(asked);
    expect(new Set(codes)).toEqual(new Set(['heard', 'BUSY']));
    expect(codes.filter(code => code === 'heard').length).toBeGreaterThanOrEqual(32);
  });

  it('refuses what is left when it is closed', async () => {
    const closing = new RingAnalyser();
    const asked = [closing.hear(short), closing.hear(short), closing.hear(short)];
    const codes = Promise.all(asked.map(one => one.catch((error: RingAnalyserError) => error.code)));
    await closing.close();
    expect(await codes).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
    await expect(closing.hear(short)).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
