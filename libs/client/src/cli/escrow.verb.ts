import { type Call, perform } from './api-command.js';
import { connectionOptions, wholeNumber } from './connection.js';
import { UsageError } from './exit-code.js';
import { readJsonObject } from './operand.js';
import { textOption, type OptionValues, type Verb, type VerbContext } from './verb.js';

const ONE = '/v1/escrow/intents/{intentId}';

/** One command is one act, however often its connection breaks: a lost answer is asked for again. */
const once = (values: OptionValues) => textOption(values, 'idempotency-key') ?? crypto.randomUUID();

/** `--metadata order=7,buyer=b`, or as a JSON object, whose texts may have commas. @throws UsageError */
function metadataOf(values: OptionValues): Record<string, unknown> | undefined {
  const text = textOption(values, 'metadata');
  // No name that the API takes begins with a brace.
  if (text?.startsWith('{')) return metadataOfJson(text);
  const entries = text?.split(',').map(entry => /^([^=]+)=(.*)$/.exec(entry)?.slice(1) ?? [entry]);
  const malformed = entries?.find(entry => entry.length < 2);
  if (malformed)
    throw new UsageError(`--metadata is NAME=TEXT,… or a JSON object, got ${malformed[0].slice(0, 80)}`);
  return entries && Object.fromEntries(entries);
}

function metadataOfJson(text: string): Record<string, unknown> {
  const metadata = readJsonObject(Buffer.from(text), '--metadata');
  const [name, value] = Object.entries(metadata).find(([, entry]) => typeof entry !== 'string') ?? [];
  if (name === undefined) return metadata;
  const got = JSON.stringify(value).slice(0, 80);
  throw new UsageError(`--metadata: the value of ${name.slice(0, 80)} must be a text, got ${got}`);
}

/** `refund` is its name of before. */
const cancelled = (intentId: string, values: OptionValues): Call => ({
  method: 'POST',
  path: `${ONE}/cancel`,
  parameters: { intentId },
  idempotencyKey: once(values),
});

/** What can be done with escrows of the account, each with the name of its operand. */
const COMMANDS: Readonly<Record<string, readonly [string, (operand: string, values: OptionValues) => Call]>> =
  {
    create: [
      'USD',
      (amountUsd, values) => ({
        method: 'POST',
        path: '/v1/escrow/create-intent',
        idempotencyKey: once(values),
        body: {
          amountUsd,
          description: textOption(values, 'description'),
          payee: textOption(values, 'payee'),
          expiresInHours: wholeNumber('--hours', textOption(values, 'hours'), 1),
          metadata: metadataOf(values),
        },
      }),
    ],
    show: ['ESCROW', intentId => ({ method: 'GET', path: ONE, parameters: { intentId } })],
    accept: ['ESCROW', intentId => ({ method: 'POST', path: `${ONE}/accept`, parameters: { intentId } })],
    claim: [
      'LINK',
      (link, values) => ({
        method: 'POST',
        path: '/v1/escrow/claims/{claimToken}',
        parameters: { claimToken: link.split('/').at(-1)! },
        body: { address: textOption(values, 'address') },
      }),
    ],
    release: [
      'ESCROW',
      (intentId, values) => ({
        method: 'POST',
        path: `${ONE}/release`,
        parameters: { intentId },
        idempotencyKey: once(values),
        body: { amountUsd: textOption(values, 'amount') },
      }),
    ],
    cancel: ['ESCROW', cancelled],
    refund: ['ESCROW', cancelled],
  };

/** The list needs no operand. */
const LIST = 'list';
const usages = [LIST, ...Object.entries(COMMANDS).map(([name, [operand]]) => `${name} ${operand}`)];

const listCall = (values: OptionValues): Call => ({
  method: 'GET',
  path: '/v1/escrow/intents',
  query: {
    role: textOption(values, 'role'),
    limit: textOption(values, 'limit'),
    cursor: textOption(values, 'cursor'),
  },
});

/** @throws UsageError */
function callOf([name, operand]: readonly string[], values: OptionValues): Call {
  if (name === LIST) return listCall(values);
  if (!Object.hasOwn(COMMANDS, name))
    throw new UsageError(`there is no svc escrow ${name.slice(0, 80)}; there are ${usages.join(', ')}`);
  const [named, make] = COMMANDS[name];
  if (operand === undefined) throw new UsageError(`${named} is missing; usage: svc escrow ${name} ${named}`);
  return make(operand, values);
}

async function run(context: VerbContext) {
  const call = callOf(context.positionals, context.values);
  if (!context.environment['SVC_KEY'] && textOption(context.values, 'address') === undefined)
    throw new UsageError('whose escrow? set SVC_KEY to a key of the account that made it, or of its payee');
  return perform(context, call);
}

const text = (placeholder: string, help: string) => ({ type: 'string', placeholder, help }) as const;

export const escrowVerb: Verb = {
  name: 'escrow',
  summary: 'hold a card payment; release it to the payee, or give it back',
  operands: usages.join(' | '),
  positionalsMin: 1,
  positionalsMax: 2,
  options: {
    description: text('TEXT', 'of create: what the payer is shown'),
    payee: text(
      'ACCOUNT|NAME',
      'of create: who gets the money, as credit: acct_…, or a name or e-mail address, for whom the answer has a claimUrl (default: the account of SVC_KEY)',
    ),
    hours: text('N', 'of create: hours after which it ends by itself, 1 to 168 (default 168)'),
    metadata: text(
      'NAME=TEXT,…',
      'of create: what you want to find on it again; as a JSON object where a text has a comma',
    ),
    address: text('0x…', 'of claim, without SVC_KEY: the wallet that is the payee'),
    role: text('ROLE', 'of list: creator or payee (default: both)'),
    limit: text('N', 'of list: how many, 1 to 200 (default 50)'),
    cursor: text('TEXT', 'of list: where the page before says that more is'),
    amount: text('USD', 'of release: this part alone; the rest goes back to the payer'),
    'idempotency-key': text('TEXT', 'the same for every retry of one act (default: a fresh one)'),
    ...connectionOptions,
  },
  notes: [
    'create makes an escrow that waits for its payment: the payer confirms it by card with the clientSecret. show says how it stands: REQUIRES_PAYMENT, HELD, RELEASED (the payee has the money), COLLECTED (the account that made it has), REFUNDED (released, and given back to the payer later), CANCELLED or EXPIRED. cancel gives a payment that is held back to its payer; refund is the same.',
    'The payee lists the escrows that are held for its account, and accepts one; a payee without an account claims it by the claimUrl with a key of an account of their own, or for a wallet, which makes the key of its account later.',
    'Only the account that made an escrow releases or cancels it. svc escrow exits with 1 where the escrow cannot be what the command asks for, such as a release of what is not held, and says why.',
    '',
    'Examples:',
    '  SVC_KEY=svc_test_… svc escrow create 12.50 --description "a job" --hours 48',
    `  svc escrow create 5 --metadata '{"to":"Kiel, pier 3"}'`,
    '  svc escrow show esc_…',
    '  svc escrow list --role payee',
    '  svc escrow accept esc_…',
    '  svc escrow release esc_… --amount 10.00',
  ],
  run,
};
