import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { expectedSeconds, recordedCosts, suiteOf } from './suites.mjs';

/**
 * Starts long suites first, by what they took in the recorded run, so that no worker ends alone with one. With `SUITE_ORDER`, the
 * name of a file with a JSON array of suites, in the order of that.
 */
export default class LongestFirst extends (Sequencer.default ?? Sequencer) {
  /** @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    const fileOf = test => relative(test.context.config.rootDir, test.path).replaceAll('\\', '/');
    const rank = process.env.SUITE_ORDER ? this.given() : this.byCost(tests[0]?.context.config.rootDir);
    return [...tests].sort((a, b) => rank(fileOf(a)) - rank(fileOf(b)));
  }

  given() {
    const places = new Map(
      JSON.parse(readFileSync(process.env.SUITE_ORDER, 'utf8')).map((file, i) => [file, i]),
    );
    return file => places.get(file) ?? places.size;
  }

  byCost(root) {
    const costs = root ? recordedCosts(root) : undefined;
    return file => -expectedSeconds(suiteOf(file), costs);
  }
}
