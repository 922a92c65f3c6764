import { SetupError } from '../setup/setup-error.mjs';

/**
 * `--seconds 5` and `--seconds=5` as numbers where they are numbers; an option without a value is true.
 *
 * @param {readonly string[]} argv
 * @returns {Record<string, string | number | true>}
 */
export function readOptions(argv) {
  const options = {};
  for (const [index, argument] of argv.entries()) {
    const [, name, inline] = /^--([a-z][\w-]*)(?:=(.*))?$/.exec(argument) ?? [];
    if (!name) continue;
    const following = argv[index + 1];
    const value = inline ?? (following === undefined || following.startsWith('--') ? true : following);
    options[name] = value !== true && Number.isFinite(Number(value)) ? Number(value) : value;
  }
  return options;
}

/**
 * What a benchmark runs with: its own options, with `--smoke` its smallest sizes over them, and over both what was asked for.
 *
 * @param {string} name of the benchmark
 * @param {{ options: Record<string, unknown>; smoke: Record<string, unknown> }} benchmark `options` names all that it takes, with
 *   what each is where nobody says it; `smoke` those that are smaller then
 * @param {Record<string, unknown>} given
 * @throws {SetupError} for an option that it does not have
 */
export function optionsOf(name, { options, smoke: smallest }, given) {
  const { smoke = false, append = false, ...asked } = given;
  const unknown = Object.keys({ ...smallest, ...asked }).find(option => !Object.hasOwn(options, option));
  if (unknown !== undefined) {
    const known = Object.keys(options).map(option => `--${option}`);
    throw new SetupError(`${name} has no --${unknown}; it has ${known.join(', ') || 'no options'}`);
  }
  if (smoke && append) throw new SetupError('--smoke measures nothing that could be appended');
  return { ...options, ...(smoke ? smallest : {}), ...asked };
}

/**
 * The parts that `--only a,b` names.
 *
 * @template Part
 * @param {Record<string, Part>} parts
 * @param {string | undefined} only all of them where it is undefined
 * @returns {Part[]}
 * @throws {SetupError} for a part that there is none of
 */
export function partsOf(parts, only) {
  if (only === undefined) return Object.values(parts);
  return String(only)
    .split(',')
    .map(part => {
      if (!Object.hasOwn(parts, part))
        throw new SetupError(`--only is any of ${Object.keys(parts).join(', ')}`);
      return parts[part];
    });
}

/** The numbers of a list such as `--rates 5,20`. */
export const numbersOf = list => String(list).split(',').map(Number);
