export { byTier, HANGS_MS } from './by-tier.js';
export { awaitedCommits, ParseWire } from './parse-wire.js';
export { planInLargeTable } from './query-plan.js';
export { startOwnPostgres, startTemporaryPostgres } from './temporary-postgres.js';
export { TemporarySchema } from './temporary-schema.js';
export type { RedoneMigration } from './temporary-schema.js';
export { TemporaryServices } from './temporary-services.js';
export { keyedBy, leftBy, upkeepOf, type KeptRows, type PlainRow, type WiredUpkeep } from './wired-upkeep.js';
