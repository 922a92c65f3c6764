import { loudestChannel } from './loudest-channel.js';
import {
  type Recording,
  RECORDING_CHANNELS_MAX,
  type RecordingBounds,
  RecordingError,
  requireWithin,
} from './recording.js';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FMT_BYTES = 16;
const FMT_EXTENSIBLE_BYTES = 40;
const TAG_PCM = 1;
const TAG_FLOAT = 3;
const TAG_EXTENSIBLE = 0xfffe;
const WIDTHS_BITS: Readonly<Record<number, readonly number[]>> = {
  [TAG_PCM]: [8, 16, 24, 32],
  [TAG_FLOAT]: [32, 64],
};
/** The last 14 bytes of the GUIDs that stand for a format tag. */
const GUID_TAIL = '0000000010008000' + '00aa00389b71';

interface WavFormat {
  readonly isFloat: boolean;
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly bitsPerSample: number;
}

/**
 * Reads a WAVE file (RIFF, also WAVE_FORMAT_EXTENSIBLE) of PCM with 16, 24 or 32 bits, of float with 32 or 64, and where
 * the bounds say so of PCM with 8. Of two channels it takes the louder one: added up, two microphones a hand apart cancel a mode of 3 kHz.
 *
 * Nothing is kept but the samples of one channel, whatever lengths the headers claim.
 *
 * @throws RecordingError with the field, its bound and what it has
 *
 * Source: IBM and Microsoft, Multimedia Programming Interface and Data Specifications 1.0, 1991; Microsoft, Multiple
 * channel audio data and WAVE files, 2001.
 */
export function readWav(bytes: Uint8Array, bounds: RecordingBounds): Recording {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { format, data } = readChunks(view, bounds);
  const bytesPerSample = format.bitsPerSample / 8;
  const frames = Math.floor(data.byteLength / (bytesPerSample * format.channels));
  const durationSeconds = frames / format.sampleRateHz;
  requireWithin('TOO_LONG', 'durationSeconds', durationSeconds, { max: bounds.secondsMax });
  requireWithin('TOO_SHORT', 'durationSeconds', durationSeconds, { min: bounds.secondsMin });
  const { channels, sampleRateHz, bitsPerSample } = format;
  const channelOf = (channel: number) => decode(data, format, frames, channel);
  const heard = loudestChannel(channels, channelOf, bounds);
  return { ...heard, sampleRateHz, channels, bitsPerSample, durationSeconds };
}

function readChunks(view: DataView, bounds: RecordingBounds): { format: WavFormat; data: DataView } {
  requireRiff(view);
  let format: WavFormat | undefined;
  let at = RIFF_HEADER_BYTES;
  while (at + CHUNK_HEADER_BYTES <= view.byteLength) {
    const id = fourCc(view, at);
    const declared = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    const available = view.byteLength - start;
    if (declared > available && (id === 'fmt ' || id === 'data')) {
      throw new RecordingError(
        'TRUNCATED',
        `chunk '${id}' declares ${declared} bytes and ${available} follow: the file is cut off, or its length was never written`,
        { field: `${id.trim()}.cksize`, max: available, got: declared },
      );
    }
    if (id === 'fmt ') format = readFormat(view, start, declared, bounds);
    if (id === 'data') {
      if (!format) throw notWave(`chunk 'data' comes before 'fmt '`, 'fmt');
      return { format, data: new DataView(view.buffer, view.byteOffset + start, declared) };
    }
    // A chunk of odd length is followed by a byte that it does not count.
    at = start + declared + (declared % 2);
  }
  const missing = format ? 'data' : 'fmt';
  throw new RecordingError('TRUNCATED', `the file has no chunk '${missing}'`, {
    field: missing,
    got: 'none',
  });
}

function requireRiff(view: DataView): void {
  if (view.byteLength < RIFF_HEADER_BYTES) {
    throw new RecordingError('NOT_WAVE', `a WAVE file has a header of ${RIFF_HEADER_BYTES} bytes`, {
      field: 'RIFF',
      min: RIFF_HEADER_BYTES,
      got: view.byteLength,
    });
  }
  const id = fourCc(view, 0);
  if (id === 'RF64' || id === 'RIFX' || id === 'BW64') {
    throw new RecordingError('FORMAT_UNSUPPORTED', `files of the form ${id} are not read, only RIFF`, {
      field: 'RIFF',
      got: id,
    });
  }
  if (id !== 'RIFF') throw notWave(`the file begins with '${id}', not 'RIFF'`, 'RIFF', id);
  const form = fourCc(view, 8);
  if (form !== 'WAVE') throw notWave(`the form is '${form}', not 'WAVE'`, 'WAVE', form);
}

function readFormat(view: DataView, start: number, bytes: number, bounds: RecordingBounds): WavFormat {
  requireWithin('TRUNCATED', 'fmt.cksize', bytes, { min: FMT_BYTES });
  const wFormatTag = view.getUint16(start, true);
  const channels = view.getUint16(start + 2, true);
  const sampleRateHz = view.getUint32(start + 4, true);
  const blockAlign = view.getUint16(start + 12, true);
  const bitsPerSample = view.getUint16(start + 14, true);
  const tag = wFormatTag === TAG_EXTENSIBLE ? extensibleTag(view, start, bytes) : wFormatTag;
  const bits = WIDTHS_BITS[tag]?.filter(width => width >= bounds.bitsPerSampleMin);
  if (!bits) {
    throw new RecordingError('FORMAT_UNSUPPORTED', `wFormatTag ${tag} is neither PCM (1) nor float (3)`, {
      field: 'wFormatTag',
      got: tag,
    });
  }
  requireWithin('CHANNELS', 'nChannels', channels, { min: 1, max: RECORDING_CHANNELS_MAX });
  requireWithin('SAMPLE_RATE', 'nSamplesPerSec', sampleRateHz, {
    min: bounds.sampleRateHzMin,
    max: bounds.sampleRateHzMax,
  });
  if (!bits.includes(bitsPerSample)) {
    throw new RecordingError('FORMAT_UNSUPPORTED', `wBitsPerSample must be one of ${bits.join(', ')}`, {
      field: 'wBitsPerSample',
      min: bits[0],
      max: bits.at(-1)!,
      got: bitsPerSample,
    });
  }
  const expected = (channels * bitsPerSample) / 8;
  requireWithin('FORMAT_UNSUPPORTED', 'nBlockAlign', blockAlign, { min: expected, max: expected });
  return { isFloat: tag === TAG_FLOAT, channels, sampleRateHz, bitsPerSample };
}

/** The tag that the sub-format of WAVE_FORMAT_EXTENSIBLE stands for. */
function extensibleTag(view: DataView, start: number, bytes: number): number {
  requireWithin('TRUNCATED', 'fmt.cksize', bytes, { min: FMT_EXTENSIBLE_BYTES });
  let tail = '';
  for (let i = 0; i < 14; i++) {
    tail += view
      .getUint8(start + 26 + i)
      .toString(16)
      .padStart(2, '0');
  }
  if (tail !== GUID_TAIL) {
    throw new RecordingError('FORMAT_UNSUPPORTED', 'the sub-format stands for no format tag', {
      field: 'SubFormat',
      got: tail,
    });
  }
  return view.getUint16(start + 24, true);
}

/** @throws RecordingError NOT_FINITE for floats that are no numbers or beyond any scale */
function decode(data: DataView, format: WavFormat, frames: number, channel: number): Float32Array {
  const width = format.bitsPerSample / 8;
  const stride = width * format.channels;
  const read = sampleReader(data, format);
  const samples = new Float32Array(frames);
  for (let i = 0, at = channel * width; i < frames; i++, at += stride) {
    const value = read(at);
    // Float files may go beyond full scale a little; what does so by far is no sound.
    if (!(value <= FLOAT_AMPLITUDE_MAX && value >= -FLOAT_AMPLITUDE_MAX)) {
      throw new RecordingError(
        'NOT_FINITE',
        `sample ${i} is not a number from −${FLOAT_AMPLITUDE_MAX} to ${FLOAT_AMPLITUDE_MAX}`,
        {
          field: `samples[${i}]`,
          min: -FLOAT_AMPLITUDE_MAX,
          max: FLOAT_AMPLITUDE_MAX,
          got: String(value),
        },
      );
    }
    samples[i] = value;
  }
  return samples;
}

const FLOAT_AMPLITUDE_MAX = 16;

function sampleReader(data: DataView, { isFloat, bitsPerSample }: WavFormat): (at: number) => number {
  if (isFloat)
    return bitsPerSample === 32 ? at => data.getFloat32(at, true) : at => data.getFloat64(at, true);
  // One byte alone is without a sign: silence is 128.
  if (bitsPerSample === 8) return at => (data.getUint8(at) - 128) / 2 ** 7;
  if (bitsPerSample === 16) return at => data.getInt16(at, true) / 2 ** 15;
  if (bitsPerSample === 24) return at => (data.getUint16(at, true) + data.getInt8(at + 2) * 65_536) / 2 ** 23;
  return at => data.getInt32(at, true) / 2 ** 31;
}

function fourCc(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map(i => view.getUint8(at + i))).replace(/[^\x20-\x7e]/g, '?');
}

function notWave(message: string, field: string, got?: string): RecordingError {
  return new RecordingError('NOT_WAVE', message, got === undefined ? { field } : { field, got });
}
