import type { FacilitatorRequest } from '@svc/protocols';

/** What a facilitator can verify and settle. */
export interface FacilitatorKind {
  readonly x402Version: number;
  readonly scheme: string;
  /** CAIP-2 in version 2, a name in version 1. */
  readonly network: string;
}

/** What a facilitator says of a payment that was not settled yet. `reason` is one of x402's, or the facilitator's own. */
export type Verification = { readonly valid: true } | { readonly valid: false; readonly reason: string };

/** What a facilitator says of a settlement that it was asked for. */
export type Transfer =
  | { readonly outcome: 'done'; readonly transaction: string }
  /** It says that nothing was moved, and why. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Asked, without an answer that says what became of it. */
  | { readonly outcome: 'in-doubt'; readonly detail: string; readonly cause?: unknown };

/** The facilitator cannot be asked, or answers nothing that can be read. The message is for the log. */
export class FacilitatorAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FacilitatorAway';
  }
}

/**
 * Whoever verifies authorizations and has them carried out on the chain.
 *
 * Guarantee: however often one authorization is settled, it moves its amount once: the token sees to that.
 */
export interface Facilitator {
  /** Whether its word on a transfer was read from the chain, by us. Another's is checked. */
  readonly trusted: boolean;
  /** @throws FacilitatorAway */
  kinds(): Promise<readonly FacilitatorKind[]>;
  /** @throws FacilitatorAway */
  verify(request: FacilitatorRequest): Promise<Verification>;
  /** Never throws. */
  settle(request: FacilitatorRequest): Promise<Transfer>;
  /** Whether it could settle now. @throws FacilitatorAway */
  isReady(): Promise<boolean>;
}

/** Reason of an authorization that was used, or cancelled, before. */
export const NONCE_USED = 'invalid_exact_evm_nonce_already_used';

/** Reason of a signature that is not its payer's. */
export const WRONG_SIGNATURE = 'invalid_exact_evm_signature';

const NODES_FAULT = /simulation_failed|unexpected_(verify|settle)_error/i;
const USED = /nonce_already_used|authorization is used or cancell?ed|authorization_?(already_?)?used/i;
const INSUFFICIENT = /insufficient_(balance|funds)|exceeds_?balance/i;
const EXPIRED = /valid_before|expired/i;

/** Whether the reason says that the authorization was used before. */
export const saysUsed = (reason: string): boolean => USED.test(reason);

/**
 * Whether the reason says no more than that the node could not try the transfer: what is wrong with a payment has names of its
 * own.
 */
export const isNodesFault = (reason: string): boolean => NODES_FAULT.test(reason);

/** The code of a refusal, by its reason. */
export function refusalCodeOf(
  reason: string,
): 'PAYMENT_INVALID' | 'PAYMENT_EXPIRED' | 'PAYMENT_INSUFFICIENT' {
  if (INSUFFICIENT.test(reason)) return 'PAYMENT_INSUFFICIENT';
  if (EXPIRED.test(reason)) return 'PAYMENT_EXPIRED';
  return 'PAYMENT_INVALID';
}

/** A reason as it may be shown: a facilitator's free text is not. */
export function shownReason(reason: string): string {
  return /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'invalid_payload';
}
