export {
  drawPiece,
  FAKE_KINDS,
  GENUINE_KINDS,
  MEASURED_PRODUCTS,
  PIECE_KINDS,
  type PieceKind,
  type PieceMode,
  type RingPiece,
  UNDETECTABLE_KINDS,
} from './ring-piece.js';
export {
  generateRingRecording,
  type RingRecording,
  type RingRecordingOptions,
  type RingTruth,
} from './ring-recording.js';
export { drawPhoneResponse, drawRoom, type Room, soundInRoom } from './ring-room.js';
export {
  type RingScore,
  type RingTally,
  rocOf,
  type RocPoint,
  scoreRecording,
  scoreRingRecording,
  tally,
} from './ring-scores.js';
export { SeededRandom } from '@svc/kernels/testing';
export {
  addNoise,
  powerAfterStrike,
  type RingingMode,
  SNR_SECONDS,
  synthesizeRing,
} from './synthesize-ring.js';
