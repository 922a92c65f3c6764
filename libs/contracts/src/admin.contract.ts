import { z } from 'zod';
import {
  Account,
  AccountId,
  KeyId,
  KeyScope,
  NewAccountKey,
  PlanId,
  RevokedKey,
  byOperator,
} from './account.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { IdempotencyHeaders, IdempotencyKeyText, PageCursor, PlainText } from './wire-format.js';

/** Most accounts, prices and records in one answer. */
export const ADMIN_PAGE_MAX = 200;
/** Largest credit that one grant may give: 10,000 USD. */
export const GRANT_MICRO_USD_MAX = 10_000_000_000;

export const METALS = ['XAU', 'XAG', 'XPT', 'XPD'] as const;

const page = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(ADMIN_PAGE_MAX).default(50),
  cursor: PageCursor.optional(),
});
const ISO_INSTANT = z.iso.datetime({ offset: true });

/** An account as operators see it. */
export const AdminAccount = z
  .object({
    accountId: AccountId,
    kind: z.enum(['purchased', 'derived', 'bundle', 'operator']),
    plan: PlanId,
    planState: z.enum(['active', 'past_due', 'lapsed']),
    planUntil: z.iso.datetime().optional(),
    email: z.string().optional().meta({ description: 'Masked without the scope leads:pii' }),
    balanceMicroUsd: z.int(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'AdminAccount' });
export type AdminAccount = z.infer<typeof AdminAccount>;

const AdminAccountPage = page(AdminAccount).meta({ id: 'AdminAccountPage' });
const AccountsQuery = pageQuery.extend({
  email: z.email().max(254).optional().meta({ description: 'The whole address' }),
  plan: PlanId.optional(),
  kind: z.enum(['purchased', 'derived', 'bundle', 'operator']).optional(),
});
export type AccountsQuery = z.output<typeof AccountsQuery>;

/** One account with its quota and its keys. */
export const AdminAccountDetail = Account.extend({
  kind: z.enum(['purchased', 'derived', 'bundle', 'operator']),
  email: z.string().optional(),
  createdAt: z.iso.datetime(),
}).meta({ id: 'AdminAccountDetail' });
export type AdminAccountDetail = z.infer<typeof AdminAccountDetail>;

/** Body of `POST /v1/admin/accounts`. */
export const CreateAccountRequest = z
  .strictObject({
    kind: z.enum(['purchased', 'operator']).default('purchased'),
    email: z.email().max(254).optional(),
    plan: PlanId.default('demo'),
  })
  .meta({ id: 'CreateAccountRequest' });

/** Body of `PUT /v1/admin/accounts/:accountId/plan`. */
export const SetPlanRequest = z
  .strictObject({
    plan: PlanId,
    until: ISO_INSTANT.optional().meta({ description: 'When it ends; without, it goes on' }),
  })
  .meta({ id: 'SetPlanRequest' });

/** Body of `POST /v1/admin/accounts/:accountId/credit`. */
export const GrantCreditRequest = z
  .strictObject({
    amountMicroUsd: z.int().min(1).max(GRANT_MICRO_USD_MAX),
    reason: PlainText.trim().min(3).max(200),
  })
  .meta({ id: 'GrantCreditRequest' });

/** Answer of a grant; the same one for the same Idempotency-Key. */
export const CreditGrant = z
  .object({
    grantId: z.uuid(),
    accountId: AccountId,
    amountMicroUsd: z.int(),
    reason: z.string(),
    balanceMicroUsd: z.int().meta({ description: 'Of the account, now' }),
    grantedAt: z.iso.datetime(),
  })
  .meta({ id: 'CreditGrant' });
export type CreditGrant = z.infer<typeof CreditGrant>;

/** Body of `POST /v1/admin/accounts/:accountId/keys`. */
export const IssueKeyRequest = z
  .strictObject({
    label: z
      .string()
      .regex(/^[\x20-\x7e]{1,100}$/, { error: '1 to 100 printable ASCII characters' })
      .optional(),
    scopes: z
      .array(KeyScope)
      .max(KeyScope.options.length)
      .default([])
      .meta({ description: 'Only those of the key that asks, and only for an operator’s account' }),
  })
  .meta({ id: 'IssueKeyRequest' });

/** Body of `PUT /v1/admin/accounts/:accountId/licences`. */
export const SetLicencesRequest = z
  .strictObject({ state: z.enum(['active', 'suspended', 'revoked']) })
  .meta({ id: 'SetLicencesRequest' });
export const LicencesSet = z
  .object({ accountId: AccountId, state: z.enum(['active', 'suspended', 'revoked']) })
  .meta({ id: 'LicencesSet' });

const PRICE = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,8})?$/;

/** Body of `POST /v1/admin/spot-prices`. */
export const SetSpotPriceRequest = z
  .strictObject({
    metal: z.enum(METALS),
    currency: z.string().regex(/^[A-Z]{3}$/, { error: 'three capital letters, as in ISO 4217' }),
    price: z
      .string()
      .regex(PRICE, { error: 'a decimal number with at most 12 digits before and 8 after the point' })
      .refine(price => !/^[0.]*$/.test(price), { error: 'more than 0', params: { bound: '> 0' } })
      .meta({ description: 'Of one troy ounce, as a decimal string', example: '2387.15' }),
    asOf: ISO_INSTANT.meta({ description: 'When the price held; not in the future' }),
    source: z.string().regex(/^[\x21-\x7e]([\x20-\x7e]{0,62}[\x21-\x7e])?$/, {
      error: '1 to 64 printable ASCII characters',
    }),
  })
  .meta({ id: 'SetSpotPriceRequest' });
export type SetSpotPriceRequest = z.output<typeof SetSpotPriceRequest>;

/** A spot price as it was set. */
export const SpotPrice = z
  .object({
    metal: z.enum(METALS),
    currency: z.string(),
    price: z.string().meta({ description: 'Of one troy ounce, as a decimal string' }),
    asOf: z.iso.datetime(),
    source: z.string(),
    setAt: z.iso.datetime(),
  })
  .meta({ id: 'SpotPrice' });
export type SpotPrice = z.infer<typeof SpotPrice>;
/** Newest of each metal and currency. */
export const SpotPriceList = z.object({ items: z.array(SpotPrice) }).meta({ id: 'SpotPriceList' });
export type SpotPriceList = z.infer<typeof SpotPriceList>;

const SpotQuery = z.strictObject({ metal: z.enum(METALS).optional() });

/** Answer of a reconciliation of the ledger; findings are reported, never repaired. */
export const ReconciliationReport = z
  .object({
    balanced: z.boolean(),
    imbalanceMicroUsd: z.int(),
    findings: z.array(
      z.object({
        kind: z.string(),
        id: z
          .string()
          .meta({ description: 'Of the transaction, entry, account or claim; empty for the whole' }),
        detail: z.string(),
        offMicroUsd: z.int(),
      }),
    ),
    checkedAt: z.iso.datetime(),
  })
  .meta({ id: 'ReconciliationReport' });
export type ReconciliationReport = z.infer<typeof ReconciliationReport>;

/** What an operator did. */
export const AuditRecord = z
  .object({
    auditId: z.int(),
    at: z.iso.datetime(),
    accountId: z.string(),
    keyId: z.string(),
    action: z.string(),
    target: z.string().optional(),
    argumentsDigest: z.string().meta({
      description:
        'Keyed digest of the canonical JSON of the arguments: the same for the same account and arguments',
    }),
    outcome: z.string().meta({ description: 'DONE, or the code of the refusal' }),
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof AuditRecord>;
const AuditPage = page(AuditRecord).meta({ id: 'AuditPage' });
const AuditQuery = pageQuery.extend({
  action: z
    .string()
    .regex(/^[a-z][a-z.-]{1,63}$/)
    .optional(),
});
export type AuditQuery = z.output<typeof AuditQuery>;

const SagaState = z.enum(['RUNNING', 'COMPENSATING', 'COMPLETED', 'COMPENSATED', 'STUCK']);

/** A saga as operators see it. */
export const AdminSaga = z
  .object({
    sagaId: z.uuid(),
    sagaName: z.string(),
    state: SagaState,
    walCount: z.int(),
    walHash: z.string(),
    begunAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Of the newest record that gives one: why it failed, or why it is stuck' }),
  })
  .meta({ id: 'AdminSaga' });
export type AdminSaga = z.infer<typeof AdminSaga>;
const AdminSagaPage = page(AdminSaga).meta({ id: 'AdminSagaPage' });
const SagasQuery = pageQuery.extend({
  state: SagaState.default('STUCK'),
});
export type SagasQuery = z.output<typeof SagasQuery>;
const sagaParams = z.object({ sagaId: z.uuid().meta({ description: 'Id of a saga' }) });

const accountParams = z.object({ accountId: AccountId.meta({ description: 'Id of an account' }) });
const ADMIN = { tag: 'Admin', access: 'admin' } as const;

/** What a key must be good for, by procedure. */
export const ADMIN_SCOPES = {
  ...{ accounts: 'admin:accounts', createAccount: 'admin:accounts', account: 'admin:accounts' },
  ...{
    setPlan: 'admin:accounts',
    grantCredit: 'admin:ledger',
    issueKey: 'admin:keys',
    revokeKey: 'admin:keys',
  },
  ...{ setLicences: 'admin:licences', spotPrices: 'admin:spot', setSpotPrice: 'admin:spot' },
  ...{ reconcile: 'admin:ledger', sagas: 'admin:ledger', resumeSaga: 'admin:ledger', audit: 'admin:audit' },
} as const satisfies Record<string, KeyScope>;

export const adminRoutes = defineRoutes({
  accounts: {
    ...ADMIN,
    operationId: 'admin.accounts',
    method: 'GET',
    path: '/v1/admin/accounts',
    summary: 'Find accounts',
    description: 'Newest first. Needs the scope `admin:accounts`.',
    query: AccountsQuery,
    replies: { 200: { description: 'A page', schema: AdminAccountPage } },
  },
  createAccount: {
    ...ADMIN,
    operationId: 'admin.create-account',
    method: 'POST',
    path: '/v1/admin/accounts',
    summary: 'Open an account',
    description: 'Needs the scope `admin:accounts`.',
    body: { schema: CreateAccountRequest },
    replies: { 201: { description: 'The account', schema: AdminAccountDetail } },
  },
  account: {
    ...ADMIN,
    operationId: 'admin.account',
    method: 'GET',
    path: '/v1/admin/accounts/:accountId',
    summary: 'An account with its quota and its keys',
    description: 'Needs the scope `admin:accounts`.',
    params: accountParams,
    replies: { 200: { description: 'The account', schema: AdminAccountDetail } },
  },
  setPlan: {
    ...ADMIN,
    operationId: 'admin.set-plan',
    method: 'PUT',
    path: '/v1/admin/accounts/:accountId/plan',
    summary: 'Set the plan of an account that no subscription pays for',
    description: 'Needs the scope `admin:accounts`.',
    params: accountParams,
    body: { schema: SetPlanRequest },
    replies: { 200: { description: 'The account', schema: AdminAccountDetail } },
    problems: ['CONFLICT'],
  },
  grantCredit: {
    ...ADMIN,
    operationId: 'admin.grant-credit',
    method: 'POST',
    path: '/v1/admin/accounts/:accountId/credit',
    summary: 'Grant credit to an account, from the treasury',
    description: 'Needs the scope `admin:ledger`.',
    params: accountParams,
    headers: IdempotencyHeaders,
    body: { schema: GrantCreditRequest },
    replies: { 201: { description: 'The grant', schema: CreditGrant } },
    problems: ['UNPROCESSABLE'],
  },
  issueKey: {
    ...ADMIN,
    operationId: 'admin.issue-key',
    method: 'POST',
    path: '/v1/admin/accounts/:accountId/keys',
    summary: 'Issue a key of an account',
    description: 'Needs the scope `admin:keys`, and every scope that the new key shall have.',
    params: accountParams,
    body: { schema: IssueKeyRequest },
    replies: { 201: { description: 'The key, shown once', schema: NewAccountKey } },
    problems: ['CONFLICT'],
  },
  revokeKey: {
    ...ADMIN,
    operationId: 'admin.revoke-key',
    method: 'DELETE',
    path: '/v1/admin/accounts/:accountId/keys/:keyId',
    summary: 'Revoke a key of an account at once',
    description: 'Needs the scope `admin:keys`. The key that asks does not revoke itself.',
    params: accountParams.extend({ keyId: KeyId.meta({ description: 'Id of a key of the account' }) }),
    replies: { 200: { description: 'Revoked', schema: RevokedKey } },
    problems: ['CONFLICT'],
  },
  setLicences: {
    ...ADMIN,
    operationId: 'admin.set-licences',
    method: 'PUT',
    path: '/v1/admin/accounts/:accountId/licences',
    summary: 'Revoke, suspend or restore the licences of an account',
    description: 'Needs the scope `admin:licences`.',
    params: accountParams,
    body: { schema: SetLicencesRequest },
    replies: { 200: { description: 'As they are now', schema: LicencesSet } },
  },
  spotPrices: {
    ...ADMIN,
    operationId: 'admin.spot-prices',
    method: 'GET',
    path: '/v1/admin/spot-prices',
    summary: 'Newest spot price of each metal and currency',
    description: 'Needs the scope `admin:spot`.',
    query: SpotQuery,
    replies: { 200: { description: 'The prices', schema: SpotPriceList } },
  },
  setSpotPrice: {
    ...ADMIN,
    operationId: 'admin.set-spot-price',
    method: 'POST',
    path: '/v1/admin/spot-prices',
    summary: 'Set a spot price',
    description: 'Needs the scope `admin:spot`. Every price that was set is kept.',
    body: { schema: SetSpotPriceRequest },
    replies: { 201: { description: 'The price', schema: SpotPrice } },
  },
  reconcile: {
    ...ADMIN,
    operationId: 'admin.reconcile',
    method: 'POST',
    path: '/v1/admin/reconcile',
    summary: 'Check the ledger against itself, now',
    description: 'Needs the scope `admin:ledger`.',
    replies: { 200: { description: 'What was found', schema: ReconciliationReport } },
  },
  sagas: {
    ...ADMIN,
    operationId: 'admin.sagas',
    method: 'GET',
    path: '/v1/admin/sagas',
    summary: 'Sagas by their state, those that are stuck unless told otherwise',
    description: 'Oldest first. Needs the scope `admin:ledger`.',
    query: SagasQuery,
    replies: { 200: { description: 'A page', schema: AdminSagaPage } },
  },
  resumeSaga: {
    ...ADMIN,
    operationId: 'admin.resume-saga',
    method: 'POST',
    path: '/v1/admin/sagas/:sagaId/resume',
    summary: 'Take a stuck saga up again: its compensations are tried anew',
    description: 'Needs the scope `admin:ledger`. CONFLICT for a saga that is not stuck.',
    params: sagaParams,
    replies: { 200: { description: 'The saga after that', schema: AdminSaga } },
    problems: ['CONFLICT'],
  },
  audit: {
    ...ADMIN,
    operationId: 'admin.audit',
    method: 'GET',
    path: '/v1/admin/audit',
    summary: 'What operators did',
    description: 'Newest first. Needs the scope `admin:audit`.',
    query: AuditQuery,
    replies: { 200: { description: 'A page', schema: AuditPage } },
  },
});

/** What other services may know of the prices that operators set. */
export const spotContract = {
  /** The newest of each currency. */
  spotPrices: procedure('payments', 'spot-prices', {
    request: z.object({ metal: z.enum(METALS) }),
    reply: SpotPriceList,
    timeoutMs: 3_000,
  }),
} as const;

/** What operators ask. Every call is recorded with its outcome, in the transaction of what it does. */
export const adminContract = {
  accounts: procedure('payments', 'admin-accounts', {
    request: AccountsQuery.extend(byOperator),
    reply: AdminAccountPage,
    timeoutMs: 10_000,
  }),
  createAccount: procedure('payments', 'admin-create-account', {
    request: CreateAccountRequest.extend(byOperator),
    reply: AdminAccountDetail,
    timeoutMs: 5_000,
  }),
  account: procedure('payments', 'admin-account', {
    request: accountParams.extend(byOperator),
    reply: AdminAccountDetail,
    timeoutMs: 5_000,
  }),
  /** CONFLICT where a subscription keeps the plan. */
  setPlan: procedure('payments', 'admin-set-plan', {
    request: SetPlanRequest.extend({ ...byOperator, accountId: AccountId }),
    reply: AdminAccountDetail,
    timeoutMs: 5_000,
  }),
  /** UNPROCESSABLE where the Idempotency-Key came with another grant. */
  grantCredit: procedure('payments', 'admin-grant-credit', {
    request: GrantCreditRequest.extend({
      ...byOperator,
      accountId: AccountId,
      idempotencyKey: IdempotencyKeyText.optional(),
    }),
    reply: CreditGrant,
    timeoutMs: 5_000,
  }),
  issueKey: procedure('payments', 'admin-issue-key', {
    request: IssueKeyRequest.extend({ ...byOperator, accountId: AccountId }),
    reply: NewAccountKey,
    timeoutMs: 5_000,
  }),
  revokeKey: procedure('payments', 'admin-revoke-key', {
    request: z.object({ ...byOperator, accountId: AccountId, keyId: KeyId }),
    reply: RevokedKey,
    timeoutMs: 5_000,
  }),
  setLicences: procedure('payments', 'admin-set-licences', {
    request: SetLicencesRequest.extend({ ...byOperator, accountId: AccountId }),
    reply: LicencesSet,
    timeoutMs: 5_000,
  }),
  spotPrices: procedure('payments', 'admin-spot-prices', {
    request: SpotQuery.extend(byOperator),
    reply: SpotPriceList,
    timeoutMs: 5_000,
  }),
  setSpotPrice: procedure('payments', 'admin-set-spot-price', {
    request: SetSpotPriceRequest.extend(byOperator),
    reply: SpotPrice,
    timeoutMs: 5_000,
  }),
  reconcile: procedure('payments', 'admin-reconcile', {
    request: z.object(byOperator),
    reply: ReconciliationReport,
    timeoutMs: 60_000,
  }),
  sagas: procedure('payments', 'admin-sagas', {
    request: SagasQuery.extend(byOperator),
    reply: AdminSagaPage,
    timeoutMs: 5_000,
  }),
  /** NOT_FOUND; CONFLICT where the saga is not stuck. */
  resumeSaga: procedure('payments', 'admin-resume-saga', {
    request: sagaParams.extend(byOperator),
    reply: AdminSaga,
    timeoutMs: 30_000,
  }),
  audit: procedure('payments', 'admin-audit', {
    request: AuditQuery.extend(byOperator),
    reply: AuditPage,
    timeoutMs: 5_000,
  }),
} as const;
