import { fileDigest } from '@svc/audit-proof';
import {
  ACOUSTIC_DOES_NOT_PROVE,
  bullionRoutes,
  CardValuationRequest,
  cardsRoutes,
  certificatesRoutes,
  CoiVerifyRequest,
  DemodulateRequest,
  ExtractPufRequest,
  ModulateRequest,
  AcousticChallengeRequest,
  SPECKLE_DOES_NOT_PROVE,
  VerifyBullionRequest,
  VerifyPairingRequest,
  VerifySlabRequest,
} from '@svc/contracts';
import { decodeBase64 } from '../challenge/byte-text.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What reads a request, and the name of the file in it: `recording` for `recordingBase64`. */
interface AgentOperation {
  readonly schema: { safeParse(value: unknown): { success: boolean; data?: unknown } };
  readonly file?: string;
  /** A member that the evidence does not cover, so that whoever checks it needs none. */
  readonly uncovered?: string;
}

const OPERATIONS: ReadonlyMap<unknown, AgentOperation> = new Map<string, AgentOperation>([
  [bullionRoutes.verify.operationId, { schema: VerifyBullionRequest, file: 'recording' }],
  [cardsRoutes.valuation.operationId, { schema: CardValuationRequest }],
  [certificatesRoutes.verify.operationId, { schema: CoiVerifyRequest, file: 'pdf' }],
]);

/** Answers without fields to disclose are known by what their evidence says that it does not show. */
const BY_LIMITS: ReadonlyMap<unknown, AgentOperation> = new Map<string, AgentOperation>([
  [ACOUSTIC_DOES_NOT_PROVE.modulate, { schema: ModulateRequest }],
  [ACOUSTIC_DOES_NOT_PROVE.demodulate, { schema: DemodulateRequest, file: 'recording' }],
  [ACOUSTIC_DOES_NOT_PROVE.challenge, { schema: AcousticChallengeRequest }],
  [ACOUSTIC_DOES_NOT_PROVE.pairing, { schema: VerifyPairingRequest, file: 'recording' }],
  [SPECKLE_DOES_NOT_PROVE.extract, { schema: ExtractPufRequest, file: 'image' }],
  [
    SPECKLE_DOES_NOT_PROVE.verify,
    { schema: VerifySlabRequest, file: 'image', uncovered: 'verificationToken' },
  ],
]);

/** Base64 that every schema of a file takes. */
const ANY_FILE = 'AAAA';

/**
 * A request of a paid agent endpoint as the evidence of its answer commits to it: with the defaults of what it leaves out, and
 * the SHA-256 of a file in the place of its base64, `recordingSha256`. Undefined where the answer is of no such endpoint. So are
 * requests about sounds and surfaces, which have files too.
 */
export function auditedAgentRequest(request: JsonObject, answer: object): JsonObject | undefined {
  const { disclosure, doesNotProve } = answer as {
    readonly disclosure?: JsonObject | null;
    readonly doesNotProve?: unknown;
  };
  const operation = OPERATIONS.get(disclosure?.['operationId']) ?? BY_LIMITS.get(doesNotProve);
  if (operation === undefined) return undefined;
  const { file, schema, uncovered = '' } = operation;
  const base64 = `${file}Base64`;
  const sha256 = `${file}Sha256`;
  const { [base64]: content, [sha256]: given, [uncovered]: _uncovered, ...members } = request;
  const digest = given ?? (typeof content === 'string' ? digestOf(content) : undefined);
  const parsed = schema.safeParse(digest === undefined ? members : { ...members, [base64]: ANY_FILE });
  const { [base64]: _file, ...filled } = (parsed.success ? parsed.data : members) as Record<string, unknown>;
  return digest === undefined ? filled : { ...filled, [sha256]: digest };
}

function digestOf(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  return bytes && fileDigest(bytes);
}
