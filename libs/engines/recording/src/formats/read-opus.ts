import { OpusDecoder } from 'opus-decoder';
import { loudestChannel } from '../loudest-channel.js';
import { oggPackets } from './ogg-packets.js';
import {
  type Recording,
  RECORDING_CHANNELS_MAX,
  type RecordingBounds,
  RecordingError,
  requireWithin,
} from '../recording.js';

const RATE_HZ = 48_000;
/** A packet of 120 ms in its largest form has 61,440 bytes (RFC 7845, 6). */
const PACKET_BYTES_MAX = 61_440;
const HEAD_BYTES = 19;
/** What is decoded beyond what a file may have: its start is left out, and its last packet cut. */
const SPARE_SECONDS = 1.5;

/**
 * Reads an Ogg Opus file of one stream with one or two channels, at 48 kHz. It is decoded packet by packet and no longer than it may
 * be, whatever it holds.
 *
 * @throws RecordingError with the field, its bound and what it has
 *
 * Source: RFC 7845, Ogg Encapsulation for the Opus Audio Codec.
 */
export async function readOpus(file: Uint8Array, bounds: RecordingBounds): Promise<Recording> {
  const packets = oggPackets(file, PACKET_BYTES_MAX);
  const { channels, preSkip, gain } = headOf(packets.next().value?.bytes);
  packets.next();
  requireWithin('SAMPLE_RATE', 'sampleRateHz', RATE_HZ, {
    min: bounds.sampleRateHzMin,
    max: bounds.sampleRateHzMax,
  });
  const framesMax = (bounds.secondsMax + SPARE_SECONDS) * RATE_HZ;
  const decoder = new OpusDecoder({
    channels,
    streamCount: 1,
    coupledStreamCount: channels - 1,
    channelMappingTable: channels === 1 ? [0] : [0, 1],
    preSkip: 0,
  });
  await decoder.ready;
  const pieces: Float32Array[][] = Array.from({ length: channels }, () => []);
  let frames = 0;
  let end = 0;
  try {
    for (const { bytes, granule, endsPage } of packets) {
      const { channelData, samplesDecoded, errors } = decoder.decodeFrame(bytes);
      if (errors.length > 0 || samplesDecoded === 0) throw broken(frames);
      for (let channel = 0; channel < channels; channel++) pieces[channel].push(channelData[channel]);
      frames += samplesDecoded;
      // The last page says where the sound ends within its last packet.
      end = endsPage && granule >= 0 ? Math.min(frames, Number(granule)) : frames;
      requireWithin('TOO_LONG', 'durationSeconds', (end - preSkip) / RATE_HZ, { max: bounds.secondsMax });
      if (frames > framesMax) throw broken(frames);
    }
  } finally {
    decoder.free();
  }
  const durationSeconds = Math.max(0, end - preSkip) / RATE_HZ;
  requireWithin('TOO_SHORT', 'durationSeconds', durationSeconds, { min: bounds.secondsMin });
  const samplesOf = (channel: number) => {
    const samples = new Float32Array(frames);
    let at = 0;
    for (const piece of pieces[channel]) {
      samples.set(piece, at);
      at += piece.length;
    }
    const heard = samples.subarray(preSkip, end);
    if (gain !== 1) for (let i = 0; i < heard.length; i++) heard[i] *= gain;
    return heard;
  };
  const heard = loudestChannel(channels, samplesOf, bounds);
  return { ...heard, sampleRateHz: RATE_HZ, channels, bitsPerSample: 16, durationSeconds };
}

function headOf(head: Uint8Array | undefined): { channels: number; preSkip: number; gain: number } {
  const isHead =
    head && head.length >= HEAD_BYTES && String.fromCharCode(...head.subarray(0, 8)) === 'OpusHead';
  if (!isHead || head[8] >> 4 !== 0) {
    throw new RecordingError('FORMAT_UNSUPPORTED', 'the Ogg file holds no Opus of version 1', {
      field: 'OpusHead',
    });
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const channels = head[9];
  requireWithin('CHANNELS', 'channels', channels, { min: 1, max: RECORDING_CHANNELS_MAX });
  if (head[18] !== 0) {
    const bound = { field: 'channel mapping family', max: 0, got: head[18] };
    throw new RecordingError('FORMAT_UNSUPPORTED', 'Opus of another channel mapping is not read', bound);
  }
  return { channels, preSkip: view.getUint16(10, true), gain: 10 ** (view.getInt16(16, true) / (20 * 256)) };
}

const broken = (at: number) =>
  new RecordingError(
    'TRUNCATED',
    `a packet of the Opus stream cannot be decoded, ${(at / RATE_HZ).toFixed(2)} s from its start`,
    {
      field: 'packet',
    },
  );
