/** How samples are written: PCM of so many bits, or float of 32. */
export type WavSamples = 'pcm16' | 'pcm24' | 'pcm32' | 'float32';

const HEADER_BYTES = 44;

/**
 * A WAVE file of one channel, or of several of the same length.
 *
 * @param channels samples from −1 to 1; PCM cuts off what lies beyond
 * @example
 * const wav = writeWav([tone], 48_000); // readWav(wav).samples is the tone to 16 bits
 */
export function writeWav(
  channels: readonly ArrayLike<number>[],
  sampleRateHz: number,
  as: WavSamples = 'pcm16',
): Uint8Array {
  const width = as === 'float32' ? 4 : Number(as.slice(3)) / 8;
  const frames = channels[0].length;
  const blockAlign = width * channels.length;
  const dataBytes = frames * blockAlign;
  const bytes = new Uint8Array(HEADER_BYTES + dataBytes + (dataBytes % 2));
  const view = new DataView(bytes.buffer);
  const text = (at: number, id: string) => {
    for (let i = 0; i < 4; i++) view.setUint8(at + i, id.charCodeAt(i));
  };
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVE');
  text(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, as === 'float32' ? 3 : 1, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * blockAlign, true);
  view.setUint16(32, blockAlign, true);
  view.setUint16(34, width * 8, true);
  text(36, 'data');
  view.setUint32(40, dataBytes, true);
  let at = HEADER_BYTES;
  for (let i = 0; i < frames; i++) {
    for (const channel of channels) {
      writeSample(view, at, channel[i], as);
      at += width;
    }
  }
  return bytes;
}

function writeSample(view: DataView, at: number, value: number, as: WavSamples): void {
  if (as === 'float32') return view.setFloat32(at, value, true);
  const bits = Number(as.slice(3));
  const scale = 2 ** (bits - 1);
  const step = Math.max(-scale, Math.min(scale - 1, Math.round(value * scale)));
  if (bits === 32) return view.setInt32(at, step, true);
  view.setUint8(at, step & 0xff);
  if (bits === 16) return view.setInt8(at + 1, step >> 8);
  view.setUint8(at + 1, (step >> 8) & 0xff);
  view.setInt8(at + 2, step >> 16);
}
