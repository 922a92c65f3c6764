/** As they are stored. RELEASED is another account's money; what the account that made the escrow has got itself is COLLECTED. */
export type EscrowState = 'REQUIRES_PAYMENT' | 'HELD' | 'RELEASED' | 'COLLECTED' | 'CANCELLED' | 'EXPIRED';
/** Who gets the money: the account that made the escrow, another one, or who shows its claim link first and has not yet. */
export type EscrowPayee = 'self' | 'other' | 'unclaimed';
export type EscrowVerb = 'release' | 'cancel' | 'expire';

/** What is being done with an escrow at the card processor, or was. One that was refused there leaves none. */
export interface EscrowAction {
  readonly verb: EscrowVerb;
  /** Of a release: what is captured. */
  readonly cents?: number;
  /** Idempotency-Key that it came with. */
  readonly key?: string;
  readonly done: boolean;
}

/** An escrow as far as its state machine goes. */
export interface EscrowStanding {
  readonly state: EscrowState;
  readonly payeeIs: EscrowPayee;
  readonly amountCents: number;
  readonly releasedCents: number;
  readonly action?: EscrowAction;
  readonly expiresAtMs: number;
}

/** What the card processor says of the payment. */
export interface IntentStanding {
  /** `requires_capture`, `succeeded`, `canceled`; every other waits for its payer. */
  readonly status: string;
  readonly receivedCents: number;
  /** It ended by itself: the authorisation ran out. */
  readonly ranOut: boolean;
}

/** Something that is wanted of an escrow. */
export interface EscrowWish {
  readonly verb: EscrowVerb;
  readonly cents?: number;
  readonly key?: string;
}

export type EscrowVerdict =
  /** Nothing stands in its way: it is recorded, then done at the processor. */
  | { readonly verdict: 'begin' }
  /** The same is under way, and may be asked of the processor again. */
  | { readonly verdict: 'resume' }
  /** The same was done before. */
  | { readonly verdict: 'replay' }
  | EscrowRefusal;

export interface EscrowRefusal {
  readonly verdict: 'refuse';
  readonly code: 'CONFLICT' | 'EXPIRED' | 'UNPROCESSABLE';
  readonly detail: string;
  readonly errors?: readonly { path: string; message: string; bound?: unknown; got?: unknown }[];
}

/** States that nothing leaves. */
export const isFinal = (state: EscrowState): boolean => state !== 'REQUIRES_PAYMENT' && state !== 'HELD';

/**
 * Whether a wish may be done. Of a release and a cancellation at once the first that is recorded wins, and the other
 * is refused until it is known what became of the first.
 */
export function judge(escrow: EscrowStanding, wish: EscrowWish, nowMs: number): EscrowVerdict {
  const { state, action, amountCents } = escrow;
  const isSame = action !== undefined && action.verb === wish.verb && action.cents === wish.cents;
  if (wish.key !== undefined && action?.key === wish.key) {
    if (!isSame) return keyUsedOtherwise();
    return { verdict: action.done ? 'replay' : 'resume' };
  }
  if (isFinal(state)) return ended(state);
  if (action && !action.done) {
    if (isSame) return { verdict: 'resume' };
    if (action.verb === 'expire') return ended('EXPIRED');
    return refuse('CONFLICT', `A ${action.verb} of the escrow is under way`);
  }
  if (wish.verb === 'expire') {
    return nowMs >= escrow.expiresAtMs
      ? { verdict: 'begin' }
      : refuse('CONFLICT', 'The escrow has time left');
  }
  if (nowMs >= escrow.expiresAtMs) return ended('EXPIRED');
  if (wish.verb === 'cancel') return { verdict: 'begin' };
  if (state !== 'HELD') return refuse('CONFLICT', 'The escrow has not been paid');
  if (escrow.payeeIs === 'unclaimed')
    return refuse('CONFLICT', 'The payee has not claimed the escrow: send them the claimUrl');
  if (wish.cents === undefined || wish.cents < 1 || wish.cents > amountCents)
    return tooMuch(amountCents, wish.cents);
  return { verdict: 'begin' };
}

/**
 * Whether the payee may take a part in the escrow now, accepting it or claiming it: while its payment is held, and nothing else is
 * being done with it.
 * @returns why not; undefined where it may
 */
export function refusalToPayee(escrow: EscrowStanding, nowMs: number): EscrowRefusal | undefined {
  const { state, action, expiresAtMs } = escrow;
  if (isFinal(state)) return ended(state);
  if (action && !action.done && action.verb !== 'expire')
    return refuse('CONFLICT', `A ${action.verb} of the escrow is under way`);
  if (action?.verb === 'expire' || nowMs >= expiresAtMs) return ended('EXPIRED');
  return state === 'HELD' ? undefined : refuse('CONFLICT', 'The escrow has not been paid');
}

/** The escrow after the processor has said how its payment stands. What has ended stays as it ended. */
export function afterIntent(escrow: EscrowStanding, intent: IntentStanding): EscrowStanding {
  if (isFinal(escrow.state)) return escrow;
  const done = escrow.action && { ...escrow.action, done: true };
  switch (intent.status) {
    case 'requires_capture':
      return { ...escrow, state: 'HELD' };
    case 'succeeded': {
      const state = escrow.payeeIs === 'other' ? 'RELEASED' : 'COLLECTED';
      return { ...escrow, state, releasedCents: intent.receivedCents, action: done };
    }
    case 'canceled': {
      const expired = intent.ranOut || escrow.action?.verb === 'expire';
      return { ...escrow, state: expired ? 'EXPIRED' : 'CANCELLED', action: done };
    }
    default:
      return escrow;
  }
}

/** `1250` → `12.50` */
export const usdOfCents = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** Cents of an amount that the contract let through. @throws RangeError for any other text */
export function centsOfUsd(amountUsd: string): number {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(amountUsd) ?? [];
  if (whole === undefined) throw new RangeError(`${amountUsd.slice(0, 20)} is no amount in whole cents`);
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

function refuse(code: EscrowRefusal['code'], detail: string): EscrowRefusal {
  return { verdict: 'refuse', code, detail };
}

function ended(state: EscrowState): EscrowRefusal {
  return state === 'EXPIRED'
    ? refuse('EXPIRED', 'The escrow has expired: the payment goes back to its payer')
    : refuse('CONFLICT', `The escrow is ${state}`);
}

function keyUsedOtherwise(): EscrowRefusal {
  const detail = 'The Idempotency-Key was used for another request';
  const errors = [{ path: 'Idempotency-Key', message: 'was used for another request' }];
  return { verdict: 'refuse', code: 'UNPROCESSABLE', detail, errors };
}

function tooMuch(amountCents: number, cents: number | undefined): EscrowVerdict {
  const bound = usdOfCents(amountCents);
  const got = cents === undefined ? undefined : usdOfCents(cents);
  const errors = [{ path: 'amountUsd', message: `must be at most ${bound} USD, what is held`, bound, got }];
  return { verdict: 'refuse', code: 'UNPROCESSABLE', detail: `The escrow holds ${bound} USD`, errors };
}
