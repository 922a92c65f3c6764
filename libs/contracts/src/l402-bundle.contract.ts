import { z } from 'zod';
import { KEY_LINEAGE_MAX, KEY_OPERATIONS_MAX } from './account.contract.js';
import { PaymentCredential } from './payments.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { IdempotencyHeaders } from './wire-format.js';

/** Satoshis of the smallest and of the largest bundle: `BUNDLE_SATS_MIN` and `BUNDLE_SATS_MAX` of `@svc/protocols`. */
const SATS = { min: 2, max: 2_000_000 } as const;
/** How long a bundle may be good, seconds: a minute to thirty days. */
export const BUNDLE_SECONDS = { min: 60, max: 2_592_000 } as const;
/** Budgets of one bundle, that of its issuer among them: each is a row. */
export const BUNDLE_BUDGETS_MAX = 100;
/** Budgets in one macaroon, that of its issuer first. */
export const BUNDLE_DEPTH_MAX = KEY_LINEAGE_MAX;

const Capabilities = z
  .array(
    z
      .string()
      .max(64)
      .regex(/^(\*|[a-z0-9]+([._-][a-z0-9]+)*(\.\*)?)$/, {
        error: 'an operation id as zk.prove, a family as zk.*, or * for all',
      }),
  )
  .min(1)
  .max(KEY_OPERATIONS_MAX);

/** Body of `POST /v1/l402/bundle`. */
export const BundleRequest = z
  .strictObject({
    sats: z
      .int()
      .min(SATS.min)
      .max(SATS.max)
      .default(1_000)
      .meta({ description: 'What the calls of the bundle may cost together, and what the bundle costs' }),
    capabilities: Capabilities.default(['*']).meta({
      description: 'What it may pay for: ids as `zk.prove`, families as `zk.*`, `*` for all',
    }),
    validSeconds: z
      .int()
      .min(BUNDLE_SECONDS.min)
      .max(BUNDLE_SECONDS.max)
      .default(86_400)
      .meta({ description: 'How long it is good, from the answer with the invoice on' }),
  })
  .meta({ id: 'BundleRequest' });
export type BundleRequest = z.output<typeof BundleRequest>;

/** Answer of `POST /v1/l402/bundle` to the credential of a bundle. */
export const BundleState = z
  .object({
    budgetSats: z.int().meta({ description: 'The narrowest budget of the credential' }),
    spentSats: z.int().meta({ description: 'What was spent of it' }),
    leftSats: z.int().meta({ description: 'What can still be spent: a budget above it may have less' }),
    capabilities: z.array(z.string()).meta({ description: 'What the credential may pay for' }),
    expiresAt: z.iso.datetime().meta({ description: 'When the credential ends' }),
  })
  .meta({ id: 'BundleState' });
export type BundleState = z.infer<typeof BundleState>;

export const l402BundleRoutes = defineRoutes({
  bundle: {
    operationId: 'l402.bundle',
    method: 'POST',
    path: '/v1/l402/bundle',
    summary: 'Buy several calls with one Lightning invoice',
    description:
      'The 402 has one invoice, and an L402 macaroon with a budget, capabilities and an end. Paid, the credential pays each call that it covers until the budget is spent. Here it is answered with what is left; one that has nothing left is asked for another bundle.',
    tag: 'Credits',
    access: 'paid',
    headers: IdempotencyHeaders,
    body: { schema: BundleRequest },
    replies: {
      200: {
        description: 'The bundle is open',
        schema: BundleState,
        headers: { 'Payment-Receipt': 'Receipt of the payment' },
      },
    },
    problems: ['UNPROCESSABLE', 'UNKNOWN_CREDENTIAL', 'BUDGET_EXHAUSTED'],
  },
});

/** Several calls for one Lightning payment. */
export const l402BundleContract = {
  /**
   * Opens the bundle of a credential where it was not opened yet, and says what is left of it. Problems: PAYMENT_* (402), among them
   * PAYMENT_BOUND_ELSEWHERE for a credential that is no bundle, or is another than the one asked for; BUDGET_EXHAUSTED (402) where no call
   * can be paid with what is left; SETTLEMENT_UNKNOWN (503).
   */
  open: procedure('payments', 'l402-bundle', {
    request: z.object({
      credential: PaymentCredential,
      /** The bundle that the request asks for, where it says one. */
      asked: z.object({ sats: z.int(), capabilities: z.array(z.string()) }).optional(),
    }),
    reply: z.object({ state: BundleState, headers: z.record(z.string(), z.string()) }),
    timeoutMs: 10_000,
  }),
} as const;
