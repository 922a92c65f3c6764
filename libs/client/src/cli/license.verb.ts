import { parseM2mToken } from '@svc/protocols';
import type { LicenceAnswer, LicenceRequest } from '../tool/tool-methods.js';
import { type Paid, paidOf } from './charge.js';
import { connectionOptions, PAYMENT_NOTES, paymentOptions, wholeNumber } from './connection.js';
import { ExitCode } from './exit-code.js';
import { type Bought, buyAndUse, type Order } from './kept-purchase.js';
import { tokenLines } from './licence.verb.js';
import { saveJson } from './paid-answer.js';
import { columns } from './terminal.js';
import { textOption, type OptionValues, type Verb, type VerbContext } from './verb.js';
import { checkLicenceAnswer, checkRows, fetchProofs } from './verify-licence.js';

function requestOf([licenseeAgentId]: readonly string[], values: OptionValues): LicenceRequest {
  const faultStep = wholeNumber('--fault-step', textOption(values, 'fault-step'), 1);
  const simulateFault = values['simulate-fault'] === true || faultStep !== undefined;
  const request = {
    licenseeAgentId,
    contractId: textOption(values, 'contract'),
    // The server checks it against the published list, and names it.
    licensingTier: textOption(values, 'tier') as LicenceRequest['licensingTier'],
    capability: textOption(values, 'capability'),
    streamIndex: wholeNumber('--stream-index', textOption(values, 'stream-index'), 0),
    simulateFault: simulateFault || undefined,
    faultStep,
  };
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined),
  ) as unknown as LicenceRequest;
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { values, positionals, environment } = context;
  const request = requestOf(positionals, values);
  const ticket = textOption(values, 'ticket') ?? environment['SVC_TICKET'];
  const isTicketed = ticket !== undefined;
  const order: Order<LicenceAnswer> = {
    ...{ doing: 'executing', files: [textOption(values, 'save')], isTicketed },
    buy: (client, options) => client.licence(request, { ...options, ticket }),
  };
  return buyAndUse(context, order, bought => show(context, request, isTicketed, bought));
}

async function show(
  context: VerbContext,
  request: LicenceRequest,
  isTicketed: boolean,
  { answer, attempt }: Bought<LicenceAnswer>,
): Promise<ExitCode> {
  const { values, terminal } = context;
  const { data, status } = answer;
  if (status === 202) {
    const lines = columns([
      ['status', `${data.status}: it goes on by itself`],
      ['saga', data.sagaId],
    ]);
    terminal.result(data, [...lines, `svc saga ${data.sagaId}`]);
    return ExitCode.ok;
  }
  const proofs = await attempt(() => fetchProofs(context, data));
  const verdict =
    values['no-check'] === true || proofs === undefined
      ? undefined
      : await attempt(() => checkLicenceAnswer(context, data, proofs, { ...request }));
  const paidFor = isTicketed ? paidByTicket(data.status) : await paidOf(context, answer);
  const whole = { ...data, request, payment: paidFor.charge, checked: verdict ?? null };
  await attempt(() => saveJson(textOption(values, 'save'), { ...whole, ...proofs }));
  const token = parseM2mToken(data.m2mLicenseToken);
  terminal.result(
    whole,
    columns([
      ['status', data.status],
      ...(token === undefined ? [] : tokenLines(token.licence)),
      ...(token === undefined ? [] : [['token', data.m2mLicenseToken] as const]),
      ['saga', `${data.sagaId}, ${data.walCount} records, head ${data.walHash}`],
      ...(verdict === undefined ? [['checked', 'not checked here'] as const] : checkRows(verdict.checks)),
      ['server time', `${data.executionTimeMs} ms`],
      ...paidFor.lines,
    ]),
  );
  return verdict === undefined || verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

/** A ticket was paid for when it was bought. */
function paidByTicket(status: string): Paid {
  const isBack = status === 'COMPENSATED';
  const text = isBack ? 'nothing: what the ticket cost has become credit of who paid it' : 'by ticket';
  return { charge: null, lines: [['paid', text]] };
}

export const licenseVerb: Verb = {
  name: 'license',
  summary: 'buy a licence between machines, wholly or not at all, and check it here',
  operands: 'AGENT',
  positionalsMin: 1,
  positionalsMax: 1,
  options: {
    tier: {
      type: 'string',
      placeholder: 'TIER',
      help: 'm2m_autonomous_perpetual, m2m_continuous_metered (default) or m2m_enterprise_mesh',
    },
    contract: { type: 'string', placeholder: 'ID', help: 'contract of the agent (default: a new one)' },
    capability: { type: 'string', placeholder: 'TEXT', help: 'what the licence is for' },
    'stream-index': {
      type: 'string',
      placeholder: 'N',
      help: 'above that of every licence before under the contract (default: the next)',
    },
    ticket: {
      type: 'string',
      placeholder: 'TICKET',
      help: 'use a ticket of POST /v1/x402/verify instead of a payment (SVC_TICKET)',
    },
    'simulate-fault': {
      type: 'boolean',
      help: 'let a step fail: everything is taken back, nothing is charged',
    },
    'fault-step': { type: 'string', placeholder: 'N', help: 'the step that fails, 1 to 4 (default 3)' },
    save: {
      type: 'string',
      placeholder: 'FILE',
      help: 'save the answer and the proofs that it names as JSON, for svc verify',
    },
    'no-check': { type: 'boolean', help: 'do not verify the answer on this machine' },
    ...paymentOptions,
    ...connectionOptions,
  },
  notes: [
    'AGENT is the name of the licensee. svc licence checks licences; svc license buys one.',
    ...PAYMENT_NOTES,
    '',
    'Examples:',
    '  svc license agent-7 --capability translate --save licence.json',
    '  svc verify licence.json',
    '  svc license agent-7 --simulate-fault',
  ],
  run,
};
