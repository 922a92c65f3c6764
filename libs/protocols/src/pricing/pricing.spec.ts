import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AMOUNT_MICRO_USD_MAX,
  AmountError,
  MICRO_USD_PER_SAT,
  microUsdFromSats,
  satsFromMicroUsd,
  usdText,
} from './money.js';
import { AUDIT_CREDIT_MICRO_USD, CARD_BUNDLE_MICRO_USD_MIN, CREDIT_PACKS, PLANS } from './plans.js';
import {
  BUNDLE_SATS_MAX,
  BUNDLE_SATS_MIN,
  bundleOperation,
  coversAnyOperation,
  coversOperation,
  findPrice,
  PRICE_LIST,
  priceOf,
  UnknownOperationError,
} from './price-list.js';

describe('price list', () => {
  it.each([
    ['agent.verify-bullion', '0.05', 100],
    ['agent.card-valuation', '0.03', 60],
    ['agent.coi-verify', '0.25', 500],
    ['tool.m2m_license_contract', '0.005', 10],
    ['zk.prove', '0.001', 2],
    ['stark.prove-goldilocks', '0.001', 2],
    ['stark.prove-m31', '0.001', 2],
  ])('charges for %s what is published: %s USD or %i sats', (operationId, usd, sats) => {
    const price = priceOf(operationId);
    expect([price.priceUsd, price.amountSats, price.charged]).toEqual([usd, sats, 'always']);
    expect(price.amountMicroUsd).toBe(Number(usd) * 1e6);
  });

  it('charges for a bundle what it may spend, from the lowest price to the largest top-up', () => {
    expect([BUNDLE_SATS_MIN, BUNDLE_SATS_MAX]).toEqual([2, 2_000_000]);
    for (const sats of [2, 3, 1_000, 2_000_000]) {
      const { amountSats, amountMicroUsd, description } = priceOf(bundleOperation(sats));
      expect([amountSats, amountMicroUsd, description.length <= 100]).toEqual([sats, sats * 500, true]);
    }
    for (const none of ['1', '2000001', '02', '2.5', '-2', ''])
      expect(findPrice(`l402.bundle.${none}`)).toBeUndefined();
  });

  it.each([
    ['*', 'zk.*', true],
    ['*', '*', true],
    ['zk.*', 'zk.prove', true],
    ['zk.*', 'zk.*', true],
    ['zk.*', '*', false],
    ['zk.*', 'zkx.prove', false],
    ['zk.prove', 'zk.*', false],
  ])('takes %s to cover %s: %s', (pattern, operation, covers) => {
    expect(coversOperation(pattern, operation)).toBe(covers);
  });

  it('knows patterns that cover nothing', () => {
    expect(['*', 'zk.*', 'zk.prove', 'zk.nothing', 'l402.*'].map(coversAnyOperation)).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
  });

  it('charges 0.001 USD for each of the other nine catalogue tools', () => {
    const tools = PRICE_LIST.filter(price => price.operationId.startsWith('tool.'));
    expect(tools.map(tool => tool.operationId.slice('tool.'.length)).sort()).toEqual([
      'arena_challenge',
      'create_purchase_link',
      'evaluate_spatial_parcel_fep',
      'generate_goldilocks_stark_proof',
      'get_product_catalog',
      'm2m_license_contract',
      'sync_mesh_crdt',
      'verify_acoustic_proximity_token',
      'webgpu_snn_attractor',
      'zk_prove_spatial',
    ]);
    const others = tools.filter(tool => tool.operationId !== 'tool.m2m_license_contract');
    expect(others.map(tool => tool.priceUsd)).toEqual(Array(9).fill('0.001'));
  });

  it('charges a quota route 0.001 USD and only over the quota', () => {
    const metered = PRICE_LIST.filter(price => price.charged === 'over-quota');
    expect(metered.map(price => price.operationId)).toHaveLength(10);
    expect(new Set(metered.map(price => price.priceUsd))).toEqual(new Set(['0.001']));
  });

  it('names each operation once, by an id and a description that protocols can carry', () => {
    expect(new Set(PRICE_LIST.map(price => price.operationId)).size).toBe(PRICE_LIST.length);
    for (const price of PRICE_LIST) {
      expect(price.operationId).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/);
      expect(price.description).toMatch(/^[\x20-\x7e]{1,100}$/);
    }
  });

  it('finds nothing for an operation without a price, prototype names included', () => {
    for (const operationId of ['', 'zk', 'toString', '__proto__', 'ZK.PROVE']) {
      expect(findPrice(operationId)).toBeUndefined();
      expect(() => priceOf(operationId)).toThrow(UnknownOperationError);
    }
  });
});

describe('plans and packs', () => {
  it('offers the published plans', () => {
    expect(
      PLANS.map(plan => [plan.planId, plan.amountMicroUsdPerMonth / 1e6, plan.requestsPerMonth]),
    ).toEqual([
      ['demo', 0, 1_000],
      ['developer', 49, 50_000],
      ['pro_agent', 299, 500_000],
      ['enterprise', 1_200, null],
    ]);
  });

  it('sells the published packs, each audit at the price of one audit call', () => {
    expect(CREDIT_PACKS.map(pack => [pack.packId, pack.amountMicroUsd / 1e6, pack.audits])).toEqual([
      ['pack_10', 10, 40],
      ['pack_50', 50, 200],
      ['pack_250', 250, 1_000],
    ]);
    for (const pack of CREDIT_PACKS) expect(pack.amountMicroUsd / pack.audits).toBe(AUDIT_CREDIT_MICRO_USD);
    expect(priceOf('agent.coi-verify').amountMicroUsd).toBe(AUDIT_CREDIT_MICRO_USD);
    expect(usdText(CARD_BUNDLE_MICRO_USD_MIN)).toBe('0.50');
  });
});

describe('money', () => {
  const amounts = fc.integer({ min: 1, max: AMOUNT_MICRO_USD_MAX });

  it('never asks for fewer satoshis than the price is worth, nor for a whole one more', () => {
    fc.assert(
      fc.property(amounts, amountMicroUsd => {
        const valueMicroUsd = satsFromMicroUsd(amountMicroUsd) * MICRO_USD_PER_SAT;
        expect(valueMicroUsd).toBeGreaterThanOrEqual(amountMicroUsd);
        expect(valueMicroUsd - amountMicroUsd).toBeLessThan(MICRO_USD_PER_SAT);
      }),
    );
  });

  it('writes every amount as a decimal that reads back exactly', () => {
    fc.assert(
      fc.property(amounts, amountMicroUsd => {
        const [whole, fraction = ''] = usdText(amountMicroUsd).split('.');
        expect(Number(whole) * 1e6 + Number(fraction.padEnd(6, '0'))).toBe(amountMicroUsd);
      }),
    );
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, AMOUNT_MICRO_USD_MAX + 1])(
    'refuses the amount %p and names it',
    amount => {
      expect(() => satsFromMicroUsd(amount)).toThrow(AmountError);
      expect(() => usdText(amount)).toThrow(String(amount));
      expect(() => microUsdFromSats(amount)).toThrow(AmountError);
    },
  );
});
