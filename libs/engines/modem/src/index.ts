export { modulate, modulateBlocks, planPacket } from './modulate.js';
export { type PacketPlan } from './tones.js';
export { demodulate, type Demodulated, PacketReceiver, type ReceiverOptions } from './packet-receiver.js';
export { PACKET_RECORDING_BOUNDS } from './packet-recording.js';
export type { HeardPacket, LinkQuality, LostReason, ReceivedEvent } from './received-event.js';
export {
  type Baud,
  BAUDS,
  baudOf,
  type FrequencyBand,
  type LineCode,
  ModemError,
  type ModemErrorCode,
  PACKET_SAMPLE_RATE_HZ,
  type PacketOptions,
  type PacketProfile,
  PAYLOAD_BYTES_MAX,
  sampleRateHzMin,
  type TonePair,
  tonesOf,
} from './tones.js';
