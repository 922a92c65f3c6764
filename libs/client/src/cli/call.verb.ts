import type { Client } from '../client.js';
import type { CallOptions } from '../paid-call.js';
import { linesOf } from './api-command.js';
import { type CallPrice, callPrice, railsOf } from './call-price.js';
import { paidOf } from './charge.js';
import {
  connectionOptions,
  maxSatsOf,
  openClient,
  openWallet,
  PAYMENT_NOTES,
  paymentOptions,
} from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { printable } from './layout.js';
import { buyAndUse } from './kept-purchase.js';
import { readJsonInput } from './operand.js';
import { saveJson } from './paid-answer.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Target {
  readonly method: string;
  readonly path: string;
}

function targetOf({ positionals: [name, path] }: VerbContext): Target {
  const method = name.toUpperCase();
  if (!METHODS.includes(method))
    throw new UsageError(`METHOD must be ${METHODS.join(', ')}, got ${name.slice(0, 80)}`);
  if (!/^\/(?!\/)[^\s#{}]*$/.test(path))
    throw new UsageError(
      `PATH must start with one / and hold no space, # or braces, got ${path.slice(0, 80)}`,
    );
  return { method, path };
}

async function run(context: VerbContext): Promise<ExitCode> {
  const target = targetOf(context);
  return context.values['dry-run'] === true ? showPrice(context, target) : call(context, target);
}

async function call(context: VerbContext, { method, path }: Target): Promise<ExitCode> {
  const { values, terminal, streams } = context;
  const input = textOption(values, 'input');
  const output = textOption(values, 'output');
  const body = input === undefined ? undefined : await readJsonInput(input, streams);
  const order = {
    doing: `${method} ${path}`,
    files: [output],
    buy: (client: Client, options: CallOptions) => client.request(method, path, { ...options, body }),
  };
  return buyAndUse(context, order, async ({ answer, attempt }) => {
    const { data, status } = answer;
    const saved = await attempt(() => saveJson(output, data));
    const { lines } = await paidOf(context, answer);
    terminal.result(data, [
      ...columns([['status', String(status)], ...lines]),
      ...linesOf(data, saved ?? '--json or --output FILE'),
    ]);
    return ExitCode.ok;
  });
}

/** What a call would cost, and how it could be paid for. */
async function showPrice(context: VerbContext, { method, path }: Target): Promise<ExitCode> {
  const { terminal, signal } = context;
  const client = await openClient(context, 'free');
  const ask = async (document: string) => (await client.request('GET' as string, document, { signal })).data;
  const price = callPrice(await ask('/openapi.json'), method, path);
  if (typeof price === 'string') throw new UsageError(price);
  const { rails } = await ask('/health');
  const settling = railsOf(price, Array.isArray(rails) ? rails.map(String) : []);
  const wouldPay = await payersOf(context, price);
  terminal.result({ ...price, rails: settling, wouldPay }, linesOfPrice(price, settling, wouldPay));
  return ExitCode.ok;
}

/** What this command line would pay the call with, the first that can. */
async function payersOf(context: VerbContext, { access }: CallPrice): Promise<string[]> {
  if (access === 'free') return [];
  const wallet = access === 'key' ? undefined : await openWallet(context);
  return [
    ...(context.environment['SVC_KEY'] === undefined ? [] : ['SVC_KEY']),
    ...(wallet ? [`the wallet ${wallet.name}, at most ${maxSatsOf(context)} sats`] : []),
  ];
}

const ACCESS_TEXT: Readonly<Record<CallPrice['access'], string>> = {
  free: 'free: nothing is asked for it',
  key: 'nothing: it takes the key of an account',
  quota: 'a request of the month while there are some, then',
  paid: '',
};

function linesOfPrice(price: CallPrice, rails: readonly string[], wouldPay: readonly string[]): string[] {
  const { method, path, operationId, summary, access, payment, tools } = price;
  const head = [
    ['call', `${method} ${path}, ${operationId ?? 'without a name'}`],
    ...(summary === null ? [] : [['does', summary]]),
  ];
  if (access === 'free' || access === 'key') return shown([...head, ['price', ACCESS_TEXT[access]]]);
  const prices = Object.entries(tools ?? {}).map(([tool, sold]) => [`price of ${tool}`, priceText(sold)]);
  const own = payment?.['priceUsd'] === undefined ? 'not of the route: see svc desks' : priceText(payment);
  return shown([
    ...head,
    ...(prices.length > 0 ? prices : [['price', [ACCESS_TEXT[access], own].filter(Boolean).join(' ')]]),
    ...(payment === null ? [] : offerRows(payment)),
    ['rails', `${rails.join(', ') || 'none'} can settle now; an account key pays by its plan or credit`],
    ['would pay', wouldPay.join(', then ') || 'nothing: there is no SVC_KEY and no wallet'],
    ['taken now', 'nothing: no claim and no invoice was made'],
  ]);
}

const priceText = ({ priceUsd, priceSats }: Readonly<Record<string, unknown>>): string =>
  `${String(priceUsd)} USD, or ${String(priceSats)} sats`;

/** Each offer on a line, one of a kind that is not known here too. */
function offerRows({ offers, x402 }: NonNullable<CallPrice['payment']>): string[][] {
  const rows = (Array.isArray(offers) ? offers : []).map((offer: unknown) => {
    const {
      method = 'an unnamed method',
      amount,
      currency,
      ...more
    } = Object(offer) as Record<string, unknown>;
    const said = currency === 'usd' ? `${Number(amount) / 100} USD` : `${String(amount)} ${String(currency)}`;
    return [
      `by ${String(method)}`,
      `${said}${more['intent'] === 'charge' ? '' : `, ${String(more['intent'])}`}`,
    ];
  });
  const transfer = Object(x402) as Record<string, unknown>;
  if (x402 !== undefined) {
    const amount = `${Number(transfer['amount']) / 1_000_000} ${String(transfer['asset'])}`;
    rows.push(['by x402', `${amount}, ${String(transfer['scheme'])}`]);
  }
  return rows;
}

const shown = (rows: readonly string[][]): string[] =>
  columns(rows.map(([label, text]) => [printable(label), printable(text)] as const));

export const callVerb: Verb = {
  name: 'call',
  summary: 'call any published route, and pay for it; --dry-run tells the price alone',
  operands: 'METHOD PATH',
  positionalsMin: 2,
  positionalsMax: 2,
  options: {
    'dry-run': { type: 'boolean', help: 'tell price and rails, claim nothing, make no invoice' },
    input: { type: 'string', placeholder: 'JSON', help: 'the body; @FILE reads a file, - stdin' },
    output: {
      type: 'string',
      short: 'o',
      placeholder: 'FILE',
      help: 'write the whole answer to it, as JSON',
    },
    ...paymentOptions,
    ...connectionOptions,
  },
  notes: [
    'PATH is that of a route whose answer is a JSON object, with its query: /v1/x402/execute?tool=get_product_catalog.',
    '--dry-run reads /openapi.json and /health. It exits with 0 also where nothing could pay, and with 2 where the gateway publishes no such call. A call that was not paid exits with 3.',
    ...PAYMENT_NOTES,
    '',
    'Examples:',
    '  svc call --dry-run POST /v1/zk/prove',
    `  svc call POST /v1/zk/prove --input '{"traceData":"hello","degree":64}' --output answer.json`,
    '  svc call GET /v1/x402/telemetry --json',
  ],
  run,
};
