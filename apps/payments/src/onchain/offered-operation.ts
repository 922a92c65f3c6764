import { ROUTES, TOOL_NAMES, toolsRoutes, x402Routes } from '@svc/contracts';
import { problem } from '@svc/platform';
import { findPrice, type Price, type X402Payment } from '@svc/protocols';

/** Operations with a price, by the path of the route that sells each. */
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ...ROUTES.filter(({ operationId }) => findPrice(operationId)).map(
    ({ path, operationId }) => [path, operationId] as const,
  ),
  ...TOOL_NAMES.map(tool => [toolsRoutes.call.path.replace(':name', tool), `tool.${tool}`] as const),
]);
/** Routes that sell the tool of their query. */
const TOOL_PATHS: ReadonlySet<string> = new Set([
  ...[x402Routes.challenge.path, x402Routes.verify.path, x402Routes.execute.path],
]);

type Echo = Pick<X402Payment, 'accepted' | 'resourceUrl'>;

/**
 * The operation that a payment says it was offered for: by the tag of its offer, else by the URL of what it pays for. Nothing of it is
 * signed. Undefined where it says nothing: version 1 never does.
 */
export function offeredOperationOf(payment: Echo): string | undefined {
  const [first] = offeredOperations(payment);
  return typeof first === 'string' ? first : undefined;
}

/**
 * Holds what a payment says it was offered for against what it is presented for. The signature covers none of it, so a thief can write
 * it anew; a payment that comes to another operation as it was sent is refused.
 *
 * @throws ProblemError PAYMENT_BOUND_ELSEWHERE
 */
export function requireOfferedFor(payment: Echo, { operationId }: Price): void {
  const other = offeredOperations(payment).find(offered => offered !== operationId);
  if (other === undefined) return;
  const said = (typeof other === 'string' ? other : JSON.stringify(other)).slice(0, 80);
  throw problem('PAYMENT_BOUND_ELSEWHERE', `The payment was offered for ${said}, and this is ${operationId}`);
}

/** What the tag and the URL say, in this order, as far as they say anything. */
function offeredOperations({ accepted, resourceUrl }: Echo): unknown[] {
  const extra = accepted?.extra as Record<string, unknown> | null | undefined;
  return [extra?.operationId, operationOfUrl(resourceUrl)].filter(said => said !== undefined);
}

/**
 * The operation that the route of a URL sells; of the routes of tickets, by the tool in its query. Undefined for a route that sells
 * what its body names (MCP, departments) and for one that is none of ours: which host and scheme a client sees, a proxy decides.
 */
function operationOfUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { pathname, searchParams } = new URL(url);
  if (!TOOL_PATHS.has(pathname)) return OPERATIONS.get(pathname);
  return `tool.${searchParams.get('tool') ?? 'm2m_license_contract'}`;
}
