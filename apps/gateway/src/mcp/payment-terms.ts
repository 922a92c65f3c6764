import type { ProblemDetails } from '@svc/contracts';
import { isRecord } from './json-rpc.js';
import type { ToolReplyHead } from './tool-request.js';

/** One way to pay in the `Payment` scheme, its request as plain JSON. */
export interface PaymentChallengeJson {
  readonly id: string;
  readonly method: string;
  readonly request: Record<string, unknown>;
  readonly [param: string]: unknown;
}

/** What a refusal asks for, in both bindings. */
export interface PaymentTerms {
  /** Empty where the scheme can pay nothing here. */
  readonly challenges: readonly PaymentChallengeJson[];
  /** `PaymentRequired` of x402, where that rail is there. */
  readonly x402?: Record<string, unknown>;
}

/** Reads the terms from the headers of a 402, of which they are made. */
export function paymentTermsOf(head: ToolReplyHead): PaymentTerms {
  const lines = [head.getHeader('www-authenticate') ?? []].flat();
  const x402 = decode(head.line('payment-required'), 'base64');
  return {
    challenges: lines.map(challengeOf).filter(challenge => challenge !== undefined),
    ...(x402 ? { x402 } : {}),
  };
}

/**
 * `data` of an error of the `Payment` scheme (draft-payment-transport-mcp sections 6.1 and 10.2).
 * @param isFailure a credential came, and did not pay
 */
export function paymentErrorData(
  { challenges }: PaymentTerms,
  details: ProblemDetails,
  isFailure: boolean,
): Record<string, unknown> {
  const failure = { reason: details.code.toLowerCase().replaceAll('_', '-'), detail: details.detail };
  return { httpStatus: 402, challenges, problem: details, ...(isFailure ? { failure } : {}) };
}

/** A challenge of the `Payment` scheme; undefined for a line of another scheme. */
function challengeOf(line: string): PaymentChallengeJson | undefined {
  if (!/^Payment /i.test(line)) return undefined;
  // Over JSON-RPC no header brings a payment, and none is named.
  const { header: _header, ...params } = Object.fromEntries(
    [...line.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value] as const),
  );
  const request = decode(params.request, 'base64url');
  return request ? ({ ...params, request } as PaymentChallengeJson) : undefined;
}

/** JSON of a header; undefined where there is none. */
export function decode(
  value: string | undefined,
  encoding: 'base64' | 'base64url',
): Record<string, unknown> | undefined {
  if (value === undefined) return undefined;
  try {
    const decoded: unknown = JSON.parse(Buffer.from(value, encoding).toString('utf8'));
    return isRecord(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
