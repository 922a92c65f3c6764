import type { Answer, CallOptions } from '../paid-call.js';
import { type ProofKey } from '@svc/audit-proof';
import { auditedAgentRequest } from '../agent/agent-request.js';
import type { AGENT_PATHS, AgentMethods } from '../agent/agent-methods.js';
import { decodeBase64 } from '../challenge/byte-text.js';
import type { Client } from '../client.js';
import { verifyAuditedAnswer } from '../proof/verify-audit.js';
import { paidOf } from './charge.js';
import { connectionOptions, openClient, PAYMENT_NOTES, paymentOptions } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { type Bought, buyAndUse } from './kept-purchase.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { batchProofMember, fetchBatchProof, saveFile, saveJson } from './paid-answer.js';
import { publishedKeys } from './published-keys.js';
import { columns } from './terminal.js';
import { textOption, type VerbContext, type VerbOption } from './verb.js';

/** Options of every verb that buys an answer for an agent. */
export const purchaseOptions: Readonly<Record<string, VerbOption>> = {
  request: {
    type: 'string',
    placeholder: 'FILE',
    help: 'the body of the call, JSON; options add to it and come before it',
  },
  save: {
    type: 'string',
    placeholder: 'FILE',
    help: 'save the answer, its request and the proof of its evidence as JSON, for svc verify --audit and svc proof',
  },
  'no-check': { type: 'boolean', help: 'do not verify the evidence on this machine' },
  price: { type: 'boolean', help: 'show the price and how it is paid, and buy nothing' },
  ...paymentOptions,
  ...connectionOptions,
};

export const PURCHASE_NOTES = [
  ...PAYMENT_NOTES,
  'An answer that says nothing of what was asked (charged: false) is not paid for: the payment has become credit.',
];

/** What an answer says of its price and its evidence: one of a saga that was taken back has none. */
interface AgentAnswer {
  readonly charged?: boolean;
  readonly auditProof?: { readonly version: 1 | 2 | 3; readonly doesNotProve: string };
}

/** An answer to buy, and how it is shown. */
export interface AgentPurchase<T extends AgentAnswer> {
  readonly doing: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** The request as `--save` keeps it, without what is private; by default that of an agent endpoint. */
  readonly shownRequest?: Readonly<Record<string, unknown>>;
  buy(client: Client, options: CallOptions): Promise<Answer<T>>;
  lines(data: T): (readonly [string, string])[];
  /** Beside `--save`: what else was asked to be kept. */
  readonly keep?: readonly KeptPart<T>[];
  /** Checks on this machine what the answer names beside its evidence, unless `--no-check` is given. */
  checkMore?(data: T): Promise<FurtherCheck | undefined>;
}

/** A file that an option names, and what of the answer goes there; nothing where it has none of it. */
export interface KeptPart<T> {
  readonly path: string | undefined;
  contentOf(data: T): string | Uint8Array | null | undefined;
}

/** What came of a further check. */
export interface FurtherCheck {
  readonly valid: boolean;
  readonly lines: readonly (readonly [string, string])[];
  /** Members that the printed result has beside the answer, and those that `--save` adds to them. */
  readonly shown: object;
  readonly saved: object;
}

/** Pays for an answer, checks its evidence on this machine, shows it and saves it. */
export function purchase<T extends AgentAnswer>(
  context: VerbContext,
  agentPurchase: AgentPurchase<T>,
): Promise<ExitCode> {
  const { doing, buy, keep = [] } = agentPurchase;
  const files = [textOption(context.values, 'save'), ...keep.map(({ path }) => path)];
  return buyAndUse(context, { doing, files, buy }, bought => show(context, agentPurchase, bought));
}

async function show<T extends AgentAnswer>(
  context: VerbContext,
  { request, shownRequest, lines, keep = [], checkMore }: AgentPurchase<T>,
  { answer, attempt }: Bought<T>,
): Promise<ExitCode> {
  const { values, terminal } = context;
  const { data } = answer;
  const isChecked = values['no-check'] !== true;
  const batchProof = await fetchBatchProof(context, data.auditProof);
  const verdict =
    isChecked && (batchProof !== undefined || data.auditProof?.version === 2)
      ? await attempt(() => checkedHere(context, { request, data, batchProof }))
      : undefined;
  const further = isChecked ? await attempt(async () => checkMore?.(data)) : undefined;
  const paidFor = await paidOf(context, answer);
  const whole = { ...data, payment: paidFor.charge, checked: verdict ?? null, ...further?.shown };
  const askedRequest = shownRequest ?? auditedAgentRequest(request, data);
  const saved = { ...whole, askedRequest, ...further?.saved, ...batchProofMember(batchProof) };
  await attempt(() => saveJson(textOption(values, 'save'), saved));
  for (const part of keep) await attempt(() => savePart(part, data));
  terminal.result(
    whole,
    columns([
      ...lines(data),
      ...(data.auditProof ? [['does not prove', data.auditProof.doesNotProve] as const] : []),
      ['evidence', evidenceLine(verdict)],
      ...(further?.lines ?? []),
      ...chargedLine(data),
      ...paidFor.lines,
    ]),
  );
  return verdict?.valid !== false && further?.valid !== false ? ExitCode.ok : ExitCode.proofInvalid;
}

async function savePart<T>({ path, contentOf }: KeptPart<T>, data: T): Promise<void> {
  const content = contentOf(data) ?? undefined;
  if (path !== undefined && content !== undefined) await saveFile(path, content);
}

async function checkedHere(
  context: VerbContext,
  bought: {
    request: AgentPurchase<AgentAnswer>['request'];
    data: object;
    batchProof: Uint8Array | undefined;
  },
): Promise<{ valid: boolean; reason?: string; detail?: string }> {
  const { request, data, batchProof: proof } = bought;
  const keys = await publishedKeys<ProofKey>(context, '/.well-known/svc-proof-keys.json');
  const { valid, reason, detail } = verifyAuditedAnswer({ answer: { ...data }, request, proof, keys });
  return { valid, ...(reason && { reason }), ...(detail && { detail }) };
}

const chargedLine = ({ charged }: AgentAnswer): (readonly [string, string])[] =>
  charged === undefined ? [] : [['charged', charged ? 'yes' : 'no: the payment has become credit']];

function evidenceLine(verdict: Awaited<ReturnType<typeof checkedHere>> | undefined): string {
  if (verdict === undefined) return 'not checked here';
  const { valid, reason, detail } = verdict;
  if (!valid) return `NOT VALID: ${reason}${detail === undefined ? '' : ` (${detail})`}`;
  return 'valid, checked here: the answer to this request, by the rules that it names';
}

/** `--price`: what a call costs. */
export async function showPrice(context: VerbContext, agent: keyof typeof AGENT_PATHS): Promise<ExitCode> {
  const client: Pick<AgentMethods, 'agentPrice'> = await openClient(context, 'free');
  const { data } = await client.agentPrice(agent, { signal: context.signal });
  const { method, path, priceUsd, priceSats, headerAuth, lightningAuth, rail } = data;
  context.terminal.result(
    data,
    columns([
      ['call', `${method} ${path}`],
      ['price', `${priceUsd} USD, or ${priceSats} sats`],
      ['paid by', `${headerAuth}: KEY, or ${lightningAuth} (${rail})`],
    ]),
  );
  return ExitCode.ok;
}

/** The body of `--request`; empty without it. @throws UsageError */
export async function requestOf({ values }: VerbContext): Promise<Record<string, unknown>> {
  const path = textOption(values, 'request');
  return path === undefined ? {} : readJsonObject(await readOperandFile(path), path);
}

/** A number of an option. @throws UsageError */
export function numberOption({ values }: VerbContext, name: string): number | undefined {
  const text = textOption(values, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text))
    throw new UsageError(`--${name} must be a number, got ${text.slice(0, 80)}`);
  return Number(text);
}

/** Members that were given; the schema of the server says what is missing. */
export const given = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The bytes of base64 that the server sent. */
export const bytesOf = (base64: string): Uint8Array => decodeBase64(base64) ?? new Uint8Array();
