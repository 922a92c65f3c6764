import { type EmulatedAccount, randomId } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { type Parameters } from '../api/parameters.js';
import { invalidRequest, noSuch } from '../api/stripe-error.js';

/** How a test card fails. */
export interface Decline {
  code: string;
  declineCode: string;
  message: string;
}

/** A card of Stripe's published test set, and what happens to a payment with it. */
export interface TestCard {
  number: string;
  /** Names of the test payment methods, without `pm_card_`. */
  names: string[];
  brand: string;
  funding: 'credit' | 'debit';
  decline?: Decline;
  /** The holder has to confirm each payment. */
  authentication?: true;
  /** The bank disputes the charge. */
  disputed?: true;
  /** A refund is pending at first, or fails after it has succeeded. */
  refund?: 'pending' | 'fails';
}

/** What a test card does. */
type TestEffect = Pick<TestCard, 'decline' | 'authentication' | 'disputed' | 'refund'>;

const DECLINED = 'Your card was declined.';
const declined = (declineCode: string, code = 'card_declined', message = DECLINED): Decline => ({
  code,
  declineCode,
  message,
});

function card(
  number: string,
  names: string[],
  effect: TestEffect = {},
  brand = 'visa',
  funding: 'credit' | 'debit' = 'credit',
): TestCard {
  return { number, names, brand, funding, ...effect };
}

/** Numbers and names as in Stripe's documentation of testing; no two share their last four digits. */
export const TEST_CARDS: readonly TestCard[] = [
  card('4242424242424242', ['visa']),
  card('4000056655665556', ['visa_debit'], {}, 'visa', 'debit'),
  card('5555555555554444', ['mastercard'], {}, 'mastercard'),
  card('378282246310005', ['amex'], {}, 'amex'),
  card('6011111111111117', ['discover'], {}, 'discover'),
  card('4000000000000002', ['chargeDeclined', 'visa_chargeDeclined'], {
    decline: declined('generic_decline'),
  }),
  card('4000000000009995', ['chargeDeclinedInsufficientFunds', 'visa_chargeDeclinedInsufficientFunds'], {
    decline: declined('insufficient_funds', 'card_declined', 'Your card has insufficient funds.'),
  }),
  card('4000000000009987', ['chargeDeclinedLostCard', 'visa_chargeDeclinedLostCard'], {
    decline: declined('lost_card'),
  }),
  card('4000000000009979', ['chargeDeclinedStolenCard', 'visa_chargeDeclinedStolenCard'], {
    decline: declined('stolen_card'),
  }),
  card('4000000000000069', ['chargeDeclinedExpiredCard', 'visa_chargeDeclinedExpiredCard'], {
    decline: declined('expired_card', 'expired_card', 'Your card has expired.'),
  }),
  card('4000000000000127', ['chargeDeclinedIncorrectCvc', 'visa_chargeDeclinedIncorrectCvc'], {
    decline: declined('incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect."),
  }),
  card('4000000000000119', ['chargeDeclinedProcessingError', 'visa_chargeDeclinedProcessingError'], {
    decline: declined(
      'processing_error',
      'processing_error',
      'An error occurred while processing your card. Try again in a little bit.',
    ),
  }),
  card('4100000000000019', ['radarBlock'], { decline: declined('fraudulent') }),
  card('4000000000000341', ['chargeCustomerFail'], { decline: declined('generic_decline') }),
  card('4000002500003155', ['authenticationRequiredOnSetup'], { authentication: true }),
  card('4000002760003184', ['authenticationRequired'], { authentication: true }),
  card('4000000000003220', ['threeDSecure2Required', 'threeDSecureRequired'], { authentication: true }),
  card('4000000000000259', ['createDispute'], { disputed: true }),
  card('4000000000007726', ['pendingRefund'], { refund: 'pending' }),
  card('4000000000005126', ['refundFail'], { refund: 'fails' }),
];

/** What a number gets that passes its check digit and is on no list: a real card in test mode. */
const REAL_CARD: Decline = declined(
  'test_mode_live_card',
  'card_declined',
  'Your card was declined. Your request was in test mode, but used a non test (live) card.',
);

const CARD_OF_NAME = new Map(TEST_CARDS.flatMap(test => test.names.map(name => [`pm_card_${name}`, test])));

/** A means of payment, as in Stripe's fixture `payment_method`. */
export interface PaymentMethod extends StripeObject {
  object: 'payment_method';
  allow_redisplay: string;
  billing_details: { address: null; email: string | null; name: string | null; phone: null; tax_id: null };
  card?: PaymentMethodCard;
  us_bank_account?: { last4: string; bank_name: string; account_type: string };
  created: number;
  customer: string | null;
  customer_account: null;
  livemode: false;
  metadata: Record<string, string>;
  type: 'card' | 'us_bank_account';
}

/** The card of a payment method: nothing of its number but the last four digits. */
export interface PaymentMethodCard {
  brand: string;
  checks: Record<string, string | null>;
  country: string;
  display_brand: string;
  exp_month: number;
  exp_year: number;
  fingerprint: string;
  funding: string;
  last4: string;
  networks: { available: string[]; preferred: null };
  three_d_secure_usage: { supported: boolean };
  wallet: null;
}

/** What a payment with this method does. */
export function effectOf(method: PaymentMethod): TestEffect {
  if (!method.card) return {};
  const { brand, last4 } = method.card;
  const test = TEST_CARDS.find(entry => entry.number.endsWith(last4) && entry.brand === brand);
  return test ?? { decline: REAL_CARD };
}

/** The card as typed into a form. */
export interface CardDetails {
  number: string;
  expMonth: number;
  expYear: number;
  email?: string;
}

/** Makes a payment method of a card number, which is forgotten but for its last four digits. */
export function createCardMethod(account: EmulatedAccount, details: CardDetails): PaymentMethod {
  const test = TEST_CARDS.find(({ number }) => number === details.number);
  return account.store.save<PaymentMethod>({
    ...bareMethod(account, details.email),
    type: 'card',
    card: {
      brand: test?.brand ?? 'unknown',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: test?.brand ?? 'other',
      exp_month: details.expMonth,
      exp_year: details.expYear,
      fingerprint: randomId('', 16),
      funding: test?.funding ?? 'unknown',
      last4: details.number.slice(-4),
      networks: { available: [test?.brand ?? 'unknown'], preferred: null },
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
  });
}

/** Makes a payment method of a bank account; its money takes days, or `settleBankDebit`. */
export function createBankMethod(
  account: EmulatedAccount,
  accountNumber: string,
  email?: string,
): PaymentMethod {
  return account.store.save<PaymentMethod>({
    ...bareMethod(account, email),
    type: 'us_bank_account',
    us_bank_account: {
      last4: accountNumber.slice(-4),
      bank_name: 'STRIPE TEST BANK',
      account_type: 'checking',
    },
  });
}

function bareMethod(account: EmulatedAccount, email: string | undefined) {
  return {
    id: randomId('pm_'),
    object: 'payment_method' as const,
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email: email ?? null, name: null, phone: null, tax_id: null } as const,
    created: account.now(),
    customer: null,
    customer_account: null,
    livemode: false as const,
    metadata: {},
  };
}

/**
 * The payment method that an id names; a test name such as `pm_card_visa` makes a new one, as at Stripe.
 *
 * @throws StripeError 404
 */
export function paymentMethodOf(
  account: EmulatedAccount,
  id: string,
  param = 'payment_method',
): PaymentMethod {
  const test = CARD_OF_NAME.get(id);
  if (test) {
    const expYear = new Date(account.now() * 1_000).getUTCFullYear() + 1;
    return createCardMethod(account, { number: test.number, expMonth: 12, expYear });
  }
  const found = account.store.find<PaymentMethod>('payment_method', id);
  if (!found) throw noSuch('PaymentMethod', id, param);
  return found;
}

/** A new payment method like another one: what a shared payment token pays with. */
export function cloneMethod(account: EmulatedAccount, method: PaymentMethod): PaymentMethod {
  const clone = { ...structuredClone(method), id: randomId('pm_'), created: account.now(), customer: null };
  return account.store.save<PaymentMethod>(clone);
}

/**
 * `payment_method_data` with a test token. Card numbers are refused, as an account without a PCI
 * attestation finds it at Stripe.
 */
export function methodOfData(account: EmulatedAccount, data: Parameters): PaymentMethod {
  const type = data.requiredText('type');
  if (type !== 'card')
    throw invalidRequest(`Invalid payment_method_data[type]: ${type.slice(0, 50)}`, 'type');
  const cardData = data.map('card');
  if (cardData.has('number')) {
    throw invalidRequest('Sending credit card numbers directly to the Stripe API is generally unsafe.');
  }
  const token = cardData.requiredText('token');
  return paymentMethodOf(account, token.replace(/^tok_/, 'pm_card_'), 'payment_method_data[card][token]');
}
