import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FROM_SOURCE = ['--conditions=@svc/source', '--import', '@swc-node/register/esm-register'];

/** The environment of a child that runs from source; nothing of the test's own leaks in. */
const CHILD_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  TS_NODE_PROJECT: join(ROOT, 'tsconfig.base.json'),
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `svc` as a process of its own. */
export function svc(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [...FROM_SOURCE, 'src/cli/main.ts', ...args], {
    cwd: join(ROOT, 'libs/client'),
    env: CHILD_ENVIRONMENT,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', text => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text));
  child.stdin.end(input);
  return new Promise(resolve => child.on('close', code => resolve({ code, stdout, stderr })));
}

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
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
    const child = spawn(
      process.execPath,
      [...FROM_SOURCE, 'src/main.ts', '--port', '0', '--data-dir', dataDir],
      { cwd: join(ROOT, 'apps/allinone'), env: CHILD_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] },
    );
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
