import { appendFileSync } from 'node:fs';
import { cpuSecondsOfTree } from './cpu-seconds.mjs';

/**
 * Loaded in front of each suite that Node's runner starts, by `NODE_OPTIONS`: writes down what the suite cost and whether it failed when it
 * ends, one JSON a line, in the file that `SUITE_COSTS` names. Programs that the suite starts do not load this; their CPU is part of the suite's.
 */
const { SUITE_COSTS: costs, NODE_OPTIONS: options } = process.env;
if (costs) {
  delete process.env.SUITE_COSTS;
  process.env.NODE_OPTIONS = options.replace(`--import=${import.meta.url}`, '');
  process.on('exit', code => {
    const cost = {
      file: process.argv[1],
      cpuSeconds: cpuSecondsOfTree(),
      wallSeconds: process.uptime(),
      failed: Number(code !== 0),
    };
    appendFileSync(costs, `${JSON.stringify(cost)}\n`);
  });
}
