import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('../../libs/platform/dist/testing/postgres-keeper.js', import.meta.url));

/**
 * The Postgres of one worker: started at the first ask, by a process of its own that ends it when the worker is gone, however
 * that goes. Suites make databases in it.
 */
export class WorkerPostgres {
  #opened;

  /**
   * @returns {Promise<string>} JSON of a `WorkerServer` (libs/platform/src/testing/worker-server.ts); text, since a suite has
   *   another `Object` than the worker
   * @throws when the packages are not built, or Postgres does not start
   */
  open() {
    return (this.#opened ??= this.#start());
  }

  #start() {
    if (!existsSync(KEEPER)) throw new Error('The packages are not built: run `npm run build`.');
    return new Promise((resolve, reject) => {
      const keeper = fork(KEEPER, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      keeper.once('message', message => {
        resolve(JSON.stringify(message));
        // The worker may end while the server runs: it is the keeper that notices.
        keeper.unref();
        keeper.channel.unref();
      });
      keeper.once('error', reject);
      keeper.once('exit', code =>
        reject(new Error(`The keeper of the worker's Postgres ended with ${code}.`)),
      );
    });
  }
}
