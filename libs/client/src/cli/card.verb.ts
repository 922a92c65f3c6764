import type { CardValuationRequest, CardValuationResult } from '../api-types.js';
import {
  given,
  numberOption,
  purchase,
  PURCHASE_NOTES,
  purchaseOptions,
  requestOf,
  showPrice,
} from './agent-purchase.js';
import { connectionOptions, openClient, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

function lines(data: CardValuationResult): (readonly [string, string])[] {
  const { card, medianUsd, ci95, nRejected } = data;
  const rejected = nRejected.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  const qualifier = data.qualifier === null ? '' : ` (${data.qualifier})`;
  return [
    ['card', `${card.title}, ${data.company}${data.grade === null ? '' : ` ${data.grade}`}${qualifier}`],
    ['median', medianUsd === null ? 'unknown: too few sales' : `${medianUsd} USD`],
    ...(ci95 === null ? [] : [['95 % interval', `${ci95[0]} … ${ci95[1]} USD`] as const]),
    [
      'sales',
      `${data.n} within ${data.windowDays} days, by ${data.basis}${rejected === '' ? '' : `; left out: ${rejected}`}`,
    ],
    ['confidence', data.confidence],
    ...activityLines(data),
    ['market', data.market === 'synthetic' ? 'SYNTHETIC: made by a generator, for trying' : data.market],
    ['limits', data.limits.join(' ')],
  ];
}

/** What the sales say of the market beside the price. */
function activityLines({ trend, liquidity, jump, washRings }: CardValuationResult): [string, string][] {
  const { salesLast30Days, salesLast365Days } = liquidity;
  const rings = washRings.map(
    ({ sales, medianUsd, from, to }) =>
      `${sales} sales about ${medianUsd} USD, ${from.slice(0, 10)} to ${to.slice(0, 10)}`,
  );
  return [
    [
      'trend',
      trend === null
        ? 'unknown: too few sales'
        : `${trend.percentPer30Days} % in 30 days (${trend.ci95[0]} … ${trend.ci95[1]}), by ${trend.n} sales of ${trend.days} days`,
    ],
    ['liquidity', `${salesLast30Days} sales in 30 days, ${salesLast365Days} in 365`],
    ...(jump === null
      ? []
      : [['jump', `${jump.times} times since ${jump.since.slice(0, 10)}`] satisfies [string, string]]),
    ...(rings.length === 0
      ? []
      : [['wash ring', `${rings.join('; ')}: left out`] satisfies [string, string]]),
  ];
}

async function bodyOf(context: VerbContext): Promise<Record<string, unknown>> {
  const { positionals, values } = context;
  const body = {
    ...(await requestOf(context)),
    ...given({
      cardKey: positionals[0],
      company: textOption(values, 'company'),
      grade: numberOption(context, 'grade'),
      qualifier: textOption(values, 'qualifier'),
      asOf: textOption(values, 'as-of'),
      allowRatio: values['allow-ratio'] === true ? true : undefined,
      distributionSvg: textOption(values, 'svg') === undefined ? undefined : true,
    }),
  };
  if (Object.keys(body).length === 0) throw new UsageError('CARD is missing; svc cards SEARCH finds its key');
  return body;
}

async function value(context: VerbContext): Promise<ExitCode> {
  if (context.values['price'] === true) return showPrice(context, 'card');
  const request = await bodyOf(context);
  return purchase(context, {
    doing: 'valuing',
    request,
    buy: (client, options) => client.valueCard(request as CardValuationRequest, options),
    lines,
    keep: [{ path: textOption(context.values, 'svg'), contentOf: ({ distributionSvg }) => distributionSvg }],
  });
}

export const cardVerb: Verb = {
  name: 'card',
  summary: 'buy the median of comparable sales of a graded card',
  operands: '[CARD]',
  positionalsMin: 0,
  positionalsMax: 1,
  options: {
    company: {
      type: 'string',
      placeholder: 'NAME',
      help: 'PSA, BGS, SGC, CGC or TAG; RAW for an ungraded card',
    },
    grade: { type: 'string', placeholder: 'N', help: '1 to 10, halves too; not of a RAW card' },
    qualifier: {
      type: 'string',
      placeholder: 'TEXT',
      help: 'as on the label: OC, MK, …; BLACK or PRISTINE of a 10',
    },
    'as-of': { type: 'string', placeholder: 'DATE', help: 'leave out sales after this day (default today)' },
    'allow-ratio': { type: 'boolean', help: 'where sales are too few: by the ratio between grades' },
    svg: { type: 'string', placeholder: 'FILE', help: 'save a picture of the sales' },
    ...purchaseOptions,
  },
  notes: [
    ...PURCHASE_NOTES,
    '',
    'Examples:',
    '  svc cards "1986 fleer jordan 57"',
    '  svc card CARD --company PSA --grade 9 --save answer.json',
  ],
  run: value,
};

async function search(context: VerbContext): Promise<ExitCode> {
  const limit = wholeNumber('--limit', textOption(context.values, 'limit'), 1);
  const client = await openClient(context, 'free');
  const q = context.positionals.join(' ');
  const { data } = await client.searchCards({ q, limit }, { signal: context.signal });
  const rows = data.items.map(({ cardKey, title }) => [cardKey, title] as const);
  context.terminal.result(data, rows.length === 0 ? ['nothing'] : columns(rows));
  return ExitCode.ok;
}

export const cardsVerb: Verb = {
  name: 'cards',
  summary: 'find a card of the catalogue by free text',
  operands: 'SEARCH',
  positionalsMin: 1,
  positionalsMax: 16,
  options: {
    limit: { type: 'string', placeholder: 'N', help: 'cards to show (default 10, at most 50)' },
    ...connectionOptions,
  },
  notes: ['Prints the key of each card, which svc card takes.'],
  run: search,
};
