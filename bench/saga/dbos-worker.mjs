import { DBOS } from '@dbos-inc/dbos-sdk';
import { measure } from './measure.mjs';

/** The same four steps that do nothing, as a workflow of DBOS Transact. */
const done = async () => undefined;
const workflow = DBOS.registerWorkflow(
  async () => {
    for (const name of ['reserve', 'contract', 'prove', 'settle']) await DBOS.runStep(done, { name });
  },
  { name: 'four-steps' },
);
DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.DATABASE_URL,
  systemDatabasePoolSize: 16,
  logLevel: 'error',
});
await DBOS.launch();

process.on('message', async ({ id, concurrency, amount }) => {
  try {
    process.send({ id, result: await measure({ concurrency, amount }, () => workflow()) });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ id: 0, result: 'ready' });
