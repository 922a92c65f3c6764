import { gatewayRoutes, type ProblemCode, type Route, type RouteAccess } from '@svc/contracts';

const BY_PAYMENT: readonly ProblemCode[] = [
  'CONFLICTING_CREDENTIALS',
  'PAYMENT_METHOD_UNSUPPORTED',
  'UNKNOWN_CREDENTIAL',
  'PAYMENT_REQUIRED',
  'PAYMENT_MALFORMED',
  'PAYMENT_INVALID',
  'PAYMENT_EXPIRED',
  'PAYMENT_INSUFFICIENT',
  'BUDGET_EXHAUSTED',
  'PAYMENT_BOUND_ELSEWHERE',
  'FORBIDDEN',
  'PAYMENT_IN_FLIGHT',
  'EXPIRED',
  'PRECONDITION_FAILED',
  'UNPROCESSABLE',
  'SETTLEMENT_UNKNOWN',
];
const BY_KEY: readonly ProblemCode[] = ['UNKNOWN_CREDENTIAL', 'CONFLICTING_CREDENTIALS'];

const BY_ACCESS: Readonly<Record<RouteAccess, readonly ProblemCode[]>> = {
  free: [],
  quota: BY_PAYMENT,
  paid: BY_PAYMENT,
  key: BY_KEY,
  admin: [...BY_KEY, 'FORBIDDEN'],
};

/** Orchestrators ask these, and are always answered. */
const UNLIMITED: readonly Route[] = [gatewayRoutes.livez, gatewayRoutes.readyz];

/** Every problem that a route can answer, by code; a test holds the live routes to it. */
export function problemsOf(route: Route): ProblemCode[] {
  const codes = new Set<ProblemCode>([...BY_ACCESS[route.access], ...(route.problems ?? [])]);
  // A body is read wherever a method may have one, whether the route takes one or not.
  const readsBody = route.method !== 'GET';
  if (route.params || route.query || readsBody || route.headers) codes.add('VALIDATION_FAILED');
  if (route.params) codes.add('NOT_FOUND');
  if (readsBody) {
    codes.add('MALFORMED_JSON').add('BODY_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE').add('REQUEST_TIMEOUT');
  }
  if (!UNLIMITED.includes(route)) codes.add('RATE_LIMITED');
  if (route.tag !== 'Gateway') codes.add('SERVICE_UNAVAILABLE').add('TIMEOUT');
  if (!UNLIMITED.includes(route)) codes.add('MISDIRECTED_REQUEST');
  return [...codes.add('URI_TOO_LONG').add('HEADERS_TOO_LARGE').add('INTERNAL')];
}
