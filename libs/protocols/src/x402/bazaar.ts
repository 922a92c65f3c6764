/** Name of the x402 extension by which a resource says how it is called, so that catalogues can list it. */
export const BAZAAR = 'bazaar';

/** How a resource that takes a body of JSON is called. */
export interface X402Call {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** A body that it takes. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly queryParams?: Readonly<Record<string, string>>;
}

/** A declaration of {@link BAZAAR}: `info` is data, and `schema` says its form. */
export interface BazaarDeclaration {
  readonly info: Readonly<Record<string, unknown>>;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * Declares how a resource is called. The schema is that of every resource: what a body may hold stands in the OpenAPI document, since
 * the declaration travels in a header.
 */
export function bazaarDeclaration({ method, body, queryParams }: X402Call): BazaarDeclaration {
  const query = queryParams && { queryParams };
  return {
    info: { input: { type: 'http', method, ...query, bodyType: 'json', body }, output: { type: 'json' } },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: [method] },
            ...(query && { queryParams: { type: 'object' } }),
            bodyType: { type: 'string', enum: ['json'] },
            body: { type: 'object' },
          },
          required: ['type', 'method', 'bodyType', 'body'],
          additionalProperties: false,
        },
        output: { type: 'object', properties: { type: { type: 'string' } } },
      },
      required: ['input'],
    },
  };
}
