import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelOptions } from './channel-options.mjs';

const codecs = ['high', 'middle', 'low'];

describe('options of a simulated channel', () => {
  it('name nothing where nothing is asked', () => {
    assert.deepEqual(channelOptions({}, codecs), { conditions: {}, seed: 1 });
  });

  it('name each effect that is asked', () => {
    const values = {
      ...{ snr: '6', noise: 'pink', rt60: '0.4', drr: '-3', 'doppler-ppm': '-5200', 'swing-ppm': '2000' },
      ...{ 'drift-ppm': '200', clip: '6', speaker: 'phone', codec: 'middle', padding: '0.5', seed: '9' },
    };
    assert.deepEqual(channelOptions(values, codecs), {
      conditions: {
        phones: true,
        room: { rt60Seconds: 0.4, drrDb: -3 },
        dopplerPpm: -5_200,
        motion: { peakPpm: 2_000, periodSeconds: 1 },
        driftPpm: 200,
        noise: { snrDb: 6, color: 'pink' },
        overloadDb: 6,
        codec: 'middle',
        paddingSeconds: 0.5,
      },
      seed: 9,
    });
  });

  it('take a room by one of its two measures', () => {
    assert.deepEqual(channelOptions({ drr: '0' }, codecs).conditions.room, { rt60Seconds: 0.3, drrDb: 0 });
  });

  for (const [name, text, sentence] of [
    ['snr', 'loud', /--snr is a number from -40 to 100/],
    ['snr', '', /--snr is a number/],
    ['rt60', '0', /--rt60 is a number from 0.05 to 1.5/],
    ['doppler-ppm', '20001', /--doppler-ppm is a number/],
    ['codec', 'mp3', /--codec is one of high, middle, low/],
    ['speaker', 'hifi', /--speaker is one of phone/],
    ['noise', 'brown', /--noise is one of white, pink/],
  ]) {
    it(`refuse --${name} ${text === '' ? 'without a number' : text}`, () => {
      assert.throws(() => channelOptions({ snr: '5', [name]: text }, codecs), sentence);
    });
  }
});
