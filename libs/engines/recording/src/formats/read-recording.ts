import { readOpus } from './read-opus.js';
import { readWav } from '../read-wav.js';
import { type Recording, type RecordingBounds, RecordingError } from '../recording.js';

const ascii = (bytes: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** Formats that are told apart to be named, by how they begin. */
const OTHERS: readonly (readonly [name: string, isIt: (bytes: Uint8Array) => boolean])[] = [
  ['Ogg Vorbis', bytes => ascii(bytes, 0, 4) === 'OggS' && ascii(bytes, 29, 6) === 'vorbis'],
  [
    'FLAC',
    bytes =>
      ascii(bytes, 0, 4) === 'fLaC' || (ascii(bytes, 0, 4) === 'OggS' && ascii(bytes, 29, 4) === 'FLAC'),
  ],
  ['AAC (ADTS)', bytes => bytes[0] === 0xff && (bytes[1] & 0xf6) === 0xf0],
  ['MP3', bytes => ascii(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0)],
  ['MPEG-4 (AAC, as phones record)', bytes => ascii(bytes, 4, 4) === 'ftyp'],
  [
    'WebM or Matroska',
    bytes => bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3,
  ],
  ['AIFF', bytes => ascii(bytes, 0, 4) === 'FORM'],
  ['CAF', bytes => ascii(bytes, 0, 4) === 'caff'],
  ['AMR', bytes => ascii(bytes, 0, 5) === '#!AMR'],
  ['Windows Media', bytes => bytes[0] === 0x30 && bytes[1] === 0x26 && bytes[2] === 0xb2],
];

/**
 * Reads a recording: WAVE, or Opus in Ogg. Others are refused by their name.
 *
 * @throws RecordingError with the field, its bound and what it has
 * @example const { samples, sampleRateHz } = await readRecording(bytes, bounds)
 */
export async function readRecording(bytes: Uint8Array, bounds: RecordingBounds): Promise<Recording> {
  const other = OTHERS.find(([, isIt]) => isIt(bytes))?.[0];
  if (other !== undefined) {
    const message = `${other} is not read; send WAV or Ogg Opus: ffmpeg -i recording -ar 48000 recording.wav`;
    throw new RecordingError('FORMAT_UNSUPPORTED', message, { field: 'format', got: other });
  }
  return ascii(bytes, 0, 4) === 'OggS' ? readOpus(bytes, bounds) : readWav(bytes, bounds);
}
