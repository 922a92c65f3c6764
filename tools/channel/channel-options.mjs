import { SetupError } from '../setup/setup-error.mjs';

/** What a command line may say of a channel: its bounds, and what it stands for. */
const NUMBERS = {
  snr: [-40, 100],
  rt60: [0.05, 1.5],
  drr: [-20, 40],
  'doppler-ppm': [-20_000, 20_000],
  'swing-ppm': [0, 20_000],
  'swing-seconds': [0.05, 60],
  'drift-ppm': [-1_000, 1_000],
  clip: [0, 60],
  padding: [0, 60],
  seed: [0, 2 ** 31],
};

/** For parseArgs: every option of a channel takes a text. */
export const CHANNEL_ARGUMENTS = Object.fromEntries(
  [...Object.keys(NUMBERS), 'noise', 'speaker', 'codec'].map(name => [name, { type: 'string' }]),
);

/**
 * Conditions of `simulateChannel` from the options of a command line.
 *
 * @param {Record<string, string | undefined>} values
 * @param {readonly string[]} codecs names of the codec's qualities
 * @returns {{ conditions: import('@svc/modem/testing').ChannelConditions; seed: number }}
 * @throws {SetupError} naming the option that is out of its bounds
 */
export function channelOptions(values, codecs) {
  const number = name => numberOf(name, values[name]);
  const [snrDb, rt60, drr, swing] = ['snr', 'rt60', 'drr', 'swing-ppm'].map(number);
  const conditions = {
    ...(oneOf('speaker', values.speaker, ['phone']) && { phones: true }),
    ...((rt60 ?? drr) !== undefined && { room: { rt60Seconds: rt60 ?? 0.3, drrDb: drr ?? 3 } }),
    ...defined('dopplerPpm', number('doppler-ppm')),
    ...(swing !== undefined && { motion: { peakPpm: swing, periodSeconds: number('swing-seconds') ?? 1 } }),
    ...defined('driftPpm', number('drift-ppm')),
    ...(snrDb !== undefined && {
      noise: { snrDb, color: oneOf('noise', values.noise, ['white', 'pink']) ?? 'white' },
    }),
    ...defined('overloadDb', number('clip')),
    ...defined('codec', oneOf('codec', values.codec, codecs)),
    ...defined('paddingSeconds', number('padding')),
  };
  return { conditions, seed: number('seed') ?? 1 };
}

const defined = (name, value) => (value === undefined ? {} : { [name]: value });

function numberOf(name, text) {
  if (text === undefined) return undefined;
  const [min, max] = NUMBERS[name];
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < min || value > max) {
    throw new SetupError(`--${name} is a number from ${min} to ${max}`);
  }
  return value;
}

function oneOf(name, text, known) {
  if (text !== undefined && !known.includes(text)) {
    throw new SetupError(`--${name} is one of ${known.join(', ')}`);
  }
  return text;
}
