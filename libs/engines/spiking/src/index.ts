export {
  type ConnectivityKeys,
  firstExtraSector,
  initialPotentialMv,
  synapsesInSector,
  targetOf,
  type Wiring,
  wiringOf,
} from './connectivity.js';
export { counterHash, HASH_DOMAIN, hashKey, mix, mulHigh } from './counter-hash.js';
export { estimateMemory, MEMORY_BYTES_MAX, type MemoryEstimate } from './memory-estimate.js';
export {
  BLOCK_STEPS_MAX,
  CURRENT_FLOOR,
  deriveConstants,
  EXCITATORY_SHARE,
  MEMBRANE,
  type ModelConstants,
  WEIGHT_UNITS,
} from './model-constants.js';
export { HISTORY_SPIKES } from './plastic-synapses.js';
export { RASTER_SVG_BYTES_MAX, type RasterPlot, rasterSvg } from './raster-svg.js';
export { type RatesPlot, ratesSvg } from './rates-svg.js';
export { simulateReference } from './reference.js';
export { ReferenceNetwork } from './reference-network.js';
export {
  boundedRaster,
  neuronsBySpikes,
  rasterNeuronIds,
  type RunSummary,
  type RunTally,
  summarizeRun,
  weightMoments,
  weightStatistics,
} from './run-summary.js';
export { SECTOR_NEURONS_MAX, sectorBegin, sectorLength, type Sectors, sectorsOf } from './sectors.js';
export {
  type Connectivity,
  type Plasticity,
  RASTER_SPIKES_MAX,
  type RasterSpike,
  type Recording,
  type RunOptions,
  type SpikingNetwork,
  type SpikingResult,
  type SpikingRun,
} from './simulation.js';
export {
  type BoundedParameter,
  checkSimulation,
  type ParameterBound,
  SIMULATION_BOUNDS,
  SpikingParameterError,
} from './simulation-bounds.js';
export { type Hash64, stateDigest, stateHash, weightDigest, WordHash } from './state-hash.js';
export { STDP_TABLE_MAX, type StdpTable, type StdpTables, stdpTables, stdpValue } from './stdp-tables.js';
