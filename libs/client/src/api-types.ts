import type { components, paths } from './openapi.generated.js';

type Schemas = components['schemas'];

/** Body of `POST /v1/zk/prove`; only `traceData` is required. */
export type ProveRequest = Schemas['ProveRequest'];
export type ProveResult = Schemas['ProveResult'];
/** Field elements are strings, so that no digit is lost. */
export type PublicInputs = Schemas['PublicInputs'];
/** Body of `POST /v1/stark/verify-proof`. */
export type VerifyProofRequest = Schemas['VerifyProofRequest'];
export type VerifyProofResult = Schemas['VerifyProofResult'];
export type HealthReport = Schemas['HealthReport'];
/** A page of what an account was credited and debited, newest first. */
export type AccountLedger = Schemas['AccountLedger'];
/** Body of `POST /v1/stark/prove-goldilocks`; `publicInputs` is required but for raw statements. */
export type StarkProveRequest = Schemas['StarkProveRequest'];
/** Body of `POST /v1/stark/prove-m31`. */
export type StarkProveM31Request = Schemas['StarkProveM31Request'];
export type StarkProveResult = Schemas['StarkProveResult'];
/** A proof in the making, or made. */
export type DepartmentList = Schemas['DepartmentList'];
export type DepartmentTask = Schemas['Task'];
export type DepartmentTaskRequest = Schemas['TaskRequest'];
export type ProofJob = Schemas['ProofJob'];
export type ProofJobEvent = Schemas['ProofJobEvent'];

/** A paid-up right to run one tool once. */
export type ExecutionTicket = Schemas['VerifyPaymentResult'];
/** The outputs of a tool, and what the saga that ran it says of itself. */
export type AuditProof = Schemas['AuditProof'];
export type ExecuteResult = Schemas['ExecuteResult'];
export type Saga = Schemas['Saga'];
export type Telemetry = Schemas['Telemetry'];
export type WalEvent = Schemas['WalEvent'];
export type WalCheckpoint = Schemas['WalCheckpoint'];
export type ToolName = Schemas['ToolName'];

/** Body of `POST /v1/snn/solve`. */
export type SnnRequest = Partial<Schemas['SnnRequest']>;
export type SnnResult = Schemas['SnnResult'];
/** What `dryRun` answers. */
export type SnnEstimate = Schemas['SnnEstimate'];
/** Body of `POST /v1/snn/solve-graph`. */
export type SolveGraphRequest = Schemas['SolveGraphRequest'];
export type SolveGraphResult = Schemas['SolveGraphResult'];
/** Body of `POST /v1/fep/active-inference`. */
export type ActiveInferenceRequest = Schemas['ActiveInferenceRequest'];
export type ActiveInferenceResult = Schemas['ActiveInferenceResult'];

/** Body of `POST /v1/mesh/rendezvous`. */
export type RendezvousRequest = Schemas['RendezvousRequest'];
export type RendezvousResult = Schemas['RendezvousResult'];
export type RendezvousPending = Schemas['RendezvousPending'];
export type MeshSession = Schemas['MeshSession'];
/** Body of `POST /v1/mesh/sessions/:sessionId/answer`. */
export type MeshAnswerRequest = Schemas['MeshAnswerRequest'];
export type InboxEvent = Schemas['InboxEvent'];
export type PeerProof = Schemas['PeerProof'];
export type PublicKeys = Schemas['PublicKeys'];

/** Body of `POST /v1/acoustic/modulate`; only `payloadHex` is required. */
export type ModulateRequest = Schemas['ModulateRequest'];
export type ModulateResult = Schemas['ModulateResult'];
/** Body of `POST /v1/acoustic/demodulate`. */
export type DemodulateRequest = Schemas['DemodulateRequest'];
export type DemodulateResult = Schemas['DemodulateResult'];
/** Body of `POST /v1/acoustic/challenge`. */
export type AcousticChallengeRequest = Schemas['AcousticChallengeRequest'];
export type AcousticChallenge = Schemas['AcousticChallenge'];
/** Body of `POST /v1/acoustic/verify-pairing`. */
export type VerifyPairingRequest = Schemas['VerifyPairingRequest'];
export type PairingResult = Schemas['PairingResult'];

/** Body of `POST /v1/speckle/extract-puf`. */
export type ExtractPufRequest = Schemas['ExtractPufRequest'];
export type ExtractPufResult = Schemas['ExtractPufResult'];
/** Body of `POST /v1/speckle/verify-slab`: slabId or pufId, one of the two. */
export type VerifySlabRequest = Schemas['VerifySlabRequest'];
export type VerifySlabResult = Schemas['VerifySlabResult'];

/** Body of `POST /api/agent/verify-bullion`. */
export type VerifyBullionRequest = Schemas['VerifyBullionRequest'];
export type BullionProductList = Schemas['BullionProductList'];
export type VerifyBullionResult = Schemas['VerifyBullionResult'];
/** Body of `POST /api/agent/card-valuation`. */
export type CardValuationRequest = Schemas['CardValuationRequest'];
export type CardValuationResult = Schemas['CardValuationResult'];
export type CardSearch = Schemas['CardSearch'];
/** Body of `POST /partnerCoiVerify`. */
export type CoiVerifyRequest = Schemas['CoiVerifyRequest'];
export type CoiVerifyResult = Schemas['CoiVerifyResult'];
/** What a paid agent endpoint costs, and how it is paid. */
export type AgentPriceRecord = Schemas['AgentPriceRecord'];

/** RFC 9457 problem details; a newer server may know codes that this library does not. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** Whether money was taken for the request and has not gone back. */
  readonly charged?: Schemas['ProblemDetails']['charged'];
  /** Whether, and how, the request is worth sending again. */
  readonly retry?: Schemas['ProblemDetails']['retry'];
  readonly instance?: string;
  readonly traceId: string;
  readonly errors?: NonNullable<Schemas['ProblemDetails']['errors']>;
  readonly [extension: string]: unknown;
}

export type RouteMethod = 'get' | 'post' | 'patch' | 'delete';

/** Published paths that answer a method, as in the OpenAPI document: `/v1/mesh/sessions/{sessionId}`. */
export type RoutePath<M extends RouteMethod> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends RouteMethod> = paths[P][M];

/** The JSON body that a route takes; undefined for a route without one. */
export type RouteBody<P extends keyof paths, M extends RouteMethod> =
  Operation<P, M> extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body
    : undefined;

/** The JSON object that a route answers with. */
export type RouteReply<P extends keyof paths, M extends RouteMethod> =
  Operation<P, M> extends { responses: { 200: { content: { 'application/json': infer Reply } } } }
    ? Reply
    : Record<string, unknown>;

/** The parameters in a route's path. */
export type RouteParameters<P extends keyof paths, M extends RouteMethod> =
  Operation<P, M> extends { parameters: { path: infer Parameters } } ? Parameters : undefined;
