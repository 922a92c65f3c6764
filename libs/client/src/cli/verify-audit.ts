import { auditedPart, type AuditVerdict, type ProofKey } from '@svc/audit-proof';
import { decodeBase64 } from '../challenge/byte-text.js';
import { auditedRequest, privateMembersOf } from '../proof/audited-request.js';
import { namesProof, verifyNamedProof } from '../proof/named-proof.js';
import { verifyAuditedAnswer } from '../proof/verify-audit.js';
import { type OpeningVerdict, verifyOpening } from '../proof/verify-opening.js';
import { openClient, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { printable } from './layout.js';
import { readFileOrStdin, readJsonObject, readOperandFile } from './operand.js';
import { publishedKeys } from './published-keys.js';
import { columns } from './terminal.js';
import { textOption, type VerbContext } from './verb.js';
import { namedProofOf } from './verify-named.js';

/** What `--save` adds to an answer. */
const ADDED_MEMBERS = ['payment', 'checked', 'batchProof', 'askedRequest', 'checkedStark', 'starkProof'];

/** An answer from a file, with what `--save` put beside it. */
export interface SavedAnswer {
  readonly answer: Record<string, unknown>;
  readonly auditProof: Record<string, unknown>;
  readonly request: Record<string, unknown> | undefined;
  /** The whole file. */
  readonly saved: Record<string, unknown>;
  /** The proof of its batch, where `--save` got it. */
  readonly batchProof: Uint8Array | undefined;
}

/** `svc verify --audit`: the evidence of an answer, on this machine unless the gateway is told to. */
export async function verifyAudit(context: VerbContext): Promise<ExitCode> {
  const saved = await readSavedAnswer(context);
  const securityBitsMin = wholeNumber('--security-bits', textOption(context.values, 'security-bits'), 0);
  if (context.values['remote'] === true) return verifyRemotely(context, saved, securityBitsMin);
  const { answer, auditProof, request } = saved;
  const startedAt = performance.now();
  const [proof, keys] = [
    await batchProofOf(context, saved),
    await publishedKeys<ProofKey>(context, '/.well-known/svc-proof-keys.json'),
  ];
  const audited = verifyAuditedAnswer({ answer, request, proof, keys, securityBitsMin });
  const opening = audited.valid ? await openingOf(context, saved) : undefined;
  const verdict =
    opening?.state === 'differs'
      ? { ...audited, valid: false, reason: 'opening-mismatch', detail: opening.detail }
      : audited;
  const { reason, detail, stark } = verdict;
  const lines = verdict.valid
    ? columns([
        ['VALID', `${String(auditProof['proves'])}: the answer is the one that was committed to`],
        ['does not prove', String(auditProof['doesNotProve'])],
        ...ruleRows(auditProof['rules']),
        ...openingRow(opening),
        ['security', `${provenText(stark)}, signed with ML-DSA-65 by ${String(auditProof['keyId'])}`],
        ['request', comparedRequest(request, answer)],
        ['time', `${(performance.now() - startedAt).toFixed(1)} ms on this machine`],
      ])
    : [`INVALID  ${reason}${detail === undefined ? '' : `: ${detail}`}`];
  const rulesNotHeld = brokenRules(auditProof['rules']).map(({ id }) => id);
  context.terminal.result({ ...verdict, stark: stark && withoutBytes(stark), rulesNotHeld, opening }, lines);
  return verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

const NOT_PROVED = 'no STARK: the answer was free';

const provenText = (stark: AuditVerdict['stark']): string =>
  stark?.valid ? `${stark.securityBits} bits proven` : NOT_PROVED;

/** The evidence commits to what may be shown to others, so that much is compared. */
function comparedRequest(request: SavedAnswer['request'], answer: SavedAnswer['answer']): string {
  if (request === undefined) return 'not compared: give --request';
  const left = privateMembersOf(answer).filter(name => Object.hasOwn(request, name));
  const but = left.length === 0 ? '' : `, but for what is private and not compared: ${left.join(', ')}`;
  return `the answer is to this request${but}`;
}

async function verifyRemotely(
  context: VerbContext,
  saved: SavedAnswer,
  securityBitsMin: number | undefined,
): Promise<ExitCode> {
  const { answer, auditProof, request } = saved;
  const client = await openClient(context, 'free');
  const policy = securityBitsMin === undefined ? undefined : { securityBitsMin };
  // What opens a commitment stays here: the evidence does not cover it. The proof of a disclosure is checked with the rest.
  const { disclosureProof } = answer;
  const result = { ...(auditedPart(answer) as object), ...(disclosureProof ? { disclosureProof } : {}) };
  const asked = request && auditedRequest(request, answer);
  const { data } = await client.request('POST', '/v1/stark/verify-proof', {
    body: { auditProof, result, request: asked, policy },
    signal: context.signal,
  });
  const { securityBits } = data;
  // What opens the commitment is looked at here: it was not sent.
  const opening = data.valid === true ? await openingOf(context, saved) : undefined;
  const isOpened = opening?.state !== 'differs';
  const valid = data.valid === true && isOpened;
  const reason = isOpened ? data.reason : `opening-mismatch: ${opening.detail}`;
  const lines = valid
    ? columns([
        [
          'VALID',
          `${securityBits === 0 ? NOT_PROVED : `${String(securityBits)} bits proven`}, by the word of ${client.baseUrl}`,
        ],
        ...openingRow(opening),
      ])
    : [`INVALID  ${String(reason)}${isOpened ? `, by the word of ${client.baseUrl}` : ''}`];
  context.terminal.result(
    { ...data, valid, ...(valid ? {} : { reason }), ...(opening && { opening }) },
    lines,
  );
  return valid ? ExitCode.ok : ExitCode.proofInvalid;
}

export async function readSavedAnswer({
  positionals: [path],
  values,
  streams,
}: VerbContext): Promise<SavedAnswer> {
  const saved = readJsonObject(await readFileOrStdin(path, streams), path);
  const { auditProof, batchProof, askedRequest } = saved;
  if (typeof auditProof !== 'object' || auditProof === null || Array.isArray(auditProof)) {
    throw new UsageError(`${path} has no auditProof`);
  }
  const proof = typeof batchProof === 'string' ? decodeBase64(batchProof) : undefined;
  const answer = 'checked' in saved ? without(saved, ADDED_MEMBERS) : saved;
  const requestPath = textOption(values, 'request');
  const kept =
    'checked' in saved && typeof askedRequest === 'object' && askedRequest !== null
      ? askedRequest
      : undefined;
  const request =
    requestPath === undefined
      ? (kept as SavedAnswer['request'])
      : readJsonObject(await readOperandFile(requestPath), requestPath);
  return { answer, auditProof: auditProof as Record<string, unknown>, request, saved, batchProof: proof };
}

async function batchProofOf(
  context: VerbContext,
  { auditProof, batchProof }: SavedAnswer,
): Promise<Uint8Array | undefined> {
  const path = textOption(context.values, 'batch-proof');
  if (path !== undefined) return readOperandFile(path);
  if (batchProof) return batchProof;
  if (auditProof['version'] === 2) return undefined;
  const client = await openClient(context, 'free');
  const { data } = await client.fetchProof(String(auditProof['proofId']), { signal: context.signal });
  return data;
}

const withoutBytes = (stark: object) => without({ ...stark }, ['traceRoot']);

interface ShownRule {
  readonly id: string;
  readonly statement: string;
  readonly value: string;
  readonly threshold: string;
}

const brokenRules = (rules: unknown): ShownRule[] =>
  (Array.isArray(rules) ? rules : []).filter((rule: { holds?: unknown }) => rule.holds !== true);

/** How many rules hold, and each that does not: the evidence shows that it was applied, and what came of it. */
function ruleRows(rules: unknown): (readonly [string, string])[] {
  if (!Array.isArray(rules) || rules.length === 0) return [['rules', 'none']];
  const broken = brokenRules(rules);
  return [
    ['rules', `${rules.length - broken.length} of ${rules.length} hold`],
    ...broken.map(({ id, statement, value, threshold }) => {
      const text = `${id}: ${statement} (${value}, at least ${threshold} is asked)`;
      return ['does not hold', printable(text)] as const;
    }),
  ];
}

/** Of an answer that opens a commitment: whether it does. The proof that it names is verified where it states no inputs itself. */
async function openingOf(
  context: VerbContext,
  { answer, request, saved }: SavedAnswer,
): Promise<OpeningVerdict | undefined> {
  if (answer['opening'] === undefined) return undefined;
  const { publicInputs } = answer;
  if (publicInputs !== undefined || request === undefined || !namesProof(answer))
    return verifyOpening(answer, request, publicInputs);
  const named = await namedProofOf(context, { ...saved, proofId: answer.proofId });
  const verdict = verifyNamedProof(answer, named);
  if (!verdict.valid) return { state: 'differs', detail: `the proof that it names: ${verdict.reason}` };
  return verifyOpening(answer, request, named.publicInputs);
}

function openingRow(opening: OpeningVerdict | undefined): (readonly [string, string])[] {
  if (opening === undefined) return [];
  const text = 'opens the commitment of the proof to this request';
  return [
    [
      'opening',
      opening.state === 'opens' ? text : `not checked: ${String('detail' in opening && opening.detail)}`,
    ],
  ];
}

function without(record: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
