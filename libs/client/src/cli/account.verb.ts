import { type Call, listed, perform } from './api-command.js';
import { connectionOptions } from './connection.js';
import { UsageError } from './exit-code.js';
import { textOption, type OptionValues, type Verb, type VerbContext } from './verb.js';

const page = (values: OptionValues) => ({
  limit: textOption(values, 'limit'),
  cursor: textOption(values, 'cursor'),
});

function keyIdOf([, keyId]: readonly string[]): string {
  if (keyId === undefined) throw new UsageError('which key? svc account lists their ids');
  return keyId;
}

/** `5.00/day` or `20`, or both with a comma between, as caps of a key. */
function capsOf(text: string) {
  return text.split(',').map(cap => {
    const [, usd, per = 'total'] = /^([0-9.]{1,16})(?:\/(day|total))?$/.exec(cap) ?? [];
    if (usd === undefined)
      throw new UsageError(`--cap must be dollars, as 5.00/day or 20, got ${cap.slice(0, 80)}`);
    return { usd, per };
  });
}

/** Limits of a new key. */
function limitsOf(values: OptionValues) {
  const [cap, operations] = [textOption(values, 'cap'), textOption(values, 'operations')];
  const [belowUsd, url] = [textOption(values, 'notify-below'), textOption(values, 'notify-url')];
  if ((belowUsd === undefined) !== (url === undefined))
    throw new UsageError('--notify-below and --notify-url belong together');
  return {
    ...(cap !== undefined && { cap: capsOf(cap) }),
    ...(operations !== undefined && { operations: operations.split(',') }),
    expiresAt: textOption(values, 'expires'),
    ...(url !== undefined && { notify: { belowUsd, url } }),
  };
}

/** What can be asked of the account of SVC_KEY. */
const COMMANDS: Readonly<Record<string, (positionals: readonly string[], values: OptionValues) => Call>> = {
  show: () => ({ method: 'GET', path: '/v1/account' }),
  usage: (_, values) => ({ method: 'GET', path: '/v1/account/usage', query: page(values) }),
  ledger: (_, values) => ({ method: 'GET', path: '/v1/account/ledger', query: page(values) }),
  licences: () => ({ method: 'GET', path: '/v1/account/licences' }),
  'new-key': (_, values) => ({
    method: 'POST',
    path: '/v1/account/keys',
    body: { label: textOption(values, 'label'), ...limitsOf(values) },
  }),
  rotate: (positionals, values) => {
    const grace = textOption(values, 'grace');
    if (grace !== undefined && !/^\d{1,9}$/.test(grace))
      throw new UsageError(`--grace must be whole seconds, got ${grace.slice(0, 80)}`);
    return {
      method: 'POST',
      path: '/v1/account/keys/{keyId}/rotate',
      parameters: { keyId: keyIdOf(positionals) },
      body: grace === undefined ? {} : { graceSeconds: Number(grace) },
    };
  },
  revoke: (positionals, values) => ({
    method: 'DELETE',
    path: '/v1/account/keys/{keyId}',
    parameters: { keyId: keyIdOf(positionals) },
    query: { force: values['force'] === true ? 'true' : undefined },
  }),
};

function run(context: VerbContext) {
  const [name = 'show'] = context.positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command)
    throw new UsageError(`there is no svc account ${name.slice(0, 80)}; there are ${listed(COMMANDS)}`);
  if (!context.environment['SVC_KEY'])
    throw new UsageError(
      'whose account? set SVC_KEY to a key of it; it is no argument, since others see those',
    );
  return perform(context, command(context.positionals, context.values));
}

export const accountVerb: Verb = {
  name: 'account',
  summary: 'show the account of SVC_KEY, and keep its keys',
  operands: '[COMMAND] [KEY_ID]',
  positionalsMin: 0,
  positionalsMax: 2,
  options: {
    label: { type: 'string', placeholder: 'TEXT', help: 'name of a new key' },
    cap: {
      type: 'string',
      placeholder: 'USD[/day]',
      help: 'what a new key may spend, a day or in all; two with a comma',
    },
    operations: {
      type: 'string',
      placeholder: 'IDS',
      help: 'what a new key may pay for, as zk.*,tool.arena_challenge',
    },
    expires: { type: 'string', placeholder: 'TIME', help: 'when a new key ends, ISO 8601' },
    'notify-below': { type: 'string', placeholder: 'USD', help: 'call when less is left for a new key' },
    'notify-url': { type: 'string', placeholder: 'URL', help: 'whom to call then' },
    grace: {
      type: 'string',
      placeholder: 'SECONDS',
      help: 'how long a rotated key goes on (default 3600, 0 ends it at once)',
    },
    force: { type: 'boolean', help: 'revoke the last active key too: nothing opens the account afterwards' },
    limit: { type: 'string', placeholder: 'N', help: 'days of usage, or entries, of one page' },
    cursor: { type: 'string', placeholder: 'CURSOR', help: 'the next page, as the one before named it' },
    ...connectionOptions,
  },
  notes: [
    `Commands: ${listed(COMMANDS)}; show is the default.`,
    'licences has the text of each licence that is active, anew after each renewal; --json prints it whole.',
    'A new key is printed once, and is nowhere to be had afterwards.',
    '',
    'Examples:',
    '  SVC_KEY=svc_test_… svc account',
    "  svc account new-key --label agent --cap 5.00/day,20 --operations 'zk.*'",
    '  svc account rotate abcdefgh12345678 --grace 0',
  ],
  run,
};
