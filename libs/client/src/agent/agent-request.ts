import { fileDigest } from '@svc/audit-proof';
import {
  bullionRoutes,
  CardValuationRequest,
  cardsRoutes,
  certificatesRoutes,
  CoiVerifyRequest,
  VerifyBullionRequest,
} from '@svc/contracts';
import { decodeBase64 } from '../challenge/byte-text.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What reads a request, and the name of the file in it: `recording` for `recordingBase64`. */
interface AgentOperation {
  readonly schema: { safeParse(value: unknown): { success: boolean; data?: unknown } };
  readonly file?: string;
}

const OPERATIONS: ReadonlyMap<unknown, AgentOperation> = new Map<string, AgentOperation>([
  [bullionRoutes.verify.operationId, { schema: VerifyBullionRequest, file: 'recording' }],
  [cardsRoutes.valuation.operationId, { schema: CardValuationRequest }],
  [certificatesRoutes.verify.operationId, { schema: CoiVerifyRequest, file: 'pdf' }],
]);

/** Base64 that every schema of a file takes. */
const ANY_FILE = 'AAAA';

/**
 * A request of a paid agent endpoint as the evidence of its answer commits to it: with the defaults of what it leaves out, and
 * the SHA-256 of a file in the place of its base64, `recordingSha256`. Undefined where the answer is of no such endpoint.
 */
export function auditedAgentRequest(request: JsonObject, answer: object): JsonObject | undefined {
  const { disclosure } = answer as { readonly disclosure?: JsonObject | null };
  const operation = OPERATIONS.get(disclosure?.['operationId']);
  if (operation === undefined) return undefined;
  const { file, schema } = operation;
  const base64 = `${file}Base64`;
  const sha256 = `${file}Sha256`;
  const { [base64]: content, [sha256]: given, ...members } = request;
  const digest = given ?? (typeof content === 'string' ? digestOf(content) : undefined);
  const parsed = schema.safeParse(digest === undefined ? members : { ...members, [base64]: ANY_FILE });
  const { [base64]: _file, ...filled } = (parsed.success ? parsed.data : members) as Record<string, unknown>;
  return digest === undefined ? filled : { ...filled, [sha256]: digest };
}

function digestOf(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  return bytes && fileDigest(bytes);
}
