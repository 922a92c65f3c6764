import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';

/** What a try that was turned away is answered: it did nothing. */
const TURNED_AWAY = 429;

/** A charge that failed: what its last try was answered says nothing of those before. */
export class ChargeFailed extends Error {
  /** @param mayHaveTaken whether a try before the last may have taken the money, since its answer was lost */
  constructor(
    readonly mayHaveTaken: boolean,
    cause: unknown,
  ) {
    super('A charge has failed', { cause });
    this.name = 'ChargeFailed';
  }
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** A try, and whether it is known to have done nothing. */
interface Try {
  isTurnedAway: boolean;
}

/**
 * Notes how often stripe-node sends a call, and what each try was answered. It sends one again after a closed connection, also
 * where it is told not to, and after an object was locked, and does not say so.
 */
export class ChargeTries {
  readonly httpClient: HttpClient = Stripe.createNodeHttpClient();
  private readonly counting = new AsyncLocalStorage<Try[]>();

  constructor() {
    const send = this.httpClient.makeRequest.bind(this.httpClient);
    this.httpClient.makeRequest = async (...request) => {
      const attempt: Try = { isTurnedAway: false };
      this.counting.getStore()?.push(attempt);
      const response = await send(...request);
      attempt.isTurnedAway = response.getStatusCode() === TURNED_AWAY;
      return response;
    };
  }

  /** @throws ChargeFailed whatever the call throws */
  async counted<T>(call: () => Promise<T>): Promise<T> {
    const tries: Try[] = [];
    try {
      return await this.counting.run(tries, call);
    } catch (cause) {
      throw new ChargeFailed(
        tries.slice(0, -1).some(({ isTurnedAway }) => !isTurnedAway),
        cause,
      );
    }
  }
}
