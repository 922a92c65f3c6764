import { createHash } from 'node:crypto';
import { type EmulatedAccount } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { canonicalForm, type Form } from './form-encoding.js';
import { StripeError } from './stripe-error.js';

const KIND = 'emulator.idempotency';
const KEPT_SECONDS = 86_400;
const KEY_CHARACTERS_MAX = 255;

/** An answer that was given, for as long as its key is kept. */
export interface KeptAnswer extends StripeObject {
  object: typeof KIND;
  created: number;
  path: string;
  digest: string;
  requestId: string;
  status: number;
  body: string;
}

/** A POST as its key sees it. */
export interface KeyedRequest {
  key: string;
  path: string;
  form: Form;
  version: string;
}

/**
 * The rules of `Idempotency-Key`: one key, one effect. At most one request of a key is at work; its
 * answer is given again to every later one with the same path and parameters, for 24 hours.
 */
export class Idempotency {
  private readonly atWork = new Set<string>();

  constructor(private readonly account: EmulatedAccount) {}

  /**
   * Takes the key, or finds the answer that it already has.
   *
   * @throws StripeError 400 `idempotency_error` for other parameters, 409 while the first is at work
   */
  begin({ key, path, form }: KeyedRequest): KeptAnswer | undefined {
    if (key.length > KEY_CHARACTERS_MAX) {
      const message = `Idempotency keys may have ${KEY_CHARACTERS_MAX} characters at most.`;
      throw new StripeError(400, { type: 'idempotency_error', message });
    }
    if (this.atWork.has(key)) {
      throw new StripeError(409, {
        type: 'idempotency_error',
        code: 'idempotency_key_in_use',
        message: `There is currently another in-progress request using this Idempotency Key (${key}).`,
      });
    }
    const kept = this.find(key);
    if (!kept) {
      this.atWork.add(key);
      return undefined;
    }
    if (kept.path !== path) {
      throw mismatch(`for the same endpoint they were first used for ('${kept.path}')`, key);
    }
    if (kept.digest !== digestOf(form)) {
      throw mismatch('with the same parameters they were first used with', key);
    }
    return kept;
  }

  /** Gives the key back; the answer, if it is one to be given again, goes to the journal with its effects. */
  end(request: KeyedRequest, answer?: { requestId: string; status: number; body: string }): void {
    const { key, path, form } = request;
    this.atWork.delete(key);
    if (!answer) return;
    const created = this.account.now();
    const kept: KeptAnswer = { id: key, object: KIND, created, path, digest: digestOf(form), ...answer };
    this.account.store.save(kept);
  }

  private find(key: string): KeptAnswer | undefined {
    const kept = this.account.store.find<KeptAnswer>(KIND, key);
    if (!kept || kept.created + KEPT_SECONDS > this.account.now()) return kept;
    this.account.store.remove(kept);
    return undefined;
  }
}

function mismatch(how: string, key: string): StripeError {
  const advice = `Try using a key other than '${key}' if you meant to execute a different request.`;
  const message = `Keys for idempotent requests can only be used ${how}. ${advice}`;
  return new StripeError(400, { type: 'idempotency_error', message });
}

function digestOf(form: Form): string {
  return createHash('sha256').update(canonicalForm(form)).digest('hex');
}
