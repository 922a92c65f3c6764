import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OtherDecoder, OtherFormat } from '../formats/read-recording.js';
import { RecordingError } from '../recording.js';

const execute = promisify(execFile);

/** Twenty seconds of sound take it a fifth of one. */
const CPU_SECONDS_MAX = 2;
const WALL_MS_MAX = 10_000;
const MEMORY_KIB_MAX = 1_048_576;
/** Of the WAV that it writes: 21 s of stereo at 192 kHz. */
const OUTPUT_BYTES_MAX = 33_554_432;
/** `ulimit -f` counts in these. */
const BLOCK_BYTES = 512;
const CODECS = 'aac,alac,flac,mp3,mp3float,opus,vorbis';
/** In a shell of its own, for Node cannot limit what it starts. */
const BOUNDED = `ulimit -c 0; ulimit -t ${CPU_SECONDS_MAX}; ulimit -v ${MEMORY_KIB_MAX}; ulimit -f ${OUTPUT_BYTES_MAX / BLOCK_BYTES}; exec "$0" "$@"`;

/** Exit statuses of a shell whose program is not there, or cannot be started. */
const NO_PROGRAM: readonly unknown[] = [126, 127];
const NO_ROOM = /No space left on device|Disk quota exceeded|Cannot allocate memory|Too many open files/;

/** A recording that was not decoded, for no fault of its own: the program is gone, the disk is full, or the machine had no time for it. */
export class DecoderError extends Error {
  override readonly name = 'DecoderError';
}

/**
 * Decodes what {@link readRecording} has no decoder for by an ffmpeg that the machine has: a process with 2 s of a core, 1 GiB and no
 * variables, which reads one file as the one format that it begins as, opens no other and no address, and writes 16-bit PCM.
 *
 * @param ffmpeg the path of the program
 * @throws RecordingError for what is wrong with the file; DecoderError for what is wrong here
 * @example const { samples } = await readRecording(bytes, bounds, ffmpegDecoder('/usr/bin/ffmpeg'))
 */
export function ffmpegDecoder(ffmpeg: string): OtherDecoder {
  return async (bytes, format, secondsMax) => {
    const folder = await mkdtemp(join(tmpdir(), 'recording-')).catch(notHere);
    const [from, to] = [join(folder, 'from'), join(folder, 'to.wav')];
    try {
      await writeFile(from, bytes, { mode: 0o600 }).catch(notHere);
      await execute('/bin/sh', ['-c', BOUNDED, ffmpeg, ...argumentsOf(format, from, secondsMax), to], {
        ...{ cwd: folder, env: {}, timeout: WALL_MS_MAX, killSignal: 'SIGKILL' },
      });
      return await readFile(to);
    } catch (error) {
      if (error instanceof DecoderError) throw error;
      if (isOurs(error as Failed)) notHere(error);
      const message = `the ${format.name} cannot be decoded within ${CPU_SECONDS_MAX} s of a core`;
      throw new RecordingError('TRUNCATED', message, { field: 'format', got: format.name });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** What `execFile` fails with: it says no status where the process could not be made, or was ended. */
interface Failed {
  readonly code?: unknown;
  readonly killed?: boolean;
  readonly stderr?: string;
}

/** The bounds of a file end its process by signals of their own, and a file that is broken by a status: what is left is of the machine. */
function isOurs({ code, killed = false, stderr = '' }: Failed): boolean {
  return killed || typeof code === 'string' || NO_PROGRAM.includes(code) || NO_ROOM.test(stderr);
}

function notHere(cause: unknown): never {
  throw new DecoderError('the recording could not be decoded now', { cause });
}

const argumentsOf = ({ demuxer }: OtherFormat, from: string, secondsMax: number): string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-xerror', '-threads', '1'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer, '-codec_whitelist', CODECS],
  ...['-f', demuxer, '-i', from, '-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1'],
  // One second more than is taken: its reader says that it is too long.
  ...['-t', String(secondsMax + 1), '-c:a', 'pcm_s16le', '-bitexact', '-f', 'wav'],
];
