import { ConfigError } from '@svc/platform';
import { soundDecoderFaults, soundDecoderOf } from './sound-decoder.js';

const development = { production: false };
const production = { production: true };
const NODE = process.execPath;

it('is what FFMPEG names, in production too', () => {
  for (const known of [development, production]) {
    expect(soundDecoderOf(known, { FFMPEG: NODE })).toBe(NODE);
    expect(soundDecoderOf(known, { FFMPEG: 'off' })).toBeUndefined();
  }
});

it('is found in the PATH where nothing is said, but not in production', () => {
  expect(soundDecoderOf(production, { PATH: process.env.PATH })).toBeUndefined();
  expect(soundDecoderOf(production, { FFMPEG: '' })).toBeUndefined();
  expect(soundDecoderOf(development, { PATH: '/nowhere' }) ?? '/ffmpeg').toMatch(/\/ffmpeg$/);
});

it.each(['ffmpeg', '/nowhere/ffmpeg', '/usr', import.meta.filename, './ffmpeg'])(
  '%s is a fault that says so',
  FFMPEG => {
    expect(soundDecoderFaults(production, { FFMPEG })).toEqual([
      'FFMPEG: is the path of a program that can be started, or off',
    ]);
    expect(() => soundDecoderOf(development, { FFMPEG })).toThrow(ConfigError);
    expect(soundDecoderFaults(production, {})).toEqual([]);
  },
);
