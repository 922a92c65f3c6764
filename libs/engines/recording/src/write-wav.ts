/** How samples are written: PCM of so many bits, or float of 32. */
export type WavSamples = 'pcm16' | 'pcm24' | 'pcm32' | 'float32';

const HEADER_BYTES = 44;

/**
 * A WAVE file of one channel, or of several of the same length.
 *
 * @param channels samples from −1 to 1; PCM cuts off what lies beyond
 * @example
 * const wav = writeWav([tone], 48_000); // readWav(wav, bounds).samples is the tone to 16 bits
 */
export function writeWav(
  channels: readonly ArrayLike<number>[],
  sampleRateHz: number,
  as: WavSamples = 'pcm16',
): Uint8Array {
  const samples = wavSamples(channels, as);
  const bytes = new Uint8Array(HEADER_BYTES + samples.length + (samples.length % 2));
  bytes.set(wavHeader({ channels: channels.length, frames: channels[0].length, sampleRateHz, as }));
  bytes.set(samples, HEADER_BYTES);
  return bytes;
}

/** A sound whose file is written piece by piece. */
export interface WavShape {
  readonly channels: number;
  /** Samples of each channel, in all. */
  readonly frames: number;
  readonly sampleRateHz: number;
  readonly as?: WavSamples;
}

/**
 * The 44 bytes that a file begins with. {@link wavSamples} of each piece follow in order, and a zero where they are of an
 * odd number of bytes: then it is the file that {@link writeWav} gives.
 */
export function wavHeader({ channels, frames, sampleRateHz, as = 'pcm16' }: WavShape): Uint8Array {
  const width = bytesOf(as);
  const blockAlign = width * channels;
  const dataBytes = frames * blockAlign;
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  const text = (at: number, id: string) => {
    for (let i = 0; i < 4; i++) view.setUint8(at + i, id.charCodeAt(i));
  };
  text(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes + (dataBytes % 2), true);
  text(8, 'WAVE');
  text(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, as === 'float32' ? 3 : 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * blockAlign, true);
  view.setUint16(32, blockAlign, true);
  view.setUint16(34, width * 8, true);
  text(36, 'data');
  view.setUint32(40, dataBytes, true);
  return bytes;
}

/** Samples as a file holds them, without its header: the first of each channel, the second of each, and so on. */
export function wavSamples(channels: readonly ArrayLike<number>[], as: WavSamples = 'pcm16'): Uint8Array {
  const width = bytesOf(as);
  const frames = channels[0].length;
  const stride = width * channels.length;
  const bytes = new Uint8Array(frames * stride);
  const write = sampleWriter(new DataView(bytes.buffer), as);
  channels.forEach((samples, channel) => {
    for (let i = 0, at = channel * width; i < frames; i++, at += stride) write(at, samples[i]);
  });
  return bytes;
}

function bytesOf(as: WavSamples): number {
  return as === 'float32' ? 4 : Number(as.slice(3)) / 8;
}

function sampleWriter(view: DataView, as: WavSamples): (at: number, value: number) => void {
  if (as === 'float32') return (at, value) => view.setFloat32(at, value, true);
  const scale = 2 ** (8 * bytesOf(as) - 1);
  const stepOf = (value: number) => Math.max(-scale, Math.min(scale - 1, Math.round(value * scale)));
  if (as === 'pcm16') return (at, value) => view.setInt16(at, stepOf(value), true);
  if (as === 'pcm32') return (at, value) => view.setInt32(at, stepOf(value), true);
  return (at, value) => {
    const step = stepOf(value);
    view.setUint16(at, step & 0xffff, true);
    view.setInt8(at + 2, step >> 16);
  };
}
