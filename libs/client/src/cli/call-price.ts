type JsonObject = Readonly<Record<string, unknown>>;

/** How a call is paid for: `quota` takes requests of the month before it asks for money, `key` takes an account's key alone. */
export type CallAccess = 'free' | 'key' | 'quota' | 'paid';

/** What the published documents say of the price of a call. */
export interface CallPrice {
  readonly method: string;
  /** As it is published, with `{names}` for what varies. */
  readonly path: string;
  readonly operationId: string | null;
  readonly summary: string | null;
  readonly access: CallAccess;
  /** `x-payment-info` as it is published; null where the price is not of the route. */
  readonly payment: JsonObject | null;
  /** Prices by tool, where the call is sold at the price of the tool that it names; one where it is known which. */
  readonly tools: Readonly<Record<string, JsonObject>> | null;
}

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** The published path that a path is one of, a fixed one before one with parameters. */
function templateOf(paths: JsonObject, path: string): string | undefined {
  const segments = path.split('/');
  const isOf = (template: string) => {
    const parts = template.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, i) => (/^\{.*\}$/.test(part) ? segments[i] !== '' : part === segments[i]))
    );
  };
  if (Object.hasOwn(paths, path)) return path;
  const variables = (template: string) => template.split('{').length;
  return Object.keys(paths)
    .filter(isOf)
    .sort((a, b) => variables(a) - variables(b))[0];
}

/** `security` of OpenAPI: none is free; an empty alternative is a call that may cost nothing. */
function accessOf(security: unknown): CallAccess {
  const ways = Array.isArray(security) ? security.map(way => Object.keys(objectOf(way))) : [];
  if (ways.length === 0) return 'free';
  if (ways.some(way => way.length === 0)) return ways.length === 1 ? 'free' : 'quota';
  return ways.every(way => way.every(name => name === 'svcKey')) ? 'key' : 'paid';
}

/** The tool that a call names, in its query or as the last part of its path. */
function toolOf(template: string, url: URL): string | undefined {
  return template.endsWith('{name}')
    ? url.pathname.split('/').at(-1)
    : (url.searchParams.get('tool') ?? undefined);
}

/**
 * The price of a call, by the OpenAPI document of the gateway: nothing is claimed and no invoice is made.
 * @param target path, with the query where there is one
 * @returns or why there is none: a sentence
 */
export function callPrice(document: JsonObject, method: string, target: string): CallPrice | string {
  const url = new URL(target, 'http://gateway.invalid');
  const paths = objectOf(document['paths']);
  const path = templateOf(paths, url.pathname);
  if (path === undefined) return `the gateway publishes no path ${url.pathname.slice(0, 120)}`;
  const operations = objectOf(paths[path]);
  const operation = operations[method.toLowerCase()];
  if (operation === undefined) {
    const methods = Object.keys(operations).filter(name => /^(get|post|put|patch|delete)$/.test(name));
    return `the gateway publishes no ${method} of ${path}; it has ${methods.join(', ').toUpperCase()}`;
  }
  const { operationId, summary, security, 'x-payment-info': info } = objectOf(operation);
  const payment = info === undefined ? null : objectOf(info);
  const sold = payment && payment['tools'] !== undefined ? objectOf(payment['tools']) : undefined;
  const tool = sold && toolOf(path, url);
  if (sold && tool !== undefined && !Object.hasOwn(sold, tool))
    return `the gateway sells no tool ${tool.slice(0, 80)}; it has ${Object.keys(sold).join(', ')}`;
  return {
    method: method.toUpperCase(),
    path,
    operationId: typeof operationId === 'string' ? operationId : null,
    summary: typeof summary === 'string' ? summary : null,
    access: accessOf(security),
    payment,
    tools: ((sold && (tool === undefined ? sold : { [tool]: sold[tool] })) as CallPrice['tools']) ?? null,
  };
}

/**
 * Of the rails that can settle now, those that the terms of a call offer: MPP by the methods of its offers. A rail that is of no
 * known kind stays, since nothing says that it is not offered.
 */
export function railsOf({ payment }: CallPrice, settling: readonly string[]): string[] {
  const offers = payment?.['offers'];
  if (!Array.isArray(offers)) return [...settling];
  const methods = offers.map(offer => `mpp-${String(objectOf(offer)['method'])}`);
  return settling.filter(rail => !rail.startsWith('mpp-') || methods.includes(rail));
}
