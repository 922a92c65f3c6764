export {
  MemorySagaStore,
  type MemorySagaStoreOptions,
  type MemoryTx,
  SerializationError,
} from '../saga/simulation/memory-saga-store.js';
