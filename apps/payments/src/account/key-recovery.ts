import { Inject, Injectable } from '@nestjs/common';
import {
  type accountRecoveryContract,
  type ParsedRequestOf,
  RECOVERY_PAUSE_SECONDS,
  RECOVERY_SECONDS,
  type RecoveredKey,
  type RecoveryChallenge,
} from '@svc/contracts';
import { freshBytes, inTransaction, problem, type ProblemError } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { readerOf } from '../rail/payment-method.js';
import { type Rail, type RailFamily, RAILS } from '../rail/rail.js';
import { ApiKeys } from './api-keys.js';
import { type PayerAccount, PayerAccounts } from './payer-accounts.js';
import { messageOf, openOffer, type RecoveryOffer, sealOffer } from './recovery-challenge.js';

const NONCE_BYTES = 16;
/** Keys of an account that its payer makes anew in a day. They are counted apart: who has a stolen key cannot use up the room. */
const RECOVERIES_A_DAY_MAX = 20;
/** How long it is on record that a key was made anew, days. */
const RECORDED_DAYS = 365;
const PURGED_AT_ONCE = 1_000;
/** Accounts that a refusal names. */
const NAMED_MAX = 20;

type ChallengeRequest = ParsedRequestOf<typeof accountRecoveryContract.challenge>;
type RecoverRequest = ParsedRequestOf<typeof accountRecoveryContract.recover>;

/** Who paid, as it was proved. */
interface Proof {
  readonly family: Extract<RailFamily, 'lightning' | 'x402'>;
  readonly accounts: readonly PayerAccount[];
}

/**
 * New keys of accounts that came of payments, for who paid: the wallet signs a message that is good once and here alone, or the Lightning
 * credential that was paid with is shown whole. What is public of a payment, as an authorisation on a chain, proves nothing.
 */
@Injectable()
export class KeyRecovery {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: PayerAccounts,
    private readonly apiKeys: ApiKeys,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'keyRecovery'>,
    @Inject(RAILS) private readonly rails: readonly Rail[],
  ) {}

  /** @throws ProblemError UNPROCESSABLE for an address whose check sum is wrong, and where wallets pay for nothing */
  async challenge({ address, accountId, baseUrl }: ChallengeRequest): Promise<RecoveryChallenge> {
    const expiresAtMs = Date.now() + RECOVERY_SECONDS * 1_000;
    const offer: RecoveryOffer = {
      ...{ nonce: Buffer.from(freshBytes(NONCE_BYTES)).toString('hex'), expiresAtMs },
      origin: new URL(baseUrl).origin,
      ...(address === undefined ? {} : { address: await checkedAddress(address) }),
      ...(accountId === undefined ? {} : { accountId }),
    };
    return {
      challenge: sealOffer(this.keys.keyRecovery, offer),
      ...(address === undefined ? {} : { message: await this.messageFor(offer) }),
      expiresAt: new Date(expiresAtMs).toISOString(),
    };
  }

  /**
   * Ends the keys of the payer's account, and makes a new one.
   * @throws ProblemError VALIDATION_FAILED for a challenge that is none of ours; EXPIRED; IDENTITY_UNPROVED; NOT_FOUND; CONFLICT for one
   * that was used, and where it is open which of several accounts is meant; RATE_LIMITED
   */
  async recover({ challenge, signature, credential }: RecoverRequest): Promise<RecoveredKey> {
    const offer = this.opened(challenge);
    const proof =
      offer.address === undefined
        ? await this.provedByPayment(offer, credential)
        : await this.provedBySignature(offer, offer.address, signature);
    const account = theOne(proof.accounts);
    return inTransaction(this.dataSource, manager => this.renew(manager, account, offer.nonce, proof.family));
  }

  /** Forgets new keys of long ago. Returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM key_recovery WHERE nonce IN (
         SELECT nonce FROM key_recovery WHERE made_at < now() - make_interval(days => $1) LIMIT $2)`,
      [RECORDED_DAYS, PURGED_AT_ONCE],
    );
    return count;
  }

  private opened(challenge: string): RecoveryOffer {
    const offer = openOffer(this.keys.keyRecovery, challenge);
    if (!offer) {
      const message = 'is no challenge of POST /v1/account/recovery/challenge';
      const errors = [{ path: 'challenge', message, got: challenge.slice(0, 80) }];
      throw problem('VALIDATION_FAILED', `challenge: ${message}`, { errors });
    }
    if (offer.expiresAtMs > Date.now()) return offer;
    throw problem('EXPIRED', `The challenge was good for ${RECOVERY_SECONDS} seconds: ask for another`);
  }

  private async provedBySignature(
    offer: RecoveryOffer,
    address: string,
    signature: string | undefined,
  ): Promise<Proof> {
    if (signature === undefined)
      throw missing('signature', 'Sign the message of the challenge with the wallet');
    const message = await this.messageFor(offer);
    const { recoverMessageAddress } = await import('viem');
    const signer = await recoverMessageAddress({ message, signature: signature as `0x${string}` }).catch(
      () => undefined,
    );
    if (signer?.toLowerCase() !== address)
      throw unproved('The signature is not one of this message by the key of this wallet');
    return { family: 'x402', accounts: await this.accounts.ofWallet(address, offer.accountId) };
  }

  private async provedByPayment(
    offer: RecoveryOffer,
    credential: RecoverRequest['credential'],
  ): Promise<Proof> {
    if (!credential) {
      const detail =
        'Show the L402 or Lightning credential that was paid with, or ask for a challenge of a wallet';
      throw missing('Authorization', detail);
    }
    const rail = readerOf(this.rails, credential);
    if (rail.family !== 'lightning' || !rail.proofOfPayer)
      throw unproved(
        'This credential does not prove who paid: a wallet signs the message of its own challenge',
      );
    const paymentHash = rail.proofOfPayer(credential);
    return { family: 'lightning', accounts: await this.accounts.ofLightning(paymentHash, offer.accountId) };
  }

  /** One at a time of each account and each challenge, which two payments may be shown with. */
  private async renew(
    manager: EntityManager,
    { accountId }: PayerAccount,
    nonce: string,
    family: Proof['family'],
  ): Promise<RecoveredKey> {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`key_recovery ${nonce}`]);
    const balanceMicroUsd = await this.accounts.lock(manager, accountId);
    await this.requireUnused(manager, nonce);
    await this.requirePause(manager, accountId);
    const ended = (await this.apiKeys.live(manager, accountId)).map(({ keyId }) => keyId);
    for (const keyId of ended) await this.apiKeys.revoke(manager, accountId, keyId);
    const issued = await this.apiKeys.issue(manager, accountId);
    await manager.query(
      `INSERT INTO key_recovery (nonce, account_id, key_id, rail_family, ended_keys) VALUES (decode($1, 'hex'), $2, $3, $4, $5)`,
      [nonce, accountId, issued.keyId, family, ended],
    );
    return { accountId, ...issued, balanceMicroUsd, revoked: ended };
  }

  /** The challenge is locked: who has used it before has ended. */
  private async requireUnused(manager: EntityManager, nonce: string): Promise<void> {
    const rows: unknown[] = await manager.query(
      `SELECT 1 FROM key_recovery WHERE nonce = decode($1, 'hex')`,
      [nonce],
    );
    if (rows.length > 0) throw problem('CONFLICT', 'The challenge was used: ask for another');
  }

  private async requirePause(manager: EntityManager, accountId: string): Promise<void> {
    const [{ made, pause, day }]: { made: number; pause: number; day: number }[] = await manager.query(
      `SELECT count(*)::int AS made, ceil(extract(epoch FROM max(made_at) + make_interval(secs => $2) - now()))::int AS pause,
              ceil(extract(epoch FROM min(made_at) + interval '1 day' - now()))::int AS day
         FROM key_recovery WHERE account_id = $1 AND made_at > now() - interval '1 day'`,
      [accountId, RECOVERY_PAUSE_SECONDS],
    );
    const refused = (within: string, max: number, retryAfterSeconds: number) =>
      problem('RATE_LIMITED', `The account has ${max} key made anew within ${within} at most`, {
        ...{ retryAfterSeconds, extensions: { max, got: made } },
      });
    if (made >= RECOVERIES_A_DAY_MAX) throw refused('a day', RECOVERIES_A_DAY_MAX, Math.max(1, day));
    if (pause > 0) throw refused(`${RECOVERY_PAUSE_SECONDS} seconds`, 1, pause);
  }

  private async messageFor(offer: RecoveryOffer): Promise<string> {
    const network = this.rails.find(({ walletNetwork }) => walletNetwork !== undefined)?.walletNetwork;
    if (network === undefined) {
      const errors = [{ path: 'address', message: 'no payment by wallet is taken here', got: offer.address }];
      throw problem('UNPROCESSABLE', 'address: no payment by wallet is taken here', { errors });
    }
    const { getAddress } = await import('viem');
    const wallet = { address: getAddress(offer.address!), chainId: Number(network.split(':')[1]) };
    return messageOf(offer, wallet, offer.expiresAtMs - RECOVERY_SECONDS * 1_000);
  }
}

/** In lower case. @throws ProblemError UNPROCESSABLE where its letters are not those of its check sum (EIP-55) */
export async function checkedAddress(address: string): Promise<string> {
  const { isAddress } = await import('viem');
  const lower = address.toLowerCase();
  if (address === lower || isAddress(address)) return lower;
  const errors = [
    { path: 'address', message: 'has another check sum (EIP-55): look for a slip', got: address },
  ];
  throw problem('UNPROCESSABLE', 'address: has another check sum (EIP-55)', { errors });
}

function theOne(accounts: readonly PayerAccount[]): PayerAccount {
  if (accounts.length === 0) throw problem('NOT_FOUND', 'The payer has no such account here');
  if (accounts.length === 1) return accounts[0];
  const named = accounts.slice(0, NAMED_MAX).map(({ accountId }) => accountId);
  const detail = `The payer has ${accounts.length} accounts: ask for a challenge that names one as accountId`;
  throw problem('CONFLICT', detail, { errors: [{ path: 'accountId', message: 'name one', bound: named }] });
}

const unproved = (detail: string): ProblemError => problem('IDENTITY_UNPROVED', detail);
const missing = (path: string, detail: string): ProblemError =>
  problem('VALIDATION_FAILED', detail, { errors: [{ path, message: 'is missing' }] });
