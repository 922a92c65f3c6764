import { EXIT_CODE_HELP } from './exit-code.js';
import type { Verb } from './verb.js';
import { commonOptions, VERBS } from './verbs.js';

export function overview(): string {
  const width = Math.max(...VERBS.map(({ name, operands }) => `${name} ${operands}`.length));
  return [
    'svc: pay-per-call compute that carries its own evidence',
    '',
    'Usage: svc VERB [OPTIONS]',
    '',
    ...VERBS.map(({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(width)}  ${summary}`),
    '',
    'svc VERB --help says more. Every verb takes --json.',
    EXIT_CODE_HELP,
    '',
  ].join('\n');
}

export function helpOf(verb: Verb): string {
  const options = Object.entries({ ...verb.options, ...commonOptions }).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const placeholder = option.placeholder === undefined ? '' : ` ${option.placeholder}`;
    return [`${short}--${name}${placeholder}`, option.help] as const;
  });
  const width = Math.max(...options.map(([flag]) => flag.length));
  return [
    `svc ${verb.name}: ${verb.summary}`,
    '',
    `Usage: svc ${[verb.name, verb.operands].filter(Boolean).join(' ')} [OPTIONS]`,
    '',
    ...options.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`),
    '',
    ...verb.notes,
    '',
    EXIT_CODE_HELP,
    '',
  ].join('\n');
}
