import {
  OWN_TRACE_MEMBERS,
  ProveRequest,
  SpatialProveRequest,
  StarkProveM31Request,
  StarkProveRequest,
  toolDefinition,
  type ToolName,
} from '@svc/contracts';
import { auditedAgentRequest } from '../agent/agent-request.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What reads one member of a request. */
interface MemberSchema {
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

/** An operation whose answers are proofs: the members of its request, and which of them no evidence speaks of. */
interface AuditedOperation {
  readonly members: Readonly<Record<string, MemberSchema>>;
  readonly privateMembers: readonly string[];
}

const STATEMENT_PRIVATE_MEMBERS = ['privateWitness', 'inputs', ...OWN_TRACE_MEMBERS];
const CHAIN: AuditedOperation = { members: ProveRequest.shape, privateMembers: [] };
const BOX: AuditedOperation = {
  members: SpatialProveRequest.shape,
  privateMembers: toolDefinition('zk_prove_spatial').privateInputs ?? [],
};
const LICENCE = ofTool('m2m_license_contract');
const COMMITMENT = ofTool('generate_goldilocks_stark_proof');
/** Of the tool's answers, now and before. */
const COMMITMENT_AIRS = ['binding/v2', 'binding/v1'];
const PURCHASE_LINK = ofTool('create_purchase_link');
/** By the prime that an answer names its field with. */
const STATEMENTS: Readonly<Record<string, AuditedOperation>> = {
  '0xffffffff00000001': {
    members: StarkProveRequest.shape,
    privateMembers: STATEMENT_PRIVATE_MEMBERS,
  },
  '0x7fffffff': { members: StarkProveM31Request.shape, privateMembers: STATEMENT_PRIVATE_MEMBERS },
};

/**
 * A request as the evidence of its answer commits to it: without its private members, and with the published defaults of
 * what it leaves out. The answer says which operation it is of, and nothing else: what it states of degree, rate and security
 * may be what somebody else asked for. A request that is so already stays as it is. In that of an agent endpoint a file is
 * its digest.
 */
export function auditedRequest(request: JsonObject, answer: JsonObject): JsonObject {
  const agentRequest = auditedAgentRequest(request, answer);
  if (agentRequest !== undefined) return agentRequest;
  const operation = operationOf(answer);
  if (operation === undefined) return request;
  const filled = { ...defaultsOf(operation), ...request };
  return Object.fromEntries(
    Object.entries(filled).filter(([name]) => !operation.privateMembers.includes(name)),
  );
}

/** Members of a request that its evidence says nothing of. */
export function privateMembersOf(answer: JsonObject): readonly string[] {
  return operationOf(answer)?.privateMembers ?? [];
}

function operationOf({ airId, statement, fieldPrimeHex, sagaName, processorAccount }: JsonObject) {
  if (sagaName === 'm2m_license_contract') return LICENCE;
  if (processorAccount !== undefined) return PURCHASE_LINK;
  // The routes that prove statements say which; the tool, sold as a saga or by itself, has but one.
  if (statement === undefined && COMMITMENT_AIRS.includes(String(airId))) return COMMITMENT;
  if (statement !== undefined) return STATEMENTS[String(fieldPrimeHex)];
  if (airId === 'hash-chain/v1') return CHAIN;
  return airId === 'spatial-box/v1' ? BOX : undefined;
}

function ofTool(tool: ToolName): AuditedOperation {
  const { input, privateInputs = [] } = toolDefinition(tool);
  return { members: input.shape as AuditedOperation['members'], privateMembers: privateInputs };
}

/** Every member that has a default; one that must be given, or may be left out for good, is not among them. */
function defaultsOf({ members }: AuditedOperation): JsonObject {
  const left = Object.entries(members).map(([name, schema]) => [name, schema.safeParse(undefined)] as const);
  return Object.fromEntries(
    left.filter(([, { data }]) => data !== undefined).map(([name, { data }]) => [name, data]),
  );
}
