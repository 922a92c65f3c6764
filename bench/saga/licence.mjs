import { rmSync } from 'node:fs';
import { makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';
import { accountKeys } from '../payments/credentials.mjs';
import { measure } from './measure.mjs';

const MAIN = new URL('../../apps/allinone/dist/main.js', import.meta.url);

/** The whole product as `npm start` runs it, on a data folder of its own. */
export async function startProduct() {
  const dataDir = makeDataFolder('licence');
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const product = await ServedProcess.start(MAIN, { env, ready: '/readyz' });
  const stop = async () => {
    await product.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { product, dataDir, stop };
}

/** Buys licences by key, each a contract of its own, and takes the time of each whole call; `cpuMsEach` is of the product. */
export async function licences({ product }, adminKey, amount) {
  const { address } = product;
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
  await measure({ concurrency: 1, amount: Math.min(10, amount - 1) }, buy);
  const before = await product.cpuMs();
  const figures = await measure({ concurrency: 1, amount }, buy);
  return { ...figures, cpuMsEach: ((await product.cpuMs()) - before) / amount };
}
