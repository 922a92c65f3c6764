import { parseArgs } from 'node:util';
import { ProblemError, SvcError } from '../errors.js';
import { ExitCode, exitCodeOf, UsageError } from './exit-code.js';
import { helpOf, overview } from './help.js';
import { type Kept, KeptPurchaseError, keptLines, messageOf } from './kept-purchase.js';
import { type Streams, Terminal } from './terminal.js';
import { type OptionValues, parseArgsOptions, type Verb } from './verb.js';
import { commonOptions, findVerb, VERBS } from './verbs.js';

export interface Invocation {
  /** Arguments after the program's name. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

function parse(verb: Verb, args: readonly string[]): { values: OptionValues; positionals: string[] } {
  try {
    const options = parseArgsOptions({ ...verb.options, ...commonOptions });
    return parseArgs({ args: [...args], options, allowPositionals: true }) as ReturnType<typeof parse>;
  } catch (error) {
    // parseArgs explains itself over several sentences; the first names the fault.
    const message = error instanceof Error ? error.message.split(/\. /)[0] : String(error);
    throw new UsageError(`${message} (svc ${verb.name} --help lists the options)`);
  }
}

function checkPositionals(verb: Verb, positionals: readonly string[]): void {
  const usage = `usage: svc ${[verb.name, verb.operands].filter(Boolean).join(' ')}`;
  if (positionals.length < verb.positionalsMin) throw new UsageError(`${verb.operands} is missing; ${usage}`);
  if (positionals.length > verb.positionalsMax)
    throw new UsageError(`one argument too many: ${positionals[verb.positionalsMax].slice(0, 80)}; ${usage}`);
}

/** A variable that is empty is one that is not set, as shells and files of settings leave them. */
const withoutEmpty = (environment: Invocation['environment']): Invocation['environment'] =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

/** The members of an error that a program can use. */
function errorObject(error: unknown, kept: Kept): Record<string, unknown> {
  const code = error instanceof SvcError ? error.code : error instanceof UsageError ? 'USAGE' : 'FAILED';
  return {
    code,
    message: messageOf(error),
    ...(error instanceof ProblemError ? { problem: error.problem } : {}),
    ...kept,
  };
}

function reportError(terminal: Terminal, error: unknown, kept: Kept): void {
  terminal.endProgress();
  if (terminal.json && !terminal.hasResult) return terminal.result({ error: errorObject(error, kept) }, []);
  terminal.note(`svc: ${messageOf(error)}`);
  if (error instanceof ProblemError) {
    for (const { path, message: fault } of error.errors)
      if (!error.message.includes(fault)) terminal.note(`  ${path || 'body'}: ${fault}`);
    terminal.note(`  ${error.code}, status ${error.status}, trace ${error.traceId || 'unknown'}`);
  }
  keptLines(kept, error).forEach(line => terminal.note(line));
}

/**
 * Runs one command line to its end. Never throws: every failure is a sentence on stderr (or JSON on
 * stdout, where that has no result yet) and an exit code.
 */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { streams, signal } = invocation;
  const environment = withoutEmpty(invocation.environment);
  const [name, ...rest] = invocation.arguments;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const verb = findVerb(rest[0] ?? '');
    streams.stdout.write(verb === undefined ? overview() : helpOf(verb));
    return ExitCode.ok;
  }
  const terminal = new Terminal(streams, rest.includes('--json'));
  try {
    const verb = findVerb(name);
    if (verb === undefined)
      throw new UsageError(
        `there is no verb ${name.slice(0, 80)}; the verbs are ${VERBS.map(known => known.name).join(', ')}`,
      );
    const { values, positionals } = parse(verb, rest);
    if (values['help'] === true) {
      streams.stdout.write(helpOf(verb));
      return ExitCode.ok;
    }
    checkPositionals(verb, positionals);
    return await verb.run({ positionals, values, environment, streams, terminal, signal });
  } catch (thrown) {
    const isKept = thrown instanceof KeptPurchaseError;
    const { cause: error, kept } = isKept ? thrown : { cause: thrown, kept: {} };
    if (signal.aborted) {
      ['svc: interrupted', ...keptLines(kept)].forEach(line => terminal.note(line));
      return ExitCode.interrupted;
    }
    reportError(terminal, error, kept);
    return exitCodeOf(error);
  } finally {
    terminal.endProgress();
  }
}
