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

const KEY_HEADER = 'Idempotency-Key';

/** A try, and whether it is known to have done nothing. */
interface Try {
  isTurnedAway: boolean;
}

/** The tries of one call, which its idempotency key tells from others. */
interface CountedCall {
  readonly idempotencyKey: string;
  readonly tries: Try[];
}

/**
 * Notes how often stripe-node sends a call, and what each try was answered. It sends one again after a closed connection, also
 * where it is told not to, and after an object was locked, and does not say so.
 */
export class ChargeTries {
  readonly httpClient: HttpClient = Stripe.createNodeHttpClient();
  private readonly calls = new Set<CountedCall>();

  constructor() {
    const send = this.httpClient.makeRequest.bind(this.httpClient);
    this.httpClient.makeRequest = async (...request) => {
      const attempt: Try = { isTurnedAway: false };
      const headers = request[4] as Record<string, unknown>;
      for (const { idempotencyKey, tries } of this.calls)
        if (idempotencyKey === headers[KEY_HEADER]) tries.push(attempt);
      const response = await send(...request);
      attempt.isTurnedAway = response.getStatusCode() === TURNED_AWAY;
      return response;
    };
  }

  /**
   * @param idempotencyKey that the call sends
   * @throws ChargeFailed whatever the call throws
   */
  async counted<T>(idempotencyKey: string, call: () => Promise<T>): Promise<T> {
    const tries: Try[] = [];
    const counted = { idempotencyKey, tries };
    this.calls.add(counted);
    try {
      return await call();
    } catch (cause) {
      throw new ChargeFailed(
        tries.slice(0, -1).some(({ isTurnedAway }) => !isTurnedAway),
        cause,
      );
    } finally {
      this.calls.delete(counted);
    }
  }
}
