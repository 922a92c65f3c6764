export {
  type ChannelConditions,
  type ChannelNoise,
  type ChannelSound,
  type ChannelTruth,
  energyOf,
  noiseSigmaOf,
  simulateChannel,
} from './acoustic-channel.js';
export { convolve } from './convolve.js';
export { type EndlessSound, hearWithoutPackets, SOUNDS_WITHOUT_PACKETS } from './false-packets.js';
export { GaussianNoise } from './gaussian-noise.js';
export { JinglingKeys } from './jingling-keys.js';
export { MusicLike } from './music-like.js';
export { drawPhonePart, partLevelDb, phoneFilter, type PhonePart } from './phone-response.js';
export { type PacketTrial, payloadOf, sameBytes, sendPacket, sendPackets } from './packet-trials.js';
export { PinkNoise } from './pink-noise.js';
export {
  DIRECT_SECONDS,
  directToReverberantDb,
  drawRoomResponse,
  reverberationSeconds,
  type Room,
  type RoomResponse,
} from './shoebox-room.js';
export { SpeechLike } from './speech-like.js';
export { driftClock, heardAt, type Motion, scaleTime, swingSource } from './time-scale.js';
export { CODEC_OPTIONS, type CodecOptions, type CodecQuality, loseToCodec } from './transform-codec.js';
export { countUncodedErrors, noncoherentErrorRate, type UncodedErrors } from './uncoded-errors.js';
