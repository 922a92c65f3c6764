import { startOwnPostgres } from './temporary-postgres.js';
import { describeServer } from './worker-server.js';

/**
 * Keeps a Postgres for the process that forked this one: sends a `WorkerServer` once it is up, and ends it with its folder when
 * that process is gone, also after SIGKILL.
 */
const postgres = await startOwnPostgres();
const end = () => void postgres.stop().finally(() => process.exit(0));
process.once('disconnect', end);
process.once('SIGTERM', end);
// The terminal's: whoever forked this one ends, and with it the channel.
process.on('SIGINT', () => undefined);
if (process.connected) process.send!(describeServer(postgres));
else end();
