import type { ProofKey } from '@svc/audit-proof';
import type { WalKey } from '@svc/durability';
import { checkM2mToken, type M2mLicence, type PublishedKey } from '@svc/protocols';
import type { PublicInputs, WalEvent } from '../api-types.js';
import { verifyEd25519 } from '../ed25519.js';
import { verifyAuditedAnswer } from '../proof/verify-audit.js';
import { verifyExecutionProof } from '../proof/verify-execution.js';
import { verifyWalEvents } from '../wal/verify-wal-events.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A stored proof, as `GET /v1/stark/proofs/:proofId` gives it as JSON. */
export interface FetchedProof {
  readonly proof: Uint8Array | string;
  readonly publicInputs: PublicInputs;
  readonly airId: string;
  readonly contextDomain?: string;
  readonly revokedAt?: string;
}

/** An answer of `m2m_license_contract`, and what it is held against. */
export interface LicenceEvidence {
  /** As it came. */
  readonly answer: JsonObject;
  /** The inputs as they were sent; without them, none are compared. */
  readonly request?: JsonObject;
  /** `GET /.well-known/svc-license-keys.json`: of the token. */
  readonly licenceKeys: readonly PublishedKey[];
  /** `GET /.well-known/svc-proof-keys.json`: of the evidence. */
  readonly proofKeys: readonly ProofKey[];
  /** `GET /.well-known/svc-wal-keys.json`: of the checkpoint. */
  readonly walKeys: readonly WalKey[];
  /** The proof that `starkExecutionProof` names. */
  readonly executionProof?: FetchedProof;
  /** The proof that `auditProof` names. */
  readonly batchProof?: Uint8Array;
  /** Default: now. */
  readonly at?: Date;
}

/** One check of an answer, by the name of what was checked. */
export interface NamedCheck {
  readonly name: 'log' | 'token' | 'contract' | 'execution proof' | 'audit proof' | 'checkpoint';
  readonly valid: boolean;
  /** What was found, or the first thing that does not hold. */
  readonly detail: string;
}

/** Every check that an answer allows; valid where all of them hold. */
export interface LicenceVerdict {
  readonly valid: boolean;
  readonly checks: readonly NamedCheck[];
}

const good = (detail: string) => ({ valid: true, detail });
const bad = (detail: string) => ({ valid: false, detail });
type Found = ReturnType<typeof good>;

/**
 * Checks an answer of `m2m_license_contract` on this machine: its write-ahead log, record by record; the token's signature,
 * and that it says what the contract says; the contract against the request; the STARK over the contract; the rules of
 * the sale under their proof and signature; the checkpoint's signature. Of a sale that was taken back there is a log, and
 * nothing else. What is false is a value, never an exception. That a licence was revoked later only its issuer knows.
 */
export async function verifyLicenceAnswer(evidence: LicenceEvidence): Promise<LicenceVerdict> {
  const { answer } = evidence;
  const checks: NamedCheck[] = [];
  const add = (name: NamedCheck['name'], found: Found) => checks.push({ name, ...found });
  add('log', await logFound(answer));
  if (answer['status'] === 'COMPENSATED') {
    add('token', nothingSold(answer));
  } else {
    add('token', await tokenFound(evidence));
    add('contract', contractFound(evidence));
    add('execution proof', executionFound(evidence));
    add('audit proof', auditFound(evidence));
  }
  if (answer['checkpoint'] !== undefined) add('checkpoint', await checkpointFound(evidence));
  return { valid: checks.every(({ valid }) => valid), checks };
}

/** The log by itself; its checkpoint has a check of its own. */
async function logFound({ checkpoint: _checkpoint, ...answer }: JsonObject): Promise<Found> {
  if (typeof answer['walHash'] !== 'string' || typeof answer['walCount'] !== 'number')
    return bad('the answer has no walHash and walCount');
  const verdict = await verifyWalEvents(answer);
  if (!verdict.valid)
    return bad(`${verdict.seq === undefined ? '' : `record ${verdict.seq}: `}${verdict.reason}`);
  return good(`${verdict.count} records chained to ${verdict.head}`);
}

const SOLD = ['m2mLicenseToken', 'starkExecutionProof', 'settlementTreasury', 'starkRoot'];

function nothingSold(answer: JsonObject): Found {
  const named = SOLD.find(member => answer[member] !== '' && answer[member] !== undefined);
  return named === undefined
    ? good('none, the sale was taken back')
    : bad(`the sale was taken back, and has ${named}`);
}

async function tokenFound({ answer, licenceKeys, at = new Date() }: LicenceEvidence): Promise<Found> {
  const token = String(answer['m2mLicenseToken']);
  const check = await checkM2mToken(token, licenceKeys, at.getTime(), verifyEd25519);
  if (check.code !== 'VALID') return bad(check.code);
  const { licence } = check;
  if (licence.saga !== answer['sagaId']) return bad('the token is of another saga');
  const difference = firstDifference(termsOf(licence), flatContract(answer));
  if (difference !== undefined) return bad(`the token and the contract differ in ${difference}`);
  const until = licence.exp === null ? 'without end' : `to ${new Date(licence.exp * 1_000).toISOString()}`;
  return good(`${licence.jti}, signed by ${licence.kid}, ${until}; says what the contract says`);
}

/** What a token says, by the names of the contract. */
function termsOf(licence: M2mLicence): JsonObject {
  const { contract: contractId, licensee, tier, capability, streamIndex, iat, saga } = licence;
  const { exp, nodesMax, sublicense, metered } = licence;
  return {
    contractId,
    licensee,
    tier,
    capability,
    streamIndex,
    iat,
    saga,
    exp,
    nodesMax,
    sublicense,
    metered,
  };
}

/** The contract with what it grants beside the rest. */
function flatContract({ contract }: JsonObject): JsonObject {
  if (typeof contract !== 'object' || contract === null) return {};
  const { grant, ...rest } = contract as { grant?: object };
  return { ...rest, ...grant };
}

function contractFound({ answer, request }: LicenceEvidence): Found {
  const contract = flatContract(answer);
  const named = firstDifference({ contractId: answer['contractId'], saga: answer['sagaId'] }, contract);
  if (named !== undefined) return bad(`the answer and the contract differ in ${named}`);
  if (request === undefined) return good('as the answer names it; not compared with a request');
  const { licenseeAgentId: licensee, licensingTier: tier = 'm2m_continuous_metered' } = request;
  const { contractId, capability, streamIndex } = request;
  const asked = { licensee, tier, contractId, capability, streamIndex };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const other = firstDifference(given, contract);
  if (other !== undefined) return bad(`another ${other} was asked for`);
  return good('what was asked for');
}

function executionFound({ answer, executionProof }: LicenceEvidence): Found {
  const proofId = answer['starkExecutionProof'];
  const events = (Array.isArray(answer['walEvents']) ? answer['walEvents'] : []) as Partial<WalEvent>[];
  const proved = events.find(({ kind, step }) => kind === 'STEP_COMMIT' && step === 'prove')?.payload;
  if (proved === undefined) return bad('the log has no proof');
  if (proved['proofId'] !== proofId) return bad('the log names another proof than the answer');
  if (executionProof === undefined) return bad(`the proof ${String(proofId)} is missing`);
  const verdict = verifyExecutionProof({
    ...executionProof,
    statement: (answer['contract'] ?? {}) as JsonObject,
    starkRoot: String(proved['starkRoot']),
  });
  if (!verdict.valid) return bad([verdict.reason, verdict.detail].filter(Boolean).join(': '));
  if (verdict.starkRootCommitment !== answer['starkRoot']) return bad('starkRoot is not that of the proof');
  return good(`${String(proofId)}, of the very bytes of the contract, ${verdict.securityBits} bits proven`);
}

function auditFound({ answer, request, batchProof, proofKeys }: LicenceEvidence): Found {
  if (batchProof === undefined) return bad('the proof of the batch is missing');
  const asked = request && withCapability(request, flatContract(answer));
  const verdict = verifyAuditedAnswer({ answer, request: asked, proof: batchProof, keys: proofKeys });
  if (!verdict.valid) return bad([verdict.reason, verdict.detail].filter(Boolean).join(': '));
  const { rules = [], proves } = answer['auditProof'] as { rules?: { holds?: boolean }[]; proves?: string };
  const broken = rules.filter(({ holds }) => holds !== true).length;
  if (broken > 0) return bad(`${broken} of ${rules.length} rules do not hold`);
  return good(`${String(proves)}: ${rules.length} rules hold, proved and signed`);
}

/** A ticket may have been bought with the capability that its request leaves out. */
function withCapability(request: JsonObject, { capability }: JsonObject): JsonObject {
  return capability === null || capability === undefined ? request : { capability, ...request };
}

async function checkpointFound({ answer, walKeys }: LicenceEvidence): Promise<Found> {
  const verdict = await verifyWalEvents(answer, { keys: walKeys });
  if (!verdict.valid) return bad(verdict.reason);
  const { number, at, keyId } = answer['checkpoint'] as Record<string, unknown>;
  const signed = `number ${String(number)} of ${String(at)}, the newest of the service, signed by ${String(keyId)}`;
  const { checkpoint: cover } = verdict;
  const covers = cover
    ? `${cover.covers} records of this log are under number ${cover.number}`
    : 'it is not shown to cover this log, which svc saga tells once one does';
  return good(`${signed}; ${covers}`);
}

/** The first member of which both do not say the same. */
function firstDifference(one: JsonObject, other: JsonObject): string | undefined {
  return Object.keys(one).find(name => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
