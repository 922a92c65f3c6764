import { type EmulatedAccount, randomId, type StripeEvent } from '../account/emulated-account.js';
import { type StripeObject } from '../account/object-store.js';
import { isLoopback } from '../api/loopback.js';
import { webhookSignature } from './webhook-signature.js';

const IN_FLIGHT_MAX = 8;
const ATTEMPT_MS_MAX = 10_000;
const LOG_ENTRIES_MAX = 1_000;
/** How long an event waits whose receiver has no address yet. */
const NO_ADDRESS_MS = 250;
/** Waits between attempts; the last one over, an event is given up. */
export const RETRY_DELAYS_MS: readonly number[] = [500, 2_000, 10_000, 60_000, 600_000, 3_600_000];

const KIND = 'emulator.delivery';

/** An event that somebody still has to get; kept with the objects, so that a restart loses none. */
interface PendingDelivery extends StripeObject {
  object: typeof KIND;
  event: string;
  attempt: number;
  dueAtMs: number;
}

/** One attempt, as the delivery log shows it. */
export interface DeliveryAttempt {
  event: string;
  type: string;
  attempt: number;
  at: string;
  durationMs: number;
  /** Of the receiver's answer; absent where there was none. */
  status?: number;
  error?: string;
}

/** How events travel, beside the order and number in which a receiver would like them. */
export interface WebhookConduct {
  /** Nothing goes out until it is false again. */
  paused?: boolean;
  /** How many times more each event is sent. */
  duplicates?: number;
  /** Which of the waiting events goes first; reversed, they go one by one, so that they arrive so. */
  order?: 'created' | 'reversed';
}

export interface WebhookOptions {
  account: EmulatedAccount;
  url: string | (() => string | undefined) | undefined;
  secret: string;
  retryDelaysMs: readonly number[];
  clock: () => number;
  log: (line: string) => void;
}

/** Sends every event, signed, until its receiver says 2xx; at least once, in no promised order. */
export class WebhookDelivery {
  private conduct: Required<WebhookConduct> = { paused: false, duplicates: 0, order: 'created' };
  private readonly attempts: DeliveryAttempt[] = [];
  private readonly inFlight = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: WebhookOptions) {
    if (options.url !== undefined) options.account.onEvent(event => this.enqueue(event));
  }

  configure({ paused, duplicates, order }: WebhookConduct): void {
    if (duplicates !== undefined && !(Number.isInteger(duplicates) && duplicates >= 0 && duplicates <= 10)) {
      throw new Error('duplicates is an integer from 0 to 10');
    }
    if (order !== undefined && order !== 'created' && order !== 'reversed') {
      throw new Error('order is created or reversed');
    }
    if (paused !== undefined && typeof paused !== 'boolean') throw new Error('paused is true or false');
    this.conduct = {
      paused: paused ?? this.conduct.paused,
      duplicates: duplicates ?? this.conduct.duplicates,
      order: order ?? this.conduct.order,
    };
    this.work();
  }

  /** Sends an event once more. */
  redeliver(eventId: string): void {
    this.add(this.options.account.require<StripeEvent>('event', eventId));
    this.options.account.store.commit();
    this.work();
  }

  /** The attempts so far, newest first. */
  log(): DeliveryAttempt[] {
    return [...this.attempts].reverse();
  }

  /** Starts what is due, and sets the timer for what is not. */
  work(): void {
    clearTimeout(this.timer);
    if (this.closed || this.conduct.paused) return;
    const waiting = this.waiting();
    const inFlightMax = this.conduct.order === 'reversed' ? 1 : IN_FLIGHT_MAX;
    const now = this.options.clock();
    for (const delivery of waiting.filter(({ dueAtMs }) => dueAtMs <= now)) {
      if (this.inFlight.size >= inFlightMax) return;
      this.inFlight.set(delivery.id, this.deliver(delivery));
    }
    const next = Math.min(...waiting.map(({ dueAtMs }) => dueAtMs).filter(dueAtMs => dueAtMs > now));
    if (!Number.isFinite(next)) return;
    this.timer = setTimeout(() => this.work(), Math.min(next - now, 60_000));
    this.timer.unref();
  }

  /** Until nothing is under way and nothing is due. */
  async idle(): Promise<void> {
    for (;;) {
      this.work();
      if (this.inFlight.size === 0) return;
      await Promise.all(this.inFlight.values());
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await Promise.all(this.inFlight.values());
  }

  private waiting(): PendingDelivery[] {
    const newestFirst = this.options.account.store.all<PendingDelivery>(KIND);
    const waiting = newestFirst.filter(({ id }) => !this.inFlight.has(id));
    return this.conduct.order === 'reversed' ? waiting : waiting.reverse();
  }

  private enqueue(event: StripeEvent): void {
    event.pending_webhooks = 1;
    for (let copy = 0; copy <= this.conduct.duplicates; copy++) this.add(event);
  }

  private add(event: StripeEvent): void {
    const dueAtMs = this.options.clock();
    const id = randomId('whd_');
    this.options.account.store.save<PendingDelivery>({
      id,
      object: KIND,
      event: event.id,
      attempt: 1,
      dueAtMs,
    });
  }

  private async deliver(delivery: PendingDelivery): Promise<void> {
    const { account, clock, retryDelaysMs, log } = this.options;
    // Out of the stack of whoever commits: the map must hold this promise before it ends.
    await Promise.resolve();
    const event = account.store.find<StripeEvent>('event', delivery.event);
    const url = typeof this.options.url === 'function' ? this.options.url() : this.options.url;
    if (!event) account.store.remove(delivery);
    else if (!url) delivery.dueAtMs = clock() + NO_ADDRESS_MS;
    else {
      const attempt = await this.send(event, url, delivery.attempt);
      this.attempts.push(attempt);
      if (this.attempts.length > LOG_ENTRIES_MAX) this.attempts.shift();
      const delayMs = retryDelaysMs[delivery.attempt - 1];
      const taken = attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300;
      if (!taken) log(`webhook ${event.type}: ${attempt.status ?? attempt.error}`);
      if (taken || delayMs === undefined) {
        account.store.remove(delivery);
        if (taken) event.pending_webhooks = 0;
        account.store.save(event);
      } else {
        delivery.attempt += 1;
        delivery.dueAtMs = clock() + delayMs;
        account.store.save(delivery);
      }
    }
    account.store.commit();
    this.inFlight.delete(delivery.id);
    this.work();
  }

  private async send(event: StripeEvent, url: string, attempt: number): Promise<DeliveryAttempt> {
    const startedMs = this.options.clock();
    const about = { event: event.id, type: event.type, attempt, at: new Date(startedMs).toISOString() };
    const ended = () => ({ ...about, durationMs: this.options.clock() - startedMs });
    if (!isLoopback(url)) return { ...ended(), error: 'the receiver is not on this machine' };
    const body = JSON.stringify(event, null, 2);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'Stripe-Signature': webhookSignature(body, this.options.secret, Math.floor(startedMs / 1_000)),
          'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
      });
      await response.body?.cancel();
      return { ...ended(), status: response.status };
    } catch (error) {
      return { ...ended(), error: error instanceof Error ? error.message : String(error) };
    }
  }
}
