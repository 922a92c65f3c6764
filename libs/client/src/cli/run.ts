import { parseArgs } from 'node:util';
import { ProblemError, SvcError } from '../errors.js';
import { ExitCode, exitCodeOf, UsageError } from './exit-code.js';
import { helpOf, overview } from './help.js';
import { keptPaymentNote, type Streams, Terminal } from './terminal.js';
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
function errorObject(error: unknown): Record<string, unknown> {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof SvcError ? error.code : error instanceof UsageError ? 'USAGE' : 'FAILED';
  return {
    code,
    message,
    ...(error instanceof ProblemError ? { problem: error.problem } : {}),
    ...(error instanceof SvcError && error.payment !== undefined ? { payment: error.payment } : {}),
  };
}

function reportError(terminal: Terminal, error: unknown): void {
  terminal.endProgress();
  if (terminal.json) return terminal.result({ error: errorObject(error) }, []);
  const { message } = errorObject(error);
  terminal.note(`svc: ${String(message)}`);
  if (error instanceof ProblemError) {
    for (const { path, message: fault } of error.errors)
      if (!error.message.includes(fault)) terminal.note(`  ${path || 'body'}: ${fault}`);
    terminal.note(`  ${error.code}, status ${error.status}, trace ${error.traceId || 'unknown'}`);
  }
  if (error instanceof SvcError && error.payment !== undefined) terminal.note(keptPaymentNote(error.payment));
}

/**
 * Runs one command line to its end. Never throws: every failure is a sentence on stderr (or JSON on
 * stdout) and an exit code.
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
  } catch (error) {
    if (signal.aborted) {
      terminal.note('svc: interrupted');
      return ExitCode.interrupted;
    }
    reportError(terminal, error);
    return exitCodeOf(error);
  } finally {
    terminal.endProgress();
  }
}
