import { z } from 'zod';

const sold = {
  productId: z.string().meta({ description: 'Unique within the catalogue' }),
  buyWith: z.string().meta({ description: 'The tool or the route that sells it' }),
};
const price = {
  priceUsd: z.string().meta({ description: 'US dollars' }),
  priceSats: z.int().meta({ description: 'Satoshis' }),
};
const monthly = {
  priceUsdPerMonth: z.string(),
  requestsPerMonth: z.int().nullable().meta({ description: 'Null: without end' }),
};
const SamGrant = z.object({ features: z.array(z.string()), seats: z.int() });

/** What is sold, as `get_product_catalog` lists it; `kind` says which members an item has. */
export const ProductCatalogItem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('plan'),
    ...sold,
    name: z.string(),
    ...monthly,
    description: z.string(),
  }),
  z.object({
    kind: z.literal('subscription'),
    ...sold,
    name: z.string(),
    plan: z.string().meta({ description: 'The plan that it begins' }),
    ...monthly,
    licence: SamGrant.nullable().meta({ description: 'The licence that comes with it' }),
  }),
  z.object({
    kind: z.literal('licence'),
    ...sold,
    form: z.enum(['sam1', 'm2m']).meta({ description: 'A licence key, or a machine-to-machine licence' }),
    tier: z.string(),
    priceUsd: price.priceUsd,
    perMonth: z.boolean().meta({ description: 'Whether the price is one of each month' }),
    features: z.array(z.string()).optional(),
    seats: z.int().optional(),
    validDays: z.int().nullable().optional().meta({ description: 'Null: without end' }),
    nodesMax: z.int().optional(),
    sublicense: z.boolean().optional(),
    metered: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('pack'),
    ...sold,
    priceUsd: price.priceUsd,
    audits: z.int().meta({ description: 'Certificate audits that it pays for' }),
  }),
  z.object({
    kind: z.literal('tool'),
    ...sold,
    tool: z.string(),
    description: z.string(),
    ...price,
    available: z.boolean().meta({
      description:
        'True: every tool that is listed is sold here; whether its services answer now is said by `tools/list` of MCP',
    }),
  }),
  z.object({
    kind: z.literal('call'),
    ...sold,
    description: z.string(),
    ...price,
    charged: z.enum(['always', 'over-quota']),
    available: z.boolean().meta({ description: 'True: every route that is listed is sold here' }),
  }),
]);
export type ProductCatalogItem = z.infer<typeof ProductCatalogItem>;
