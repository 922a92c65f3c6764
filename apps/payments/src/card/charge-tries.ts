import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';

/** A charge that failed, and how often it was sent: what the last try was answered says nothing of those before. */
export class ChargeFailed extends Error {
  constructor(
    readonly tries: number,
    cause: unknown,
  ) {
    super('A charge has failed', { cause });
    this.name = 'ChargeFailed';
  }
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * Counts how often stripe-node sends a call. It sends one again after a closed connection, also where it is told not
 * to, and does not say so.
 */
export class ChargeTries {
  readonly httpClient: HttpClient = Stripe.createNodeHttpClient();
  private readonly counting = new AsyncLocalStorage<{ tries: number }>();

  constructor() {
    const send = this.httpClient.makeRequest.bind(this.httpClient);
    this.httpClient.makeRequest = (...request) => {
      const count = this.counting.getStore();
      if (count) count.tries++;
      return send(...request);
    };
  }

  /** @throws ChargeFailed whatever the call throws */
  async counted<T>(call: () => Promise<T>): Promise<T> {
    const count = { tries: 0 };
    try {
      return await this.counting.run(count, call);
    } catch (cause) {
      throw new ChargeFailed(count.tries, cause);
    }
  }
}
