import { expect, test } from '@jest/globals';
import { ProductCatalogItem, TOOL_NAMES, TOOLS } from '@svc/contracts';
import { CREDIT_PACKS, PLANS, PRICE_LIST } from '@svc/protocols';
import { M2M_TIERS } from '../m2m/m2m-tier.js';
import { productCatalog } from './product-catalog.js';

const catalog = productCatalog();
const idsOf = (kind: ProductCatalogItem['kind']) =>
  catalog.filter(item => item.kind === kind).map(({ productId }) => productId);

test('nothing of the price list is missing, and each price is that of the list', () => {
  const priced = catalog.filter(item => item.kind === 'tool' || item.kind === 'call');
  const listed = PRICE_LIST.map(({ operationId, priceUsd, amountSats }) => [
    ...[operationId, priceUsd, amountSats],
  ]);
  const shown = priced.map(({ productId, priceUsd, priceSats }) => [productId, priceUsd, priceSats]);
  expect(shown.sort()).toEqual(listed.sort());
});

test('every plan, pack, tier and tool is there once', () => {
  expect(idsOf('plan')).toEqual(PLANS.map(({ planId }) => planId));
  expect(idsOf('pack')).toEqual(CREDIT_PACKS.map(({ packId }) => packId));
  expect(idsOf('subscription')).toEqual(TOOLS.create_purchase_link.input.shape.tier.def.innerType.options);
  expect(idsOf('licence')).toEqual([
    ...['sam1.developer_sdk', 'sam1.enterprise_sam'],
    ...Object.keys(M2M_TIERS).map(tier => `m2m.${tier}`),
  ]);
  expect(idsOf('tool')).toEqual(TOOL_NAMES.map(tool => `tool.${tool}`));
  const everyId = catalog.map(({ productId }) => productId);
  expect(new Set(everyId).size).toBe(everyId.length);
});

test('each item has the members of its kind and no others', () => {
  for (const item of catalog) expect(ProductCatalogItem.parse(item)).toEqual(item);
  const [plan] = catalog;
  expect(ProductCatalogItem.safeParse({ ...plan, kind: 'pack' }).success).toBe(false);
});

test('every tool and every call is said to be in service', () => {
  const said = catalog.flatMap(item =>
    item.kind === 'tool' || item.kind === 'call' ? [item.available] : [],
  );
  expect(said).toEqual(Array(PRICE_LIST.length).fill(true));
});

test('the answer holds what the specification says of plans and packs', () => {
  const plans = catalog.flatMap(item =>
    item.kind === 'plan' ? [[item.productId, item.priceUsdPerMonth, item.requestsPerMonth]] : [],
  );
  expect(plans).toEqual([
    ['demo', '0', 1_000],
    ['developer', '49', 50_000],
    ['pro_agent', '299', 500_000],
    ['enterprise', '1200', null],
  ]);
  const packs = catalog.flatMap(item =>
    item.kind === 'pack' ? [[item.productId, item.priceUsd, item.audits]] : [],
  );
  expect(packs).toEqual([
    ['pack_10', '10', 40],
    ['pack_50', '50', 200],
    ['pack_250', '250', 1_000],
  ]);
});
