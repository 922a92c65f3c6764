import type { ProofKey } from '@svc/audit-proof';
import type { WalKey } from '@svc/durability';
import type { PublishedKey } from '@svc/protocols';
import { decodeBase64, encodeBase64 } from '../challenge/byte-text.js';
import {
  type FetchedProof,
  type LicenceVerdict,
  type NamedCheck,
  verifyLicenceAnswer,
} from '../tool/verify-licence.js';
import { openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { publishedKeys } from './published-keys.js';
import { columns } from './terminal.js';
import { textOption, type VerbContext } from './verb.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Proofs that an answer names, so that it can be checked when no gateway can be asked for them. */
export interface LicenceProofs {
  readonly executionProof?: FetchedProof;
  /** base64 */
  readonly batchProof?: string;
}

/** What `svc license --save` adds to an answer. */
const ADDED_MEMBERS = ['request', 'payment', 'checked', 'executionProof', 'batchProof'];

/** Whether a saved answer is one of `m2m_license_contract`. */
export const isLicenceAnswer = (answer: JsonObject): boolean => answer['sagaName'] === 'm2m_license_contract';

/** The proofs of an answer, from the gateway; those of a sale that was taken back are none. */
export async function fetchProofs(context: VerbContext, answer: JsonObject): Promise<LicenceProofs> {
  const { starkExecutionProof: proofId, auditProof } = answer;
  if (typeof proofId !== 'string' || proofId === '') return {};
  const client = await openClient(context, 'free');
  const { signal } = context;
  const { data } = await client.request('GET', '/v1/stark/proofs/{proofId}', {
    parameters: { proofId },
    signal,
  });
  const batchId = (auditProof as { proofId?: unknown } | undefined)?.proofId;
  if (typeof batchId !== 'string') return { executionProof: data as unknown as FetchedProof };
  const batch = await client.fetchProof(batchId, { signal });
  return { executionProof: data as unknown as FetchedProof, batchProof: encodeBase64(batch.data) };
}

/** Checks an answer against the published keys, with the proofs that it names. */
export async function checkLicenceAnswer(
  context: VerbContext,
  answer: JsonObject,
  proofs: LicenceProofs,
  request?: JsonObject,
): Promise<LicenceVerdict> {
  const [licenceKeys, proofKeys, walKeys] = await Promise.all([
    publishedKeys<PublishedKey>(context, '/.well-known/svc-license-keys.json'),
    publishedKeys<ProofKey>(context, '/.well-known/svc-proof-keys.json'),
    publishedKeys<WalKey>(context, '/.well-known/svc-wal-keys.json'),
  ]);
  const { executionProof, batchProof: base64 } = proofs;
  const batchProof = base64 === undefined ? undefined : decodeBase64(base64);
  return verifyLicenceAnswer({
    ...{ answer, request, licenceKeys, proofKeys, walKeys },
    ...{ executionProof, batchProof },
  });
}

/** The checks for a person, a line each. */
export const checkRows = (checks: readonly NamedCheck[]): (readonly [string, string])[] =>
  checks.map(({ name, valid, detail }) => [`check: ${name}`, valid ? detail : `INVALID  ${detail}`] as const);

/** `svc verify` of a saved licence answer: every check that it allows, on this machine. */
export async function verifyLicence(context: VerbContext, saved: JsonObject): Promise<ExitCode> {
  const answer = Object.fromEntries(Object.entries(saved).filter(([name]) => !ADDED_MEMBERS.includes(name)));
  const requestPath = textOption(context.values, 'request');
  const request =
    requestPath === undefined
      ? (saved['request'] as JsonObject | undefined)
      : readJsonObject(await readOperandFile(requestPath), requestPath);
  const { executionProof, batchProof } = saved as LicenceProofs;
  const isWhole = executionProof !== undefined && batchProof !== undefined;
  const proofs = isWhole ? { executionProof, batchProof } : await fetchProofs(context, answer);
  const verdict = await checkLicenceAnswer(context, answer, proofs, request);
  const { valid, checks } = verdict;
  context.terminal.result(
    verdict,
    columns([
      [valid ? 'VALID' : 'INVALID', `a licence sale, ${String(answer['status'])}`],
      ...checkRows(checks),
    ]),
  );
  return valid ? ExitCode.ok : ExitCode.proofInvalid;
}
