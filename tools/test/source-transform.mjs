import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import swc from '@swc/jest';
import { workspaceRoot } from '../setup/workspace.mjs';
import { EntryDefinitions, manifestTree, packageEntries } from './package-entries.mjs';

/** As swc writes it, on one line. */
const NAMED_IMPORT = /^(import|export) \{ ([^}]+) \} from ["'](@svc\/[^"']+)["'];/gm;

/** Properties are tried with the same cases in each run of the quick tiers, and with fresh ones in the long tier. */
const SEED = 20261124;
const FAST_CHECK = /^import (?:\* as )?(\w+) from ["']fast-check["'];/m;
const seeded = code =>
  code.replace(
    FAST_CHECK,
    `$& if (process.env.SUITE_TIER !== 'long') $1.configureGlobal({ ...$1.readConfigureGlobal(), seed: ${SEED} });`,
  );

/**
 * Globals that loops look at again and again. Of a suite they belong to a context of its own, where each look goes through a proxy;
 * as a constant of the module it costs what it costs in the product. Those that tests replace (timers, Date, fetch) stay out.
 */
const LOOKED_AT =
  'Array BigInt Buffer DataView Infinity JSON Map Math NaN Number Object Set String BigUint64Array Float32Array Float64Array Int16Array Int32Array Int8Array Uint16Array Uint32Array Uint8Array'.split(
    ' ',
  );
const USES = new Map(LOOKED_AT.map(name => [name, new RegExp(`(?<![.\\w$'"])${name}\\b`)]));
const isDeclared = (code, name) =>
  new RegExp(
    `\\b(?:const|let|var|class|function|as|\\{|,)\\s*${name}\\s*(?:[=,}({;]|extends\\b|from\\b)`,
  ).test(code);
function withConstants(code) {
  const names = LOOKED_AT.filter(name => USES.get(name).test(code) && !isDeclared(code, name));
  return names.length === 0 ? code : `const { ${names.join(', ')} } = globalThis; ${code}`;
}

/**
 * Strips the types with swc, and lets a named import from the entry of one of our packages lead to the file that defines the name:
 * a suite links the files that it uses and not whole packages, whose third-party modules cost it a second each time.
 *
 * @param {object} options of `@swc/jest`
 * @returns {import('@jest/transform').SyncTransformer}
 */
export function createTransformer(options) {
  const strip = swc.createTransformer(options);
  const read = file => readFileSync(join(workspaceRoot, file), 'utf8');
  const entries = packageEntries(manifestTree(workspaceRoot));
  const resolve = (from, reference) => {
    const source = posix.join(posix.dirname(from), reference).replace(/\.js$/, '.ts');
    return existsSync(join(workspaceRoot, source)) ? source : undefined;
  };
  const definitions = new EntryDefinitions(entries, read, resolve);
  const direct = (statement, keyword, list, from) => {
    const entry = entries.get(from);
    const known = entry && definitions.of(entry);
    if (!known) return statement;
    return list
      .split(',')
      .map(part => {
        const [name, alias = name] = part.trim().split(' as ');
        const definition = known.get(name);
        const file = definition ? definition.file : entry;
        const inside = definition?.name ?? name;
        return `${keyword} { ${inside} as ${alias} } from ${JSON.stringify(join(workspaceRoot, file))};`;
      })
      .join(' ');
  };
  const rewrite = result => ({
    ...result,
    code: withConstants(seeded(result.code.replace(NAMED_IMPORT, direct))),
  });
  // What an entry gives on is part of every file that imports from it.
  const entriesHash = createHash('sha256');
  for (const file of entries.values()) entriesHash.update(`${file}\0${read(file)}\0`);
  entriesHash.update(readFileSync(import.meta.filename));
  const suffix = entriesHash.digest('hex').slice(0, 16);
  return {
    canInstrument: strip.canInstrument,
    getCacheKey: (...args) => `${strip.getCacheKey(...args)}${suffix}`,
    process: (...args) => rewrite(strip.process(...args)),
    processAsync: async (...args) => rewrite(await strip.processAsync(...args)),
  };
}

export default { createTransformer };
