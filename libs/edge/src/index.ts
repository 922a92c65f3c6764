export { ACCOUNT_KEY_HEADER, accountKeyOf } from './account/account-key.js';
export { AccountKey, AccountOf, Keyed } from './account/keyed.decorator.js';
export { DepartmentsHttpController } from './departments/departments.http.controller.js';
export { TaskSale } from './departments/task-sale.js';
export type { TaskCall } from './departments/task-sale.js';
export { TicketedTask } from './departments/ticketed-task.js';
export { Endpoint } from './endpoint/endpoint.decorator.js';
export { attested, documentDigest, evidenceOf, isFreeCall } from './evidence/attested.js';
export type { AnswerStatement, Attested } from './evidence/attested.js';
export { preferredType } from './http/accept.js';
export { setBodyDigest } from './http/body-digest.js';
export { ContractPipe } from './http/contract.pipe.js';
export { EventStreams, NOTHING_NEW, STREAM_BEGIN } from './http/event-streams.js';
export { keepOfLongBody } from './http/long-bodies.js';
export { GatewayProblemFilter } from './http/gateway-problem.filter.js';
export { ProblemTypesHttpController } from './problem-types/problem-types.http.controller.js';
export { headerLines } from './http/header-lines.js';
export { createHttpAdapter } from './http/http-adapter.js';
export { readJsonText } from './http/json-text.js';
export { OperatorListener } from './http/operator-listener.js';
export { idempotencyKeyOf, unguessableKeyOf } from './http/idempotency-key.js';
export { PACKED_BYTES_MAX, PackedBody } from './http/packed-body.js';
export { prefersAsync } from './http/prefer.js';
export { StoredAnswer } from './http/stored-answer.js';
export { admitBy, workOfAdmitted } from './payment/admission.js';
export { boundDigest } from './payment/bound-digest.js';
export { calledRequest } from './payment/called-request.js';
export { isPublishedExample } from './payment/published-example.js';
export { ChallengeMaker, pathOf } from './payment/challenge-maker.js';
export { Metered } from './payment/metered.decorator.js';
export {
  AnswerOfPayment,
  AnswerWithStatus,
  DeferredAnswer,
  MeteredCallOf,
  paidCallOf,
  PaidCallOf,
  UnchargedAnswer,
  receiptTextOf,
} from './payment/paid-call.js';
export type { MeteredCall, PaidCall } from './payment/paid-call.js';
export { Paid } from './payment/paid.decorator.js';
export { requireWithinMaxPrice } from './payment/max-price.js';
export { JSON_TYPE, showDelivered, showUnderWay, shownRefusal } from './payment/payment-answer.js';
export { jobOfClaim, jobPathOf, taskOfClaim, taskPathOf } from './payment/payment-in-flight.js';
export type { HoldingWork, WorkOfClaim } from './payment/payment-in-flight.js';
export { PaymentClaims } from './payment/payment-claims.js';
export type { HeldClaim } from './payment/payment-claims.js';
export { PaymentDesk } from './payment/payment-desk.js';
export type { PricedCall } from './payment/priced-call.js';
export type { PaidOperation } from './payment/paid-operation.js';
export { mayHaveBeenAnswered } from './payment/retry-admission.js';
export type { Admission } from './payment/admission.js';
export { hangUpSignal } from './http/hang-up.js';
export {
  isOutcomeUnknown,
  paymentRequired,
  settlementUnknown,
  undecided,
  unknownCharge,
  without,
} from './payment/payment-problem.js';
export { presentPayment } from './payment/present-payment.js';
export {
  bringsCredential,
  bringsPayment,
  isEmptyBody,
  readCredential,
} from './payment/presented-credential.js';
export type { PresentedCredential } from './payment/presented-credential.js';
export {
  BAD_PAYMENTS,
  BURST_CHALLENGE_DIVISOR,
  BURST_READING_UNITS,
  BURST_SENT_BYTES,
  BURST_REQUESTS,
  BurstLimits,
  SIMULATED_FAULTS,
  SIMULATED_FAULTS_OF_DAY,
  UNCHARGED_ANSWERS,
  UNPAID_FILES,
} from './rate-limit/burst-limits.js';
export { FairShares } from './rate-limit/fair-shares.js';
export { FREE_CALLS_AT_ONCE, FREE_WORK_UNITS, LARGE_WORK_UNITS } from './rate-limit/free-work.js';
export { addressOf, originOf, realmOf, schemeOf } from './rate-limit/caller.js';
export { TrustedProxies } from './rate-limit/client-address.js';
export { KnownKeys } from './rate-limit/known-keys.js';
export { Pace, paceOf } from './rate-limit/pace.js';
export { PublicUrls } from './rate-limit/public-urls.js';
export { publicAddressFaults, rateLimitConfig, rateLimitsOf } from './rate-limit/rate-limit-config.js';
export type { RateLimitSettings } from './rate-limit/rate-limit-config.js';
export { ProcessBursts } from './rate-limit/process-bursts.js';
export { pauseRefusal, PROMPT_REFUSALS, REFUSAL_PAUSE_MS } from './rate-limit/refusal-pauses.js';
export { runUnpaid, UnpaidWork, WorkUnits } from './rate-limit/unpaid-work.interceptor.js';
export { openApiDocument, RouteMismatchError } from './openapi/openapi-document.js';
export type { DocumentedApi } from './openapi/openapi-document.js';
export { OpenApiHttpController, PublishedDocument } from './openapi/openapi.http.controller.js';
export { problemsOf } from './openapi/route-problems.js';
export { toolPrices } from './openapi/operation.js';
