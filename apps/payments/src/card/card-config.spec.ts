import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@svc/platform';
import { cardFaults, cardSettingsOf } from './card-config.js';

const development = { production: false, secrets: {} };
const production = { production: true, secrets: {} };
const TEST = { STRIPE_SECRET_KEY: 'sk_test_0123456789', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' };
const LIVE = {
  STRIPE_SECRET_KEY: 'sk_live_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  STRIPE_NETWORK_ID: 'profile_1',
  PUBLIC_URL: 'https://svc.example, https://desks.svc.example',
};

describe('the card processor’s configuration', () => {
  it('is absent without a key, and whole with one and its webhook’s secret', () => {
    expect(cardSettingsOf(development, {})).toBeUndefined();
    expect(cardSettingsOf(production, {})).toBeUndefined();
    expect(cardSettingsOf(development, TEST)?.stripe.testMode).toBe(true);
    expect(cardSettingsOf(production, LIVE)).toMatchObject({
      networkId: 'profile_1',
      publicUrl: 'https://svc.example',
    });
    expect(cardSettingsOf(production, LIVE)?.stripe.testMode).toBe(false);
    expect(cardFaults(production, { ...LIVE, STRIPE_SECRET_KEY: 'rk_live_0123456789' })).toEqual([]);
  });

  it.each([
    [
      'the emulator',
      { ...LIVE, ...TEST, STRIPE_API_URL: 'http://127.0.0.1:12111' },
      /STRIPE_SECRET_KEY: is a test key/,
    ],
    [
      'the emulator, again',
      { ...LIVE, ...TEST, STRIPE_API_URL: 'http://127.0.0.1:12111' },
      /STRIPE_API_URL: is set/,
    ],
    ['a test key', { ...LIVE, ...TEST }, /STRIPE_SECRET_KEY: is a test key/],
    [
      'a live key for another host',
      { ...LIVE, STRIPE_API_URL: 'https://stripe.example' },
      /STRIPE_API_URL: is set/,
    ],
    ['no address for browsers', { ...LIVE, PUBLIC_URL: undefined }, /PUBLIC_URL: is not set/],
    [
      'an address for browsers without TLS',
      { ...LIVE, PUBLIC_URL: 'http://svc.example' },
      /PUBLIC_URL: must be https/,
    ],
    ['no profile', { ...LIVE, STRIPE_NETWORK_ID: undefined }, /STRIPE_NETWORK_ID: is not set/],
    ['no signing secret', { ...LIVE, STRIPE_WEBHOOK_SECRET: undefined }, /STRIPE_WEBHOOK_SECRET: is not set/],
  ])('production refuses %s', (_name, variables, fault) => {
    expect(cardFaults(production, variables)).toContainEqual(expect.stringMatching(fault));
    expect(() => cardSettingsOf(production, variables)).toThrow(ConfigError);
  });

  it.each([
    ['a live key for the emulator', { ...LIVE, STRIPE_API_URL: 'http://127.0.0.1:1' }],
    ['the emulator in the clear elsewhere', { ...TEST, STRIPE_API_URL: 'http://stripe.example' }],
    ['an address without a key', { STRIPE_API_URL: 'http://127.0.0.1:1' }],
    ['what is no key', { ...TEST, STRIPE_SECRET_KEY: 'pk_test_0123456789' }],
    ['a spelling of the token that there is none of', { ...TEST, STRIPE_SPT_PARAMETER: 'spt' }],
  ])('development refuses %s', (_name, variables) => {
    expect(cardFaults(development, variables)).toHaveLength(1);
  });

  it('names no secret in a fault', () => {
    const faults = cardFaults(production, { ...TEST, STRIPE_SECRET_KEY: 'sk_wrong_0123456789' }).join();
    expect(faults).toMatch(/STRIPE_SECRET_KEY/);
    expect(faults).not.toContain('0123456789');
  });
});
