export { WAL_KINDS } from './wal/wal-record.js';
export type { JsonObject, JsonValue, WalEntry, WalKind, WalRecord } from './wal/wal-record.js';
export {
  type AppendAt,
  appendRecords,
  type ChainEnd,
  genesisHash,
  genesisOf,
  PAYLOAD_CHARS_MAX,
  payloadDigest,
  recordHash,
  type WalGenesis,
} from './wal/wal-codec.js';
export { canonicalJson, PayloadError } from './wal/canonical-json.js';
export {
  inclusionPath,
  leafHash,
  MerkleAccumulator,
  merkleRoot,
  rootOfInclusion,
} from './wal/merkle-tree.js';
export {
  buildCheckpoint,
  type Checkpoint,
  CHECKPOINT_LEAVES_MAX,
  checkpointHash,
  type CheckpointSigner,
  checkSignature,
  inclusionOf,
  isIncluded,
  type SealedHeads,
  type SignatureCheck,
  type SignEd25519,
  type VerifyEd25519,
  type WalHead,
  type WalKey,
  walRoot,
} from './wal/checkpoint.js';
export {
  CHECKPOINT_LINE_BYTES_MAX,
  checkpointLine,
  type CheckpointLine,
  parseCheckpointLine,
  publishCheckpoint,
  type PublishedCheckpoint,
  readCheckpoint,
  readCheckpointFile,
} from './wal/checkpoint-file.js';
export { StepFailed } from './saga/saga-definition.js';
export type {
  EndContext,
  LocalStep,
  RemoteStep,
  SagaDefinition,
  SagaStep,
  StepContext,
  StepOutcome,
} from './saga/saga-definition.js';
export { LeaseLostError, SAGA_STATES } from './saga/saga-store.js';
export type { Advance, HeldSaga, SagaBirth, SagaState, SagaStore, StoredSaga } from './saga/saga-store.js';
