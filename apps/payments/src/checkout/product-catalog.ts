import { type ProductCatalogItem, PURCHASE_TIERS, ROUTES, TOOL_NAMES, toolDefinition } from '@svc/contracts';
import { CREDIT_PACKS, PLANS, PRICE_LIST, priceOf, usdText } from '@svc/protocols';
import { M2M_TIERS } from '../m2m/m2m-tier.js';
import { tierProduct } from './products.js';

const LINK_TOOL = 'create_purchase_link';
const LICENCE_TOOL = 'm2m_license_contract';

/** Everything that is sold, from the one price list: plans, subscriptions, licences, packs, tools, calls. */
export function productCatalog(): ProductCatalogItem[] {
  return [...plans(), ...subscriptions(), ...licences(), ...packs(), ...tools(), ...calls()];
}

function plans(): ProductCatalogItem[] {
  const sold = new Set(PURCHASE_TIERS.map(tier => tierProduct(tier).plan));
  return PLANS.map(({ planId, name, amountMicroUsdPerMonth, requestsPerMonth, description }) => ({
    kind: 'plan',
    productId: planId,
    name,
    priceUsdPerMonth: amountMicroUsdPerMonth === 0 ? '0' : usdText(amountMicroUsdPerMonth),
    requestsPerMonth,
    description,
    // A plan that no tier sells is everybody's from the start.
    buyWith: sold.has(planId) ? LINK_TOOL : 'nothing: every caller has it',
  }));
}

function subscriptions(): ProductCatalogItem[] {
  return PURCHASE_TIERS.map(tier => {
    const { name, amountMicroUsd, plan, licence } = tierProduct(tier);
    const { requestsPerMonth } = PLANS.find(each => each.planId === plan)!;
    return {
      kind: 'subscription',
      productId: tier,
      name,
      plan: plan!,
      priceUsdPerMonth: usdText(amountMicroUsd),
      requestsPerMonth,
      licence: licence ? { features: [...licence.features], seats: licence.seats } : null,
      buyWith: LINK_TOOL,
    };
  });
}

function licences(): ProductCatalogItem[] {
  const ofTiers = PURCHASE_TIERS.flatMap((tier): ProductCatalogItem[] => {
    const { amountMicroUsd, licence } = tierProduct(tier);
    if (!licence) return [];
    const { features, seats } = licence;
    const sold = { productId: `sam1.${tier}`, priceUsd: usdText(amountMicroUsd), perMonth: true };
    return [
      { kind: 'licence', form: 'sam1', tier, ...sold, features: [...features], seats, buyWith: LINK_TOOL },
    ];
  });
  const { priceUsd } = priceOf(`tool.${LICENCE_TOOL}`);
  const machines = Object.entries(M2M_TIERS).map(([tier, grant]): ProductCatalogItem => ({
    ...{ kind: 'licence', form: 'm2m', productId: `m2m.${tier}`, tier },
    ...{ priceUsd, perMonth: false, ...grant, buyWith: LICENCE_TOOL },
  }));
  return [...ofTiers, ...machines];
}

const packs = (): ProductCatalogItem[] =>
  CREDIT_PACKS.map(({ packId, amountMicroUsd, audits }) => ({
    ...{ kind: 'pack', productId: packId, priceUsd: usdText(amountMicroUsd), audits },
    buyWith: 'POST /prepay-credits',
  }));

function tools(): ProductCatalogItem[] {
  return TOOL_NAMES.map(tool => {
    const { operationId, priceUsd, amountSats } = priceOf(`tool.${tool}`);
    const { description } = toolDefinition(tool);
    return {
      ...{ kind: 'tool', productId: operationId, tool, description, priceUsd, priceSats: amountSats },
      available: true,
      buyWith: `POST /v1/tools/${tool}`,
    };
  });
}

function calls(): ProductCatalogItem[] {
  const routes = new Map(ROUTES.map(route => [route.operationId, route]));
  return PRICE_LIST.flatMap(({ operationId, priceUsd, amountSats, description, charged }) => {
    const route = routes.get(operationId);
    if (!route) return [];
    const { method, path } = route;
    return [
      {
        ...{ kind: 'call', productId: operationId, description, priceUsd, priceSats: amountSats },
        ...{ charged, available: true, buyWith: `${method} ${path}` },
      },
    ];
  });
}
