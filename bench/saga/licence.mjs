import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accountKeys } from '../payments/credentials.mjs';
import { measure } from './measure.mjs';

const MAIN = fileURLToPath(new URL('../../apps/allinone/dist/main.js', import.meta.url));

/** The whole product as `npm start` runs it, on a data folder of its own. */
export async function startProduct() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-licence-'));
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let printed = '';
  const address = await new Promise((resolve, reject) => {
    const read = text => {
      printed += text;
      const found = /^gateway +(http:\S+)/m.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('close', code => reject(new Error(`the product ended with ${code}: ${printed}`)));
  });
  const stop = async () => {
    const ended = new Promise(resolve => child.once('close', resolve));
    child.kill('SIGINT');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { address, dataDir, stop };
}

/** Buys licences by key, each a contract of its own, and takes the time of each whole call. */
export async function licences(address, adminKey, amount) {
  const { credit } = await accountKeys(address, adminKey);
  let next = 0;
  const buy = async () => {
    const input = {
      ...{ licenseeAgentId: `agent-${next++}`, licensingTier: 'm2m_continuous_metered' },
      ...{ capability: 'zk.prove', streamIndex: 1 },
    };
    const response = await fetch(`${address}/v1/x402/execute?tool=m2m_license_contract`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-key': credit },
      body: JSON.stringify(input),
    });
    const answer = await response.json();
    if (response.status !== 200 || answer.status !== 'COMPLETED')
      throw new Error(`a licence was answered ${response.status}: ${JSON.stringify(answer).slice(0, 600)}`);
  };
  await measure({ concurrency: 1, amount: 10 }, buy);
  return measure({ concurrency: 1, amount }, buy);
}
