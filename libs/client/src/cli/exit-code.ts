import {
  ConnectionError,
  PaymentRefusedError,
  ProblemError,
  UnexpectedResponseError,
  WalletError,
} from '../errors.js';

/** What `svc` tells the shell. */
export const ExitCode = {
  ok: 0,
  /** The call failed for a reason that is none of the others. */
  failure: 1,
  /** The command line cannot be meant. */
  usage: 2,
  /** A payment was needed and was not made, or did not count. */
  payment: 3,
  /** The proof is not valid. */
  proofInvalid: 4,
  /** The gateway, or a service behind it, is away. */
  serviceAway: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export const EXIT_CODE_HELP = `Exit codes: 0 ok, 1 failure, 2 usage, 3 payment, 4 proof invalid, 5 service away, 130 interrupted.`;

/** A command line that cannot be meant; the message is all that the user sees. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The server's word that the value of an option or operand cannot be meant. */
export class RefusedOptionError extends ProblemError {}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError || error instanceof RefusedOptionError) return ExitCode.usage;
  if (error instanceof PaymentRefusedError || error instanceof WalletError) return ExitCode.payment;
  if (error instanceof ConnectionError) return ExitCode.serviceAway;
  if (error instanceof UnexpectedResponseError && error.status >= 502) return ExitCode.serviceAway;
  if (error instanceof ProblemError) {
    if (error.status === 402) return ExitCode.payment;
    if (error.status >= 502) return ExitCode.serviceAway;
  }
  return ExitCode.failure;
}
