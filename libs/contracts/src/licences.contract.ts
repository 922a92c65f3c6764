import { z } from 'zod';
import { AccountId } from './account.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';

/** Response of `GET /sam/verify-key/:licenseKey`. */
export const LicenceVerdict = z
  .object({
    valid: z.boolean(),
    code: z.enum(['VALID', 'EXPIRED', 'REVOKED', 'SUSPENDED', 'MALFORMED', 'BAD_SIGNATURE', 'UNKNOWN']),
    tier: z.string().nullable(),
    features: z.array(z.string()),
    expiresAt: z.iso.datetime().nullable(),
    licenseId: z.string().nullable(),
    keyId: z.string().nullable(),
    checkedAt: z.iso.datetime(),
  })
  .meta({ id: 'LicenceVerdict' });

/** Response of the key discovery routes. */
export const PublicKeys = z
  .object({
    keys: z.array(
      z.object({
        kid: z.string(),
        alg: z.enum(['Ed25519', 'ML-DSA-65']),
        publicKey: z.string().meta({ description: 'base64url' }),
        use: z.string(),
        notBefore: z.iso.datetime().meta({ description: 'When the key begins to sign' }),
        notAfter: z.iso.datetime().nullable().meta({
          description: 'When it signs for the last time; what it has signed holds to its own expiry',
        }),
        revokedAt: z.iso.datetime().nullable().meta({
          description: 'When it was given up as compromised: nothing that it has signed is believed',
        }),
      }),
    ),
  })
  .meta({ id: 'PublicKeys' });

/** Response of `GET /v1/account/licences`. */
export const AccountLicences = z
  .object({
    items: z.array(
      z.object({
        licenseId: z.string(),
        state: z.enum(['active', 'suspended', 'revoked']),
        tier: z.string(),
        features: z.array(z.string()),
        seats: z.int(),
        issuedAt: z.iso
          .datetime()
          .meta({ description: 'When licenseKey was signed: anew with each renewal' }),
        expiresAt: z.iso.datetime().meta({ description: 'End of what was paid, with the days of grace' }),
        licenseKey: z.string().optional().meta({
          description:
            'The signed text (sam1.…), the same until the licence is renewed; of an active licence that is not over',
        }),
      }),
    ),
  })
  .meta({ id: 'AccountLicences' });
export type AccountLicences = z.infer<typeof AccountLicences>;

/** Licence keys have at most 2,048 characters, tokens of licences between machines at most 4,096. */
const LicenceKeyText = z
  .string()
  .min(1)
  .max(4_096)
  .meta({ description: 'A licence key (`sam1.`), or the token of a licence between machines (`m2m1.`)' });

export const licencesContract = {
  /** SERVICE_UNAVAILABLE where the book of licences has to be asked and cannot be. */
  check: procedure('payments', 'check-licence', {
    request: z.object({ licenseKey: LicenceKeyText }),
    reply: LicenceVerdict,
    timeoutMs: 5_000,
  }),
  /** SERVICE_UNAVAILABLE where one has to be signed anew, and no key may sign. */
  ofAccount: procedure('payments', 'account-licences', {
    request: z.object({ accountId: AccountId }),
    reply: AccountLicences,
    timeoutMs: 5_000,
  }),
  keys: procedure('payments', 'licence-keys', {
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 2_000,
  }),
} as const;

export const licencesRoutes = defineRoutes({
  verifyKey: {
    operationId: 'sam.verify-key',
    method: 'GET',
    path: '/sam/verify-key/:licenseKey',
    summary: 'Check a licence key, or the token of a licence between machines',
    description:
      'Of a token (`m2m1.`), `licenseId` is its `jti`, `features` its capability, `expiresAt` null where it does not expire, and REVOKED one whose sale was taken back.',
    tag: 'Licences',
    access: 'free',
    params: z.object({ licenseKey: LicenceKeyText }),
    replies: { 200: { description: 'The verdict', schema: LicenceVerdict } },
  },
  ofAccount: {
    operationId: 'account.licences',
    method: 'GET',
    path: '/v1/account/licences',
    summary: 'Licences of the account, with their licence keys',
    description: 'The newest 100. A licence that was renewed has a new key, which is here from then on.',
    tag: 'Licences',
    access: 'key',
    replies: { 200: { description: 'The licences', schema: AccountLicences } },
    problems: ['FORBIDDEN'],
  },
  licenceKeys: {
    operationId: 'well-known.license-keys',
    method: 'GET',
    path: '/.well-known/svc-license-keys.json',
    summary: 'Public keys that licence keys and tokens of licences between machines verify against',
    tag: 'Licences',
    access: 'free',
    replies: { 200: { description: 'The keys', schema: PublicKeys } },
  },
  walKeys: {
    operationId: 'well-known.wal-keys',
    method: 'GET',
    path: '/.well-known/svc-wal-keys.json',
    summary: 'Public keys that checkpoints of the write-ahead logs verify against',
    tag: 'Licences',
    access: 'free',
    replies: { 200: { description: 'The keys', schema: PublicKeys } },
  },
  proofKeys: {
    operationId: 'well-known.proof-keys',
    method: 'GET',
    path: '/.well-known/svc-proof-keys.json',
    summary: 'Public keys that audit proofs, pairing tokens and licence tokens verify against',
    tag: 'Licences',
    access: 'free',
    replies: { 200: { description: 'The keys', schema: PublicKeys } },
  },
});
