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
