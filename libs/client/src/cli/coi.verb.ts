import type { CoiVerifyRequest, CoiVerifyResult } from '../api-types.js';
import { encodeBase64 } from '../challenge/byte-text.js';
import { given, purchase, PURCHASE_NOTES, purchaseOptions, requestOf, showPrice } from './agent-purchase.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject, readOperandFile } from './operand.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

const OUTCOMES_SHOWN = ['fail', 'not_determinable', 'warn'];

function lines(data: CoiVerifyResult): (readonly [string, string])[] {
  const { compliant, rules, insured, expiresAt, creditsRemaining } = data;
  const passed = rules.filter(({ outcome }) => outcome === 'pass').length;
  const open = rules.filter(({ outcome }) => OUTCOMES_SHOWN.includes(outcome));
  return [
    ['verdict', `${compliant}, audit ${data.auditId}`],
    ['insured', insured ?? 'not read'],
    ['rules', `${passed} of ${rules.length} pass`],
    ...open.map(({ outcome, title, detail }) => [outcome, `${title}: ${detail}`] as const),
    ['read as', data.edition === undefined ? data.variant : `${data.variant}, edition ${data.edition}`],
    ['expires', expiresAt ?? 'not read'],
    ...(creditsRemaining === null ? [] : [['audits left', String(creditsRemaining)] as const]),
    ['limits', data.limits.join(' ')],
  ];
}

async function objectOption({ values }: VerbContext, name: string): Promise<object | undefined> {
  const path = textOption(values, name);
  return path === undefined ? undefined : readJsonObject(await readOperandFile(path), path);
}

async function bodyOf(context: VerbContext): Promise<Record<string, unknown>> {
  const { positionals, values, streams } = context;
  const [path] = positionals;
  const body = {
    ...(await requestOf(context)),
    ...given({
      pdfBase64: path === undefined ? undefined : encodeBase64(await readFileOrStdin(path, streams)),
      fields: await objectOption(context, 'fields'),
      requirements: await objectOption(context, 'requirements'),
      requirementSetId: textOption(values, 'set'),
      asOf: textOption(values, 'as-of'),
      projectEnd: textOption(values, 'project-end'),
    }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('FILE is missing: the certificate as PDF, or --fields FILE');
  return body;
}

async function run(context: VerbContext): Promise<ExitCode> {
  if (context.values['price'] === true) return showPrice(context, 'certificate');
  const request = await bodyOf(context);
  return purchase(context, {
    doing: 'auditing',
    request,
    buy: (client, options) => client.verifyCertificate(request as CoiVerifyRequest, options),
    lines,
    keep: [
      { path: textOption(context.values, 'letter'), contentOf: ({ deficiencyLetter }) => deficiencyLetter },
    ],
  });
}

export const coiVerb: Verb = {
  name: 'coi',
  summary: 'buy an audit of a certificate of insurance',
  operands: '[FILE|-]',
  positionalsMin: 0,
  positionalsMax: 1,
  options: {
    set: { type: 'string', placeholder: 'ID', help: 'requirement set: electrical, or one of your own' },
    requirements: { type: 'string', placeholder: 'FILE', help: 'requirements, JSON, in the place of a set' },
    fields: {
      type: 'string',
      placeholder: 'FILE',
      help: 'the fields of the form, JSON, in the place of FILE',
    },
    'as-of': { type: 'string', placeholder: 'DATE', help: 'day of the audit (default today)' },
    'project-end': { type: 'string', placeholder: 'DATE', help: 'policies must last until then' },
    letter: {
      type: 'string',
      placeholder: 'FILE',
      help: 'save the deficiency letter as text, if there is one',
    },
    ...purchaseOptions,
  },
  notes: [
    'FILE is a PDF of at most 7.5 MiB and 20 pages; - for stdin.',
    ...PURCHASE_NOTES,
    '',
    'Examples:',
    '  svc coi certificate.pdf --set electrical --project-end 2027-06-30 --save audit.json',
    '  svc coi --fields fields.json --requirements requirements.json --letter letter.txt',
  ],
  run,
};
