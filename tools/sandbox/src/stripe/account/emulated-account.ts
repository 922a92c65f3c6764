import { randomBytes } from 'node:crypto';
import { noSuch } from '../api/stripe-error.js';
import { type ObjectStore, type StripeObject } from './object-store.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The version of the API that events are written in, and that a request without `Stripe-Version` gets. */
export const API_VERSION = '2026-10-28.endive';

/** `prefix` and random characters of Stripe's alphabet. */
export function randomId(prefix: string, characters = 24): string {
  const bytes = randomBytes(characters);
  return prefix + Array.from(bytes, byte => ALPHABET[byte % ALPHABET.length]).join('');
}

/** What happened to an object; `data.object` is a copy of it as it was then. */
export interface StripeEvent extends StripeObject {
  object: 'event';
  api_version: string;
  created: number;
  data: { object: unknown; previous_attributes?: unknown };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
}

/** Who is being answered: what events of a request name as their cause. */
export interface Cause {
  requestId: string;
  idempotencyKey?: string;
}

/** Seconds that `advance` has added to the clock; kept, so that time does not go back over a restart. */
interface ClockOffset extends StripeObject {
  seconds: number;
}

/** The one account of the emulator: its objects, its clock and its events. */
export class EmulatedAccount {
  /** The address that hosted pages have, set once the server listens. */
  url = '';
  cause: Cause | undefined;
  private readonly listeners: ((event: StripeEvent) => void)[] = [];

  constructor(
    readonly store: ObjectStore,
    private readonly clock: () => number,
  ) {}

  /** The merchant's public id, made once. */
  merchant(): Required<StripeObject> {
    const kind = 'emulator.merchant';
    const kept = this.store.all<Required<StripeObject>>(kind)[0];
    return kept ?? this.store.save({ id: randomId('acct_', 16), object: kind, created: this.now() });
  }

  /** Unix seconds. */
  now(): number {
    const offset = this.store.find<ClockOffset>('emulator.clock', 'offset')?.seconds ?? 0;
    return Math.floor(this.clock() / 1_000) + offset;
  }

  /** Moves the clock forwards. */
  advance(seconds: number): void {
    const offset = this.store.find<ClockOffset>('emulator.clock', 'offset')?.seconds ?? 0;
    this.store.save<ClockOffset>({ id: 'offset', object: 'emulator.clock', seconds: offset + seconds });
  }

  /** @throws StripeError 404 */
  require<T extends StripeObject>(kind: string, id: string, param?: string): T {
    const found = this.store.find<T>(kind, id);
    if (!found) throw noSuch(kind.split('.').pop()!, id, param);
    return found;
  }

  onEvent(listener: (event: StripeEvent) => void): void {
    this.listeners.push(listener);
  }

  /** Records an event with a copy of the object, and hands it to the webhooks. */
  emit(type: string, object: unknown, previousAttributes?: unknown): void {
    const event: StripeEvent = {
      id: randomId('evt_'),
      object: 'event',
      api_version: API_VERSION,
      created: this.now(),
      data: {
        object: structuredClone(object),
        ...(previousAttributes === undefined ? {} : { previous_attributes: previousAttributes }),
      },
      livemode: false,
      pending_webhooks: 0,
      request: { id: this.cause?.requestId ?? null, idempotency_key: this.cause?.idempotencyKey ?? null },
      type,
    };
    this.store.save(event);
    for (const listener of this.listeners) listener(event);
  }
}
