import { emptyForm, type Form } from './form-encoding.js';
import { invalidRequest, StripeError } from './stripe-error.js';

const METADATA_KEYS_MAX = 50;
const METADATA_KEY_CHARACTERS_MAX = 40;
const METADATA_VALUE_CHARACTERS_MAX = 500;

/** Reads the parameters of a request, and refuses what Stripe refuses, in Stripe's words. */
export class Parameters {
  constructor(
    readonly form: Form,
    private readonly prefix = '',
  ) {}

  /** `a[b]` for the member b of the parameter a: the name that errors carry in `param`. */
  private path(name: string): string {
    return this.prefix ? `${this.prefix}[${name}]` : name;
  }

  has(name: string): boolean {
    return this.form[name] !== undefined;
  }

  /** @throws StripeError 400 `parameter_unknown` unless each parameter is among the names. */
  only(names: readonly string[]): this {
    for (const name of Object.keys(this.form)) {
      if (names.includes(name)) continue;
      const path = this.path(name);
      throw invalidRequest(`Received unknown parameter: ${path}`, path, 'parameter_unknown');
    }
    return this;
  }

  /** A text, or undefined where it is absent or empty. */
  text(name: string, charactersMax = 5_000): string | undefined {
    const value = this.form[name];
    if (value === undefined || value === '') return undefined;
    const path = this.path(name);
    if (typeof value !== 'string') throw invalidRequest(`Invalid string: ${path}`, path);
    if (value.length > charactersMax) {
      throw invalidRequest(
        `Invalid ${path}: ${value.length} characters, and ${charactersMax} are allowed.`,
        path,
      );
    }
    return value;
  }

  /** @throws StripeError 400 `parameter_missing` */
  requiredText(name: string, charactersMax?: number): string {
    return this.text(name, charactersMax) ?? this.missing(name);
  }

  missing(name: string): never {
    const path = this.path(name);
    throw invalidRequest(`Missing required param: ${path}.`, path, 'parameter_missing');
  }

  integer(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const path = this.path(name);
    const value = Number(text);
    if (!/^[+-]?\d{1,16}$/.test(text) || !Number.isSafeInteger(value)) {
      throw invalidRequest(`Invalid integer: ${text.slice(0, 50)}`, path, 'parameter_invalid_integer');
    }
    if (value < min) {
      const message = `This value must be greater than or equal to ${min}.`;
      throw invalidRequest(message, path, 'parameter_invalid_integer');
    }
    if (value > max) {
      throw invalidRequest(
        `This value must be less than or equal to ${max}.`,
        path,
        'parameter_invalid_integer',
      );
    }
    return value;
  }

  boolean(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    throw invalidRequest(`Invalid boolean: ${text.slice(0, 50)}`, this.path(name));
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined || values.includes(text as T)) return text as T | undefined;
    const path = this.path(name);
    throw invalidRequest(`Invalid ${path}: must be one of ${values.join(', ')}`, path);
  }

  /** The map beneath a name; an empty one where it is absent. */
  map(name: string): Parameters {
    const value = this.form[name];
    if (value === undefined || value === '') return new Parameters(emptyForm(), this.path(name));
    if (typeof value === 'string') throw invalidRequest('Invalid object', this.path(name));
    return new Parameters(value, this.path(name));
  }

  /** The elements of a list of texts, by index. */
  texts(name: string): string[] {
    const { form } = this.map(name);
    return indexed(form).map(key => {
      const value = form[key];
      if (typeof value !== 'string') throw invalidRequest('Invalid array', this.path(name));
      return value;
    });
  }

  /** The elements of a list of maps, by index. */
  maps(name: string): Parameters[] {
    const list = this.map(name);
    return indexed(list.form).map(key => list.map(key));
  }

  /** `metadata` over what is there: an empty value unsets its key, an empty `metadata` unsets all. */
  metadata(existing: Record<string, string> = {}, name = 'metadata'): Record<string, string> {
    if (this.form[name] === '') return {};
    const { form } = this.map(name);
    const merged: Record<string, string> = { ...existing };
    for (const [key, value] of Object.entries(form)) {
      const path = `${this.path(name)}[${key}]`;
      if (typeof value !== 'string') throw invalidRequest('Metadata values must be strings', path);
      if (key.length > METADATA_KEY_CHARACTERS_MAX || value.length > METADATA_VALUE_CHARACTERS_MAX) {
        const bounds = `${METADATA_KEY_CHARACTERS_MAX} characters in a key and ${METADATA_VALUE_CHARACTERS_MAX} in a value`;
        throw invalidRequest(`Metadata may have ${bounds}`, path);
      }
      if (value === '') delete merged[key];
      else
        Object.defineProperty(merged, key, { value, enumerable: true, writable: true, configurable: true });
    }
    if (Object.keys(merged).length > METADATA_KEYS_MAX) {
      throw invalidRequest(`Metadata can have up to ${METADATA_KEYS_MAX} keys.`, this.path(name));
    }
    return merged;
  }
}

function indexed(form: Form): string[] {
  const keys = Object.keys(form);
  if (keys.some(key => !/^\d{1,9}$/.test(key))) throw invalidRequest('Invalid array');
  return keys.sort((a, b) => Number(a) - Number(b));
}

/** Least charge by currency, of those that the sandbox knows; 50 for the rest. */
const AMOUNT_MIN: Record<string, number> = { gbp: 30, chf: 50, jpy: 50, hkd: 400, mxn: 1_000, sek: 300 };
const AMOUNT_MAX = 99_999_999;

/**
 * An amount that can be charged.
 *
 * @throws StripeError 400 `amount_too_small`, `amount_too_large`, `parameter_invalid_integer`
 */
export function chargeableAmount(parameters: Parameters, name: string, currency: string): number | undefined {
  const amount = parameters.integer(name, { min: 1 });
  if (amount === undefined) return undefined;
  requireChargeable(amount, currency, name);
  return amount;
}

/** @throws StripeError 400 `amount_too_small` or `amount_too_large` */
export function requireChargeable(amount: number, currency: string, param?: string): void {
  const min = AMOUNT_MIN[currency] ?? 50;
  const refuse = (code: string, message: string) =>
    new StripeError(400, { type: 'invalid_request_error', code, message, param });
  if (amount < min) {
    throw refuse('amount_too_small', `Amount must be at least $${(min / 100).toFixed(2)} ${currency}`);
  }
  if (amount > AMOUNT_MAX) {
    throw refuse('amount_too_large', `Amount must be no more than $999,999.99 ${currency}`);
  }
}

/** Three letters in lower case. */
export function currencyOf(parameters: Parameters, name = 'currency'): string | undefined {
  const text = parameters.text(name)?.toLowerCase();
  if (text === undefined || /^[a-z]{3}$/.test(text)) return text;
  throw invalidRequest(`Invalid currency: ${text.slice(0, 20)}`, name);
}
