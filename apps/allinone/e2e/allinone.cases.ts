import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, processesWith, until } from './processes.js';

/** What the process says when it can be called, and where. */
export const READY = /gateway {5}(http:\/\/127\.0\.0\.1:\d+)/;

/** What a test of the one process does with it. */
export interface AllInOne {
  /** A data folder that no process had yet. */
  freshFolder(): string;
  /** Starts the process; it is ended after the test, whatever its state. */
  launch(dataDir: string, env?: Record<string, string>, args?: string[]): AppProcess;
  untilNothingRunsIn(dataDir: string): Promise<void>;
}

/** Describes everything in one process, each test with processes and folders of its own. */
export function describeAllInOne(tests: (allInOne: AllInOne) => void): void {
  describe('everything in one process', () => {
    let folder: string;
    let count = 0;
    const processes: AppProcess[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-allinone-'));
      await chmod(folder, 0o755);
    });
    afterEach(async () => {
      await Promise.all(processes.splice(0).map(each => each.end()));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    tests({
      freshFolder: () => join(folder, `data-${count++}`),
      launch: (dataDir, env = {}, args = []) => {
        const app = new AppProcess('allinone', { PORT: '0', DATA_DIR: dataDir, ...env }, args);
        processes.push(app);
        return app;
      },
      untilNothingRunsIn: dataDir =>
        until(
          async () => (await processesWith(dataDir)).length === 0,
          () => `no process in ${dataDir}`,
        ),
    });
  });
}
