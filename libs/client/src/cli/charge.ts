import type { Answer } from '../paid-call.js';
import type { AccountLedger } from '../api-types.js';
import { decodeBase64JsonObject } from '../challenge/byte-text.js';
import { paidText, type Payment, receiptOf } from '../payment.js';
import { openClient } from './connection.js';
import type { VerbContext } from './verb.js';

/** Pages of the ledger that are read for one call, and entries of each. */
const PAGES_MAX = 5;
const PAGE_ENTRIES = 200;
/** An entry of a call is not older than its receipt by more than clocks differ. */
const CLOCK_MARGIN_MS = 60_000;

/** What a call took, and from what. Amounts in micro-USD. */
export interface KeyCharge {
  readonly rail: 'svc-key';
  /** `plan`: a request of the month; `held`: taken, and to be known when the work ends; `unknown`: the books cannot be read. */
  readonly from: 'credit' | 'plan' | 'held' | 'unknown';
  /** The purchase, as entries of the ledger name it. */
  readonly claimId?: string;
  readonly debitedMicroUsd?: number;
  /** Of what was debited: what has gone back. */
  readonly returnedMicroUsd?: number;
  /** When it was debited, ISO 8601: before the call, where the answer was bought by an earlier one. */
  readonly at?: string;
  /** What the account had after its last entry for the call. */
  readonly balanceMicroUsd?: number;
  /** Requests of the month that are left. */
  readonly requestsLeft?: number;
}

/** How a call was paid for, for programs; null where nothing was asked for it. */
export type Charge = (ReturnType<typeof receiptOf> & { readonly isReturned?: true }) | KeyCharge | null;

/** What was paid for a call, as a person and a program are told it. */
export interface Paid {
  readonly charge: Charge;
  readonly lines: readonly (readonly [string, string])[];
}

/**
 * What a call was paid with: a payment of its own, a request of the month, or the credit of SVC_KEY, of which the account's
 * ledger says what it was debited.
 */
export async function paidOf(context: VerbContext, answer: Answer<object>): Promise<Paid> {
  const { payment, headers, data } = answer;
  const { charge, text } = payment
    ? paidByPayment(payment, isTakenBack(data))
    : await paidByKeyOrQuota(context, answer);
  const creditKey = headers.get('x-svc-key');
  const rest =
    creditKey === null ? [] : [['the rest is on', `${creditKey} (keep it: SVC_KEY=… svc account)`]];
  return { charge, lines: [['paid', text], ...(rest as [string, string][])] };
}

interface ChargeText {
  readonly charge: Charge;
  readonly text: string;
}

/** Whether an answer says that what was paid for it went back: of a saga, an answer that says nothing, a task. */
function isTakenBack(data: object): boolean {
  const { status, charged, payment } = data as Record<string, unknown>;
  return status === 'COMPENSATED' || charged === false || payment === 'returned';
}

function paidByPayment(payment: Payment, isReturned: boolean): ChargeText {
  const receipt = receiptOf(payment);
  const paid = `${paidText(payment)} over ${payment.rail}`;
  return isReturned
    ? { charge: { ...receipt, isReturned }, text: `nothing: ${paid} were taken, and have become credit` }
    : { charge: receipt, text: paid };
}

async function paidByKeyOrQuota(context: VerbContext, answer: Answer<object>): Promise<ChargeText> {
  const { headers } = answer;
  const hasKey = context.environment['SVC_KEY'] !== undefined;
  const claim = hasKey ? keyReceiptIn(headers) : undefined;
  // A call beyond the month's requests is sold, and its answer states the requests too.
  if (claim !== undefined) return chargeInLedger(context, claim);
  // The requests are a key's or, of routes that have some for everybody, those of the address.
  const left = /;r=(\d{1,15})\b/.exec(headers.get('ratelimit') ?? '')?.[1];
  if (left !== undefined) {
    const text = `by a request of the month, of which ${left} are left`;
    const charge = { rail: 'svc-key', from: 'plan', requestsLeft: Number(left) } as const;
    return { charge: hasKey ? charge : null, text };
  }
  if (!hasKey || answer.status !== 202) return { charge: null, text: 'nothing' };
  const text = 'from SVC_KEY, held until the work ends; svc account ledger then says what it took';
  return { charge: { rail: 'svc-key', from: 'held' }, text };
}

interface KeyReceipt {
  readonly claimId: string;
  readonly atMs: number;
}

/** The receipt of a payment by key: base64url JSON, as draft-httpauth-payment has it. */
function keyReceiptIn(headers: Headers): KeyReceipt | undefined {
  const receipt = decodeBase64JsonObject(headers.get('payment-receipt') ?? '');
  const { method, reference, timestamp } = receipt ?? {};
  if (method !== 'svc-key' || typeof reference !== 'string') return undefined;
  return { claimId: reference, atMs: Date.parse(String(timestamp)) };
}

async function chargeInLedger(context: VerbContext, { claimId, atMs }: KeyReceipt): Promise<ChargeText> {
  const known = { rail: 'svc-key', claimId } as const;
  let entries: Entries;
  try {
    entries = await entriesOf(context, claimId, atMs);
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const text = `by SVC_KEY; what it was debited cannot be read (${reason}): svc account ledger`;
    return { charge: { ...known, from: 'unknown' }, text };
  }
  if (entries.length === 0) {
    const charge = { ...known, from: 'plan', debitedMicroUsd: 0 } as const;
    return { charge, text: 'nothing: the plan of SVC_KEY covers it' };
  }
  const sum = (sign: 1 | -1) =>
    entries.reduce((total, { amountMicroUsd }) => total + Math.max(0, sign * amountMicroUsd), 0);
  const [debitedMicroUsd, returnedMicroUsd] = [sum(-1), sum(1)];
  const balanceMicroUsd = entries[0].balanceAfterMicroUsd;
  const { at } = entries[entries.length - 1];
  const charge = {
    ...known,
    from: 'credit',
    debitedMicroUsd,
    returnedMicroUsd,
    at,
    balanceMicroUsd,
  } as const;
  const left = `the credit of SVC_KEY, which then had ${usd(balanceMicroUsd)}`;
  const text =
    returnedMicroUsd >= debitedMicroUsd
      ? `nothing: ${usd(debitedMicroUsd)} were taken, and are back in ${left}`
      : `${usd(debitedMicroUsd - returnedMicroUsd)} from ${left}`;
  return { charge, text };
}

type Entries = AccountLedger['items'];

/** Entries of a purchase, newest first; the ledger is read back to the time of its receipt. */
async function entriesOf(context: VerbContext, claimId: string, atMs: number): Promise<Entries> {
  const client = await openClient(context, 'free');
  const found: Entries[number][] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const options = { query: { limit: PAGE_ENTRIES, cursor }, signal: context.signal };
    const { data } = await client.request('GET' as string, '/v1/account/ledger', options);
    const { items, nextCursor } = data as unknown as AccountLedger;
    found.push(...items.filter(entry => entry.claimId === claimId));
    if (items.some(entry => entry.operationId !== undefined && entry.claimId === undefined))
      throw new Error('its entries do not name the purchases that they are of');
    const oldest = items.at(-1);
    if (nextCursor === null || !oldest) return found;
    if (Date.parse(oldest.at) < atMs - CLOCK_MARGIN_MS) return found;
    cursor = nextCursor;
  }
  if (found.length === 0) throw new Error('it has many newer entries');
  return found;
}

/** 1000 → `0.001 USD`. */
const usd = (microUsd: number): string => `${microUsd / 1_000_000} USD`;
