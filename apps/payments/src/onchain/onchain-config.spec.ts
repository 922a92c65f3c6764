import { describe, expect, it } from '@jest/globals';
import { ONCHAIN_VARIABLES, onchainFaults, onchainRailOf } from './onchain-config.js';

const KEY = `0x${'1'.repeat(64)}`;
const REMOTE = {
  X402_PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  X402_RPC_URL: 'https://node.example',
  X402_FACILITATOR_URL: 'https://facilitator.example/x402',
};
const { X402_FACILITATOR_URL: _url, ...terms } = REMOTE;
const LOCAL = { ...terms, X402_RPC_URL: 'http://127.0.0.1:8545', X402_FACILITATOR_KEY: KEY };
const known = { production: false };
const keys = { paymentChallenge: new Uint8Array(32) };

describe('the configuration of x402', () => {
  it('offers nothing where nothing of it is set, or only empty variables', () => {
    expect(onchainRailOf(known, {}, keys)).toBeUndefined();
    expect(
      onchainRailOf(known, Object.fromEntries(ONCHAIN_VARIABLES.map(name => [name, ''])), keys),
    ).toBeUndefined();
  });

  it.each([
    ['a facilitator of others', REMOTE],
    ['a facilitator of its own', LOCAL],
  ])('offers x402 over %s, on Base where no chain is named', (_name, variables) => {
    expect(onchainFaults({ production: true }, variables)).toEqual([]);
    expect(onchainRailOf({ production: true }, variables, keys)).toMatchObject({
      names: ['x402', 'mpp-evm'],
      sandbox: false,
    });
  });

  it('names every fault at once, and repeats no key', () => {
    const variables = {
      X402_PAY_TO: '0x12',
      X402_NETWORK: 'base',
      X402_FACILITATOR_KEY: '0xsecret',
      X402_FACILITATOR_URL: 'http://facilitator.example',
    };
    const faults = onchainFaults(known, variables);
    expect(faults).toEqual([
      'X402_PAY_TO: must be an address, 0x and 40 hexadecimal digits, got "0x12"',
      'X402_NETWORK: must be a known chain, as eip155:8453, got "base"',
      'X402_RPC_URL: is not set',
      expect.stringMatching(/^X402_FACILITATOR_URL: must be https/),
      expect.stringMatching(/^X402_FACILITATOR_KEY: must be a private key/),
      expect.stringMatching(/^X402_FACILITATOR_KEY: is set beside/),
    ]);
    expect(faults.join()).not.toMatch(/secret|facilitator\.example/);
    expect(() => onchainRailOf(known, variables, keys)).toThrow(/X402_RPC_URL/);
  });

  it('takes a wallet for refunds that is not the one of the gas, and a limit for it alone', () => {
    const faultsWith = (more: Record<string, string>) => onchainFaults(known, { ...LOCAL, ...more });
    const other = `0x${'5a'.repeat(32)}`;
    expect(faultsWith({ X402_REFUND_KEY: other, X402_REFUND_DAILY_MICRO_USD: '5000000' })).toEqual([]);
    expect(faultsWith({ X402_REFUND_KEY: KEY.toUpperCase().replace('0X', '0x') })).toEqual([
      expect.stringMatching(/^X402_REFUND_KEY: is X402_FACILITATOR_KEY/),
    ]);
    expect(faultsWith({ X402_REFUND_DAILY_MICRO_USD: '1' })).toEqual([
      expect.stringMatching(/without X402_REFUND_KEY/),
    ]);
    expect(faultsWith({ X402_REFUND_KEY: other, X402_REFUND_DAILY_MICRO_USD: '0' })).toHaveLength(1);
    expect(onchainRailOf(known, LOCAL, keys)?.refunds).toBeUndefined();
    expect(onchainRailOf(known, { ...LOCAL, X402_REFUND_KEY: other }, keys)?.refunds).toMatchObject({
      dailyLimitMicroUsd: 50_000_000,
    });
  });

  it('needs somebody who settles', () => {
    expect(onchainFaults(known, terms)).toEqual([
      expect.stringMatching(/^X402_FACILITATOR_URL: is not set, and neither/),
    ]);
    expect(onchainFaults(known, { ...LOCAL, X402_FACILITATOR_AUTHORIZATION: 'Bearer x' })).toEqual([
      expect.stringMatching(/without X402_FACILITATOR_URL/),
    ]);
  });

  it('takes no play money in production', () => {
    const variables = { ...LOCAL, X402_NETWORK: 'eip155:84532' };
    expect(onchainFaults({ production: true }, variables)).toEqual([expect.stringMatching(/test network/)]);
    expect(onchainRailOf(known, variables, keys)).toMatchObject({ sandbox: true });
  });

  it.each([
    'http://node.example',
    'http://127.0.0.1.example',
    'ftp://node.example',
    'https://user:password@node.example',
    'https://node.example/#x',
    'node.example',
    '//node.example',
  ])('speaks with no %s', url => {
    expect(onchainFaults(known, { ...REMOTE, X402_RPC_URL: url })).toHaveLength(1);
    expect(onchainFaults(known, { ...REMOTE, X402_FACILITATOR_URL: url })).toHaveLength(1);
  });

  it.each(['-1', '1.5', 'a lot', '1000001'])('takes no %s as the least that a facilitator settles', least => {
    expect(onchainFaults(known, { ...REMOTE, X402_LEAST_MICRO_USD: least })).toEqual([
      expect.stringMatching(/^X402_LEAST_MICRO_USD: /),
    ]);
    expect(() => onchainRailOf(known, { ...REMOTE, X402_LEAST_MICRO_USD: least }, keys)).toThrow(
      'X402_LEAST_MICRO_USD',
    );
  });

  it('is half of one where the least alone is set', () => {
    expect(onchainFaults(known, { X402_LEAST_MICRO_USD: '1000' }).join()).toMatch(/X402_PAY_TO: is not set/);
  });

  it('pays nobody at the zero address', () => {
    expect(onchainFaults(known, { ...REMOTE, X402_PAY_TO: `0x${'0'.repeat(40)}` })).toHaveLength(1);
  });
});
