import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { paymentsContract } from '@svc/contracts';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import {
  type AccountsFixture,
  type AccountsInstance,
  callOf,
  startAccounts,
  tally,
} from './account-fixture.js';

const PRICE = 1_000;

/** A wire to Postgres that loses what the server answers, and then breaks, when it is told to. */
class LossyWire {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private deaf = false;

  constructor(private readonly target: URL) {
    this.server = createServer(near => {
      const far = connect(Number(this.target.port), this.target.hostname);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
      }
      near.on('data', chunk => far.write(chunk));
      far.on('data', chunk => {
        if (this.deaf) near.destroy();
        else near.write(chunk);
      });
    });
  }
  async open(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as { port: number }).port);
    return url.href;
  }
  loseAnswers(lose: boolean): void {
    this.deaf = lose;
  }
  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

let fixture: AccountsFixture;
let wire: LossyWire;
let instance: AccountsInstance;

/** The key is looked up before the wire loses answers, so that it is the batch that is in doubt. */
async function claimInDoubt(call: Parameters<AccountsInstance['keyClaims']['claim']>[0]): Promise<unknown> {
  const lookUp = instance.keys.authenticate.bind(instance.keys);
  const holder = await lookUp(call.accountKey as string);
  instance.keys.authenticate = async () => holder;
  // Connections that are open: it is what is sent over one that is in doubt.
  await Promise.all([1, 2, 3].map(() => instance.database.query('SELECT pg_sleep(0.01)')));
  wire.loseAnswers(true);
  try {
    return await instance.keyClaims.claim(call).catch((error: unknown) => error);
  } finally {
    wire.loseAnswers(false);
    instance.keys.authenticate = lookUp;
    await untilConnected();
  }
}
/** Until the pool has found out which of its connections are broken. */
const untilConnected = () =>
  until(
    () => Promise.allSettled([1, 2, 3, 4, 5].map(() => instance.database.query('SELECT pg_sleep(0.01)'))),
    answers => answers.every(({ status }) => status === 'fulfilled'),
  );
const claimsOf = (accountId: string) =>
  fixture.database.query(
    `SELECT state, attempt, lease_until <= now() AS lapsed FROM payment_claim WHERE payer = $1`,
    [`account:${accountId}`],
  );
async function until<T>(look: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await look();
    if (isThere(value)) return value;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** A connection of the server's that waits to claim behind a lock. */
const waitingClaim = async (): Promise<number> => {
  const waiting: { pid: number }[] = await until(
    () =>
      fixture.database.query(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%buy_by_key%'`,
      ),
    rows => rows.length > 0,
  );
  return waiting[0].pid;
};

export function describeKeyClaimsInDoubt(): void {
  describe('key claims in doubt', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      wire = new LossyWire(new URL(fixture.postgres.urlFor('payments')));
      instance = await fixture.other(await wire.open());
    });
    afterAll(async () => {
      await fixture?.close();
      await wire?.close();
    });

    describe('a batch whose commit was not heard of', () => {
      it('is unknown to its callers, taken once, and taken over by whoever asks again', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5 * PRICE });
        const call = { ...callOf(key, 'in doubt'), idempotencyKey: 'purchase-1' };
        expect(await claimInDoubt(call)).toMatchObject({
          code: 'SETTLEMENT_UNKNOWN',
          payload: { retryAfterSeconds: 2 },
        });
        expect(await fixture.balanceOf(accountId)).toBe(4 * PRICE);
        // Nobody runs it: its lease ends as soon as the database can be told.
        await until(
          () => claimsOf(accountId),
          ([claim]) => claim.lapsed as boolean,
        );
        const again = Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? fixture : instance).keyClaims.claim(call),
        );
        expect(await tally(again)).toEqual({ claimed: 1, PAYMENT_IN_FLIGHT: 9 });
        expect(await claimsOf(accountId)).toEqual([{ state: 'claimed', attempt: 2, lapsed: false }]);
        expect(await fixture.balanceOf(accountId)).toBe(4 * PRICE);
      });

      it('fails its own calls only: the next batch goes on', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5 * PRICE });
        await claimInDoubt(callOf(key));
        expect(await instance.keyClaims.claim(callOf(key))).toMatchObject({ outcome: 'claimed' });
        expect(await fixture.balanceOf(accountId)).toBe(3 * PRICE);
      });

      it('has taken nothing where Postgres ended before it committed', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: PRICE });
        const call = callOf(key, 'ended');
        await fixture.keys.authenticate(key);
        const claim = await fixture.database.transaction(async manager => {
          await manager.query(`SELECT FROM account WHERE account_id = $1 FOR UPDATE`, [accountId]);
          const waiting = instance.keyClaims.claim(call).catch((error: unknown) => error);
          const pid = await waitingClaim();
          await manager.query(`SELECT pg_terminate_backend($1)`, [pid]);
          return waiting;
        });
        expect(claim).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
        expect(await fixture.balanceOf(accountId)).toBe(PRICE);
        await untilConnected();
        expect(await instance.keyClaims.claim(call)).toMatchObject({ outcome: 'claimed' });
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it('that could not be sent is no doubt: the service is away', async () => {
        const { key } = await fixture.customer({ microUsd: PRICE });
        const away = await fixture.other();
        const holder = await away.keys.authenticate(key);
        away.keys.authenticate = async () => holder;
        await away.database.destroy();
        await expect(away.keyClaims.claim(callOf(key))).rejects.toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
        });
        await away.database.initialize();
        expect(await away.keyClaims.claim(callOf(key))).toMatchObject({ outcome: 'claimed' });
      });
    });

    describe('a claim that is there when its caller waits no more', () => {
      afterEach(() => void jest.restoreAllMocks());

      /** Claims while the account is locked for longer than the gateway waits. */
      async function claimTooLate(accountId: string, call: ReturnType<typeof callOf>): Promise<unknown> {
        return fixture.database
          .transaction(async manager => {
            await manager.query(`SELECT FROM account WHERE account_id = $1 FOR UPDATE`, [accountId]);
            const claiming = instance.keyClaims.claim(call).catch((error: unknown) => error);
            await waitingClaim();
            const late = Date.now() + paymentsContract.claim.timeoutMs;
            jest.spyOn(Date, 'now').mockReturnValue(late);
            return { claiming };
          })
          .then(({ claiming }) => claiming);
      }

      it('is let go: the request sent again takes it over, and it is debited once', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: PRICE });
        const call = callOf(key, 'late');
        for (const attempt of [1, 2]) {
          expect(await claimTooLate(accountId, call)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
          jest.restoreAllMocks();
          const [claim] = await until(
            () => claimsOf(accountId),
            ([each]) => each.lapsed as boolean,
          );
          expect(claim).toMatchObject({ state: 'claimed', attempt });
        }
        expect(await fixture.keyClaims.claim(call)).toMatchObject({
          outcome: 'claimed',
          held: { attempt: 3 },
        });
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });
    });
  });
}
