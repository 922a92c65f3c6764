import { type EmulatedAccount } from '../account/emulated-account.js';
import { type Parameters } from '../api/parameters.js';
import { createBankMethod, createCardMethod, type PaymentMethod } from '../payment/payment-method.js';
import { html, type Markup } from './page.js';

const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/;

/** What was typed, given back in the form where it was wrong; never the security code. */
export interface Typed {
  email: string;
  number: string;
  expiry: string;
}

/** What is wrong with it, by field; `alert` for the payment as a whole. */
export type FormFaults = Partial<Record<'email' | 'number' | 'expiry' | 'cvc' | 'account' | 'alert', string>>;

export interface CardForm {
  /** Where it goes, on this server. */
  action: string;
  /** On the button. */
  pay: string;
  /** Fixed, asked for or left out. */
  email: { fixed: string } | 'asked' | 'none';
  /** A bank account may be given in place of a card. */
  bank: boolean;
  cancel: boolean;
  typed?: Typed;
  faults?: FormFaults;
}

/** The form of the hosted pages. */
export function cardForm({ action, pay, email, bank, cancel, typed, faults = {} }: CardForm): Markup {
  return html`<form method="post" action="${action}" autocomplete="off" class="card">
    <h2>Pay with ${bank ? 'a card or a bank account' : 'a card'}</h2>
    ${faults.alert && html`<p class="alert" role="alert">${faults.alert}</p>`}
    ${emailField(email, typed, faults.email)}
    ${field('number', 'Card number', typed?.number, faults.number, '4242 4242 4242 4242', !bank)}
    <div class="pair">
      <div>${field('expiry', 'Expiry (MM / YY)', typed?.expiry, faults.expiry, '12 / 34', !bank)}</div>
      <div>${field('cvc', 'CVC', '', faults.cvc, '123', !bank)}</div>
    </div>
    ${
      bank &&
      html`<fieldset>
        <legend>or a bank account</legend>
        ${field('account', 'Account number', '', faults.account, '000123456789', false)}
        <small class="hint">A debit is known to have succeeded or failed only some seconds later.</small>
      </fieldset>`
    }
    <button type="submit" name="step" value="pay">${pay}</button>
    ${cancel && html`<button type="submit" name="step" value="cancel" class="plain" formnovalidate>Cancel</button>`}
    <details>
      <summary>Test cards</summary>
      <p>
        <code>4242 4242 4242 4242</code> pays.<br /><code>4000 0000 0000 0002</code> is declined.<br />
        <code>4000 0000 0000 9995</code> has insufficient funds.<br /><code>4000 0000 0000 0069</code> has
        expired.<br />
        <code>4000 0027 6000 3184</code> asks its holder to
        confirm.${bank && html`<br />Account <code>000123456789</code> pays, <code>000222222227</code> does not.`}
      </p>
      <p>Any expiry in the future, any three digits.</p>
    </details>
  </form>`;
}

function emailField(email: CardForm['email'], typed: Typed | undefined, fault: string | undefined): unknown {
  if (email === 'none') return undefined;
  if (email === 'asked')
    return field('email', 'E-mail', typed?.email, fault, 'you@example.com', true, 'email');
  return html`<label for="email">E-mail</label
    ><input id="email" name="email" value="${email.fixed}" readonly />`;
}

function field(
  name: string,
  label: string,
  value: string | undefined,
  fault: string | undefined,
  placeholder: string,
  required: boolean,
  type = 'text',
): Markup {
  const numeric = type === 'text' && html` inputmode="numeric"`;
  const invalid = fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`;
  return html`<label for="${name}">${label}</label
    ><input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value ?? ''}"
      placeholder="${placeholder}"
      maxlength="254"
      ${numeric}${required && html` required`}${invalid}
    />
    ${fault !== undefined && html`<p class="error" id="${name}-error">${fault}</p>`}`;
}

/** The digits of a card pass their check (Luhn). */
function checkDigitHolds(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** What was typed into the form: a payment method with an e-mail address, or what is wrong with it. */
export function readCardForm(
  account: EmulatedAccount,
  parameters: Parameters,
  form: Pick<CardForm, 'email' | 'bank'>,
): { method: PaymentMethod; email: string | null } | { faults: FormFaults; typed: Typed } {
  const text = (name: string) => (parameters.text(name) ?? '').trim();
  const typed = { email: text('email'), number: text('number'), expiry: text('expiry') };
  const email = form.email === 'asked' ? typed.email : form.email === 'none' ? null : form.email.fixed;
  const faults: FormFaults = {};
  if (form.email === 'asked' && !EMAIL.test(typed.email)) faults.email = 'Your e-mail address is incomplete.';
  if (form.bank && typed.number === '' && text('account') !== '') {
    const number = text('account');
    if (!/^\d{4,17}$/.test(number)) faults.account = 'The account number is invalid.';
    if (Object.keys(faults).length > 0) return { faults, typed };
    return { method: createBankMethod(account, number, email ?? undefined), email };
  }
  const number = typed.number.replaceAll(/[\s-]/g, '');
  if (!/^\d{13,19}$/.test(number) || !checkDigitHolds(number)) faults.number = 'Your card number is invalid.';
  const expiry = /^(0?[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})$/.exec(typed.expiry);
  const [expMonth, expYear] = expiry ? [Number(expiry[1]), 2_000 + Number(expiry[2])] : [0, 0];
  if (!expiry) faults.expiry = "Your card's expiration date is incomplete.";
  else if (Date.UTC(expYear, expMonth) / 1_000 <= account.now()) {
    faults.expiry = "Your card's expiration date is in the past.";
  }
  if (!/^\d{3,4}$/.test(text('cvc'))) faults.cvc = "Your card's security code is incomplete.";
  if (Object.keys(faults).length > 0) return { faults, typed };
  return {
    method: createCardMethod(account, { number, expMonth, expYear, email: email ?? undefined }),
    email,
  };
}

/** The page at which a card's holder confirms a payment to the bank. */
export function authenticationForm(action: string, methodId: string, email: string | null): Markup {
  return html`<form method="post" action="${action}" class="card">
    <h2>Confirm this payment</h2>
    <p>The bank of this test card asks its holder to confirm. Say how that goes.</p>
    <input type="hidden" name="method" value="${methodId}" /><input
      type="hidden"
      name="email"
      value="${email ?? ''}"
    />
    <button type="submit" name="step" value="authenticated">Confirm</button>
    <button type="submit" name="step" value="refused" class="plain">Refuse</button>
  </form>`;
}
