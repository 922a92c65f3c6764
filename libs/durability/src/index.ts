export { WAL_KINDS } from './wal/wal-record.js';
export type { JsonObject, JsonValue, WalEntry, WalKind, WalRecord } from './wal/wal-record.js';
export {
  type AppendAt,
  appendRecords,
  type ChainEnd,
  genesisHash,
  genesisOf,
  isSagaId,
  PAYLOAD_CHARS_MAX,
  payloadDigest,
  recordHash,
  type WalGenesis,
} from './wal/wal-codec.js';
export { canonicalJson, PayloadError } from './wal/canonical-json.js';
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
export { type PublishedWalEvent, publishRecord, readWalEvent } from './wal/wal-event.js';
export {
  type ChainFault,
  ChainVerifier,
  type ChainVerdict,
  type LogGrammar,
  verifyChain,
} from './wal/verify-wal.js';
export {
  checkpointFault,
  type CheckpointKeys,
  CheckpointVerifier,
  type OutsideVerdict,
  verifyOutsideCheckpoints,
} from './wal/verify-checkpoints.js';
export { type LogReport, type LogVerification, verifyLogs } from './wal/verify-logs.js';
export type { SagaRow, SealedHead, WalFinding, WalSource } from './wal/wal-source.js';
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
  SagaFailure,
  SagaStep,
  StepContext,
  StepOutcome,
} from './saga/saga-definition.js';
export { LeaseLostError, SAGA_STATES } from './saga/saga-store.js';
export type {
  Advance,
  DefinitionId,
  HeldSaga,
  SagaBirth,
  SagaState,
  SagaStore,
  StoredSaga,
} from './saga/saga-store.js';
export {
  RunnerStoppedError,
  type RunningSaga,
  SagaRunner,
  type SagaRunnerOptions,
  type SagaSeedling,
  SagaUnsettledError,
} from './saga/saga-runner.js';
export { type Backoff, type SagaClock, systemClock } from './saga/saga-clock.js';
export { idemKey, type StepDirection } from './saga/idem-key.js';
export { INPUT_SALT_BYTES, inputDigest } from './saga/input-digest.js';
export { type GrammarVerdict, WalGrammar, walGrammar } from './saga/wal-grammar.js';
