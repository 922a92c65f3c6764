import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mustBeBuilt } from './command-line.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** All that a child sees of the environment: nothing of the test's own leaks in. */
const CHILD_ENVIRONMENT = { PATH: process.env['PATH'] ?? '' };

/** The whole product in a process of its own, as `npm start` runs it, on a data folder of its own. */
export class RunningProduct {
  private constructor(
    private readonly child: ChildProcess,
    readonly dataDir: string,
    readonly address: string,
    /** All that it has printed by now. */
    readonly printed: () => string,
  ) {}

  static async start(): Promise<RunningProduct> {
    await mustBeBuilt();
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
    const child = spawn(process.execPath, ['dist/main.js', '--port', '0', '--data-dir', dataDir], {
      cwd: join(ROOT, 'apps/allinone'),
      env: CHILD_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    const address = await new Promise<string>((resolve, reject) => {
      const read = (text: string) => {
        printed += text;
        const found = /^gateway +(http:\S+)/m.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.setEncoding('utf8').on('data', read);
      child.stderr.setEncoding('utf8').on('data', read);
      child.once('close', code => reject(new Error(`the product ended with ${code}: ${printed}`)));
    });
    return new RunningProduct(child, dataDir, address, () => printed);
  }

  /** Ctrl-C, and the exit code that follows. */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>(resolve => this.child.once('close', resolve));
    this.child.kill('SIGINT');
    const code = await ended;
    await rm(this.dataDir, { recursive: true, force: true });
    return code;
  }
}
