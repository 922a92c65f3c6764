import type { Client } from '../client.js';
import { ConnectionError, ProblemError, UnexpectedResponseError } from '../errors.js';
import type { Answer, CallOptions } from '../paid-call.js';
import type { Payment } from '../payment.js';
import { openClient, paymentOf } from './connection.js';
import type { ExitCode } from './exit-code.js';
import { mustBeWritable } from './paid-answer.js';
import { textOption, type VerbContext } from './verb.js';

/** What brings an answer again that was paid for, at no charge. */
export interface Kept {
  readonly payment?: Payment;
  /** That a key was charged under. */
  readonly idempotencyKey?: string;
}

/** A command that failed after it may have paid: the failure, and what was kept. */
export class KeptPurchaseError extends Error {
  override readonly name = 'KeptPurchaseError';

  constructor(
    override readonly cause: unknown,
    readonly kept: Kept,
  ) {
    super('a failure after a purchase', { cause });
  }
}

/** An answer to buy. */
export interface Order<T extends object> {
  /** For the line of progress. */
  readonly doing: string;
  /** Files that are written once the answer is there. */
  readonly files: readonly (string | undefined)[];
  /** Whether a ticket pays: as a key, it is known again by an Idempotency-Key. */
  readonly isTicketed?: boolean;
  buy(client: Client, options: CallOptions): Promise<Answer<T>>;
}

/** Runs a step that comes after a purchase. A failure ends the command, but not before the answer is shown. */
export type Attempt = <R>(step: () => Promise<R>) => Promise<R | undefined>;

/** An answer, and what it was bought with. */
export interface Bought<T extends object> {
  readonly answer: Answer<T>;
  readonly client: Client;
  readonly options: CallOptions;
  readonly attempt: Attempt;
}

/**
 * Buys an answer and uses it. Its files are tried before anything is paid; what fails after it leaves a payment, or the
 * Idempotency-Key of a key's purchase, which bring the answer again at no charge.
 * @throws UsageError before anything is asked for; KeptPurchaseError
 */
export async function buyAndUse<T extends object>(
  context: VerbContext,
  { doing, files, isTicketed, buy }: Order<T>,
  use: (bought: Bought<T>) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { values, terminal, signal, environment } = context;
  const given = paymentOf(values);
  for (const file of files) if (file !== undefined) await mustBeWritable(file);
  const client = await openClient(context, 'pays');
  const isRemembered = environment['SVC_KEY'] !== undefined || isTicketed === true;
  // A key has no memory of what it paid for; this gives it one.
  const idempotencyKey =
    textOption(values, 'idempotency-key') ?? (isRemembered ? crypto.randomUUID() : undefined);
  let payment = given;
  const options = {
    ...{ signal, payment, onStage: terminal.followCall(doing) },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    onPayment: (made: Payment) => void (payment = made),
  };
  const failed = (cause: unknown, isCharged: boolean) => {
    const byKey = isRemembered && isCharged ? { idempotencyKey } : {};
    return new KeptPurchaseError(cause, payment === undefined ? byKey : { payment });
  };
  const answer = await buy(client, options).catch((error: unknown) => {
    throw failed(error, signal.aborted || mayBeCharged(error));
  });
  terminal.endProgress();
  const failures: unknown[] = [];
  const attempt: Attempt = step =>
    step().catch((error: unknown) => {
      if (failures.push(error) > 1) terminal.note(`svc: ${messageOf(error)}`);
      return undefined;
    });
  try {
    const code = await use({ answer, client, options, attempt });
    if (failures.length > 0) throw failures[0];
    return code;
  } catch (error) {
    throw failed(error, isSold(answer));
  }
}

/** Whether the server may have charged a key for a call that failed so. */
const mayBeCharged = (error: unknown): boolean =>
  error instanceof ProblemError
    ? error.charged !== 'no'
    : error instanceof ConnectionError || error instanceof UnexpectedResponseError;

/** Whether a key paid, or a ticket; a request of the month, which no key brings again, has quota fields and no receipt. */
const isSold = ({ headers }: Answer<object>): boolean =>
  headers.has('payment-receipt') || !headers.has('ratelimit');

/**
 * The lines that say how to fetch again what was paid for, or how to use a payment that has bought nothing.
 * @param error why the command failed: a request that is refused for what it says, at no charge, is to be mended
 */
export function keptLines({ payment, idempotencyKey }: Kept, error?: unknown): string[] {
  const isUnused =
    error instanceof ProblemError && error.charged === 'no' && error.problem.retry === 'changed';
  if (payment !== undefined)
    return [
      `  payment kept: ${JSON.stringify(payment)}`,
      isUnused
        ? '  it has bought nothing: mend the request, and send it again with --payment'
        : '  use it again for the same request with --payment',
    ];
  if (idempotencyKey === undefined) return [];
  return [
    `  purchase kept: ${idempotencyKey}`,
    '  use it again for the same request with --idempotency-key: what is paid for is not charged again',
  ];
}

/** What a failure says of itself. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
