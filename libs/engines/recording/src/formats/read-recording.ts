import { readOpus } from './read-opus.js';
import { readWav } from '../read-wav.js';
import { type Recording, type RecordingBounds, RecordingError, requireWithin } from '../recording.js';

const ascii = (bytes: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** A format that is told apart, and that this package cannot decode itself. */
export interface OtherFormat {
  readonly name: string;
  /** As ffmpeg calls what reads its files. */
  readonly demuxer: string;
}

/**
 * Decodes a file of another format to a WAVE file.
 * @param secondsMax a recording that is longer may be cut behind one second more
 * @throws RecordingError where it cannot
 */
export type OtherDecoder = (file: Uint8Array, format: OtherFormat, secondsMax: number) => Promise<Uint8Array>;

/** Formats that are told apart by how they begin; those without a demuxer are only named. */
const OTHERS: readonly (readonly [name: string, demuxer: string, isIt: (bytes: Uint8Array) => boolean])[] = [
  ['Ogg Vorbis', 'ogg', bytes => ascii(bytes, 0, 4) === 'OggS' && ascii(bytes, 29, 6) === 'vorbis'],
  ['FLAC', 'flac', bytes => ascii(bytes, 0, 4) === 'fLaC'],
  ['FLAC', 'ogg', bytes => ascii(bytes, 0, 4) === 'OggS' && ascii(bytes, 29, 4) === 'FLAC'],
  ['AAC (ADTS)', 'aac', bytes => bytes[0] === 0xff && (bytes[1] & 0xf6) === 0xf0],
  ['MP3', 'mp3', bytes => ascii(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0)],
  ['MPEG-4 (AAC, as phones record)', 'mov', bytes => ascii(bytes, 4, 4) === 'ftyp'],
  [
    'WebM or Matroska',
    'matroska',
    bytes => bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3,
  ],
  ['AIFF', '', bytes => ascii(bytes, 0, 4) === 'FORM'],
  ['CAF', 'caf', bytes => ascii(bytes, 0, 4) === 'caff'],
  ['AMR', '', bytes => ascii(bytes, 0, 5) === '#!AMR'],
  ['Windows Media', '', bytes => bytes[0] === 0x30 && bytes[1] === 0x26 && bytes[2] === 0xb2],
];

/**
 * Reads a recording: WAVE, Opus in Ogg, and what `decode` decodes. Others are refused by their name.
 *
 * @throws RecordingError with the field, its bound and what it has
 * @example const { samples, sampleRateHz } = await readRecording(bytes, bounds)
 */
export async function readRecording(
  bytes: Uint8Array,
  bounds: RecordingBounds,
  decode?: OtherDecoder,
): Promise<Recording> {
  const [name, demuxer] = OTHERS.find(([, , isIt]) => isIt(bytes)) ?? [];
  if (name === undefined && ascii(bytes, 0, 4) !== 'OggS') return readWav(bytes, bounds);
  if (name !== undefined && !(demuxer && decode)) {
    const message = `${name} is not read; send WAV or Ogg Opus: ffmpeg -i recording -ar 48000 recording.wav`;
    throw new RecordingError('FORMAT_UNSUPPORTED', message, { field: 'format', got: name });
  }
  const recording =
    name && demuxer && decode
      ? readWav(await decode(bytes, { name, demuxer }, bounds.secondsMax), bounds)
      : await readOpus(bytes, bounds);
  const bitsPerSecond = Math.round((8 * bytes.length) / recording.durationSeconds);
  requireWithin('BIT_RATE', 'bitsPerSecond', bitsPerSecond, { min: bounds.compressedBitsPerSecondMin });
  return recording;
}
