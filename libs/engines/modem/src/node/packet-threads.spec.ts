import { RecordingError, writeWav } from '@svc/recording';
import { createHash } from 'node:crypto';
import { ModemError, modulate, type PacketOptions } from '../index.js';
import { PacketThreads } from './packet-threads.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PAYLOAD = Uint8Array.from({ length: 16 }, (_, i) => 17 * i);

describe('threads that make and hear packets', () => {
  const threads = new PacketThreads();
  afterAll(() => threads.close());

  it.each<PacketOptions>([
    { baud: 300 },
    { baud: 300, profile: 'robust' },
    { baud: 300, frequencyBand: 'audible_fsk' },
  ])('make the file that the caller would have made, and hear its packet: %j', async options => {
    const { wav, sha256: digest, ...plan } = await threads.make(PAYLOAD, options, { withWav: true });
    const expected = writeWav([modulate(PAYLOAD, options)], 44_100);
    expect(Buffer.compare(wav!, expected)).toBe(0);
    expect(digest).toBe(sha256(expected));
    expect(plan.samples).toBe((expected.length - 44) / 2);
    const heard = await threads.hear(wav!, options);
    expect(heard.packets.map(({ payload }) => [...payload])).toEqual([[...PAYLOAD]]);
    expect(heard).toMatchObject({ sampleRateHz: 44_100, durationSeconds: plan.durationSeconds });
  });

  it('tell the digest of a packet without its sound, the same as of its sound', async () => {
    const long = new Uint8Array(300).fill(0xa5);
    const made = await threads.make(long, { baud: 300 }, { withWav: false });
    expect(made.wav).toBeUndefined();
    expect(made.sha256).toBe(sha256(writeWav([modulate(long, { baud: 300 })], 44_100)));
  });

  it('say what is wrong with a file, with its bound', async () => {
    const slow = writeWav([new Float32Array(8_000)], 8_000);
    await expect(threads.hear(slow, {})).rejects.toMatchObject({
      ...{ name: 'ModemError', code: 'SAMPLE_RATE_TOO_LOW', limits: { min: 42_240, got: 8_000 } },
    });
    await expect(threads.read(slow, { frequencyBand: 'audible_fsk' })).resolves.toEqual({
      ...{ sampleRateHz: 8_000, durationSeconds: 1 },
    });
    const refused = await threads.read(slow.subarray(0, 50), {}).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RecordingError);
    expect(refused).toMatchObject({ code: 'TRUNCATED', field: 'data.cksize' });
    const unsent = await threads
      .make(PAYLOAD, { carrierHz: 1 }, { withWav: false })
      .catch((error: unknown) => error);
    expect(unsent).toBeInstanceOf(ModemError);
    expect(unsent).toMatchObject({ code: 'CARRIER', limits: { got: 1 } });
  });

  it('hear many at once, and refuse those beyond what may wait', async () => {
    const silence = writeWav([new Float32Array(4_410)], 44_100);
    const asked = Array.from({ length: 60 }, () =>
      threads.hear(silence, {}).then(
        ({ reason }) => reason,
        (error: { code: string }) => error.code,
      ),
    );
    const outcomes = await Promise.all(asked);
    expect(new Set(outcomes)).toEqual(new Set(['NO_SYNC', 'BUSY']));
    expect(outcomes.filter(outcome => outcome === 'NO_SYNC').length).toBeGreaterThanOrEqual(32);
  });

  it('refuse what is left when they are closed', async () => {
    const closing = new PacketThreads();
    const asked = [
      closing.make(PAYLOAD, {}, { withWav: true }),
      closing.make(PAYLOAD, {}, { withWav: true }),
    ];
    const codes = Promise.all(asked.map(one => one.catch((error: { code: string }) => error.code)));
    await closing.close();
    expect(await codes).toEqual(['CLOSED', 'CLOSED']);
    await expect(closing.read(PAYLOAD, {})).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
