import type { z } from 'zod';
import type {
  FieldFault,
  HealthReport,
  ProveRequest as ProveRequestSchema,
  ProveResult,
  PublicInputs,
  VerifyProofRequest as VerifyProofRequestSchema,
  VerifyProofResult,
} from '@svc/contracts';

/** RFC 9457 problem details; a newer server may know codes that this library does not. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly instance?: string;
  readonly traceId: string;
  readonly errors?: readonly FieldFault[];
  readonly [extension: string]: unknown;
}

/** Body of `POST /v1/zk/prove`; only `traceData` is required. */
export type ProveRequest = z.input<typeof ProveRequestSchema>;
/** Body of `POST /v1/stark/verify-proof`. */
export type VerifyProofRequest = z.input<typeof VerifyProofRequestSchema>;
export type { HealthReport, ProveResult, PublicInputs, VerifyProofResult };
