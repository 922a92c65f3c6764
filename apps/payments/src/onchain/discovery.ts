import { ROUTES, SOLD_RESOURCES, type SoldResource } from '@svc/contracts';
import { bazaarDeclaration, type Price, type X402Call, type X402Resource } from '@svc/protocols';

/** Name of the service as catalogues show it. */
const SERVICE_NAME = 'Proof and Signal Gateway';
const MIME_TYPE = 'application/json';

/** What a 402 says beside the URL of what is sold at an address. */
type Declared = Pick<X402Resource, 'serviceName' | 'tags' | 'bazaar'>;
type Sold = SoldResource & { readonly declared: Declared };

const all: readonly Sold[] = SOLD_RESOURCES.map(sold => ({ ...sold, declared: declaredOf(sold) }));
const soldAt = new Map(all.map(sold => [sold.target, sold]));
/** Of a tool, its own route. */
const soldFirst = new Map(all.toReversed().map(sold => [sold.operationId, sold]));
const pathOf = new Map(ROUTES.map(({ operationId, path }) => [operationId, path]));

/**
 * What a 402 says of the resource at a URL: how it is called, where a bare request at this address is answered 402 for this operation,
 * and nothing of that elsewhere. A catalogue lists no address that answers its crawler otherwise.
 */
export function offeredResource(url: string, price: Price, description = price.description): X402Resource {
  const sold = soldOf(url, price);
  return { url, description, mimeType: MIME_TYPE, ...sold?.declared };
}

/**
 * What a facilitator is told that a payment is for. The address is one of ours, whatever the payment says: catalogues list what
 * facilitators are told.
 *
 * @param origin where the public reaches the service, `https://svc.example`; without it a name that cannot be called
 * @param echoedUrl which of the addresses of the operation the payment says that it was offered at
 */
export function settledResource(origin: string | undefined, price: Price, echoedUrl?: string): X402Resource {
  const { operationId, description } = price;
  const sold = (echoedUrl === undefined ? undefined : soldOf(echoedUrl, price)) ?? soldFirst.get(operationId);
  const target = sold?.target ?? pathOf.get(operationId);
  if (origin === undefined || target === undefined)
    return { url: `https://svc.invalid/${operationId}`, description, mimeType: MIME_TYPE };
  return { url: origin + target, description, mimeType: MIME_TYPE, ...sold?.declared };
}

function soldOf(url: string, { operationId }: Price): Sold | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  const sold = soldAt.get(pathname + search);
  return sold?.operationId === operationId ? sold : undefined;
}

function declaredOf({ route, tool, target, example }: SoldResource): Declared {
  return {
    serviceName: SERVICE_NAME,
    tags: [route.tag.toLowerCase(), ...(tool === undefined ? [] : [tool])],
    bazaar: bazaarDeclaration({
      // What has an example takes a body.
      method: route.method as X402Call['method'],
      body: example,
      ...(target.includes('?') && { queryParams: { tool: tool! } }),
    }),
  };
}
