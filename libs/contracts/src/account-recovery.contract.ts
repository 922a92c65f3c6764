import { z } from 'zod';
import { AccountId, KeyId } from './account.contract.js';
import { PaymentCredential } from './payments.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { EvmAddress } from './wire-format.js';

/** How long a challenge can be answered, seconds. */
export const RECOVERY_SECONDS = 300;
/** Between two new keys of one account that were made so, seconds. */
export const RECOVERY_PAUSE_SECONDS = 60;

/** Body of `POST /v1/account/recovery/challenge`. */
export const RecoveryChallengeRequest = z
  .strictObject({
    address: EvmAddress.optional().meta({
      description:
        'The wallet that paid, or that an escrow was claimed for; without one, a Lightning credential proves it',
    }),
    accountId: AccountId.optional().meta({
      description: 'Which account, where the payer has left credit on several',
    }),
  })
  .meta({ id: 'RecoveryChallengeRequest' });

/** What a payer has to show. */
export const RecoveryChallenge = z
  .object({
    challenge: z.string().meta({ description: 'Good once' }),
    message: z.string().optional().meta({
      description:
        'For the wallet to sign as it is, by personal_sign (EIP-191); its form is that of EIP-4361',
    }),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'RecoveryChallenge' });
export type RecoveryChallenge = z.infer<typeof RecoveryChallenge>;

/** Body of `POST /v1/account/recovery`. */
export const RecoverKeyRequest = z
  .strictObject({
    challenge: z.string().min(1).max(1_024),
    signature: z
      .string()
      .regex(/^0x[0-9a-fA-F]{130}$/, { error: '65 bytes as hexadecimal digits after 0x' })
      .optional()
      .meta({ description: 'Of the message, by the key of the wallet' }),
  })
  .meta({ id: 'RecoverKeyRequest' });

/** The new key of an account. */
export const RecoveredKey = z
  .object({
    accountId: AccountId,
    keyId: KeyId,
    key: z.string().meta({ description: 'The whole key: shown here and never again' }),
    balanceMicroUsd: z.int(),
    revoked: z.array(KeyId).meta({ description: 'The keys that it replaces: they have ended' }),
  })
  .meta({ id: 'RecoveredKey' });
export type RecoveredKey = z.infer<typeof RecoveredKey>;

export const accountRecoveryRoutes = defineRoutes({
  challenge: {
    operationId: 'account.recovery-challenge',
    method: 'POST',
    path: '/v1/account/recovery/challenge',
    summary: 'Begin to make the key of an account anew',
    description: `For who paid and lost the key. What is answered is good once, for ${RECOVERY_SECONDS} seconds.`,
    tag: 'Credits',
    access: 'free',
    body: { schema: RecoveryChallengeRequest },
    replies: {
      200: { description: 'What to sign, or to show beside the payment', schema: RecoveryChallenge },
    },
    problems: ['UNPROCESSABLE'],
  },
  recover: {
    operationId: 'account.recover-key',
    method: 'POST',
    path: '/v1/account/recovery',
    summary: 'Make the key of an account anew, as its payer',
    description:
      'With the signature of the wallet that paid, or with the L402 or Lightning credential that did. Every key that the account had ends at once.',
    tag: 'Credits',
    access: 'free',
    body: { schema: RecoverKeyRequest },
    replies: { 201: { description: 'The new key, shown once', schema: RecoveredKey } },
    problems: ['IDENTITY_UNPROVED', 'NOT_FOUND', 'CONFLICT', 'EXPIRED'],
  },
});

/** New keys for payers who lost theirs. */
export const accountRecoveryContract = {
  /** UNPROCESSABLE for an address whose check sum is wrong, and where wallets pay for nothing. */
  challenge: procedure('payments', 'recovery-challenge', {
    request: RecoveryChallengeRequest.extend({ baseUrl: z.url().max(512) }),
    reply: RecoveryChallenge,
    timeoutMs: 5_000,
  }),
  /**
   * IDENTITY_UNPROVED for a proof that is none, NOT_FOUND where its payer has no such account, EXPIRED for a challenge that is over,
   * CONFLICT for one that was used, and where the payer has several accounts; RATE_LIMITED within a minute of the last new key.
   */
  recover: procedure('payments', 'recover-key', {
    request: RecoverKeyRequest.extend({ credential: PaymentCredential.optional() }),
    reply: RecoveredKey,
    timeoutMs: 5_000,
  }),
} as const;
