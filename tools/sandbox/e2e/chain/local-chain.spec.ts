import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createWalletClient, http, parseSignature, publicActions, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { findAnvil } from '../../src/chain/anvil-binary.js';
import { JsonRpc } from '../../src/chain/json-rpc.js';
import {
  CHAIN_ID,
  type LocalChain,
  startLocalChain,
  USDC_ADDRESS,
  WALLET_MICRO_USD,
} from '../../src/chain/local-chain.js';
import { SANDBOX_USDC_ABI as abi } from '../../src/chain/sandbox-usdc.generated.js';

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;
const DOMAIN = { name: 'USDC', version: '2', chainId: CHAIN_ID, verifyingContract: USDC_ADDRESS } as const;
/** s of a signature and n − s sign the same: a token takes one of them. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** How often a chain of these tests looks whether there is something to keep. */
const KEEP_MS = 200;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chain-spec-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a facilitator and a payer do with the chain. */
function actors(chain: LocalChain) {
  const transport = http(chain.rpcUrl);
  const account = privateKeyToAccount(chain.facilitatorKey);
  const facilitator = createWalletClient({ account, chain: baseSepolia, transport }).extend(publicActions);
  const payer = privateKeyToAccount(chain.wallets[0].privateKey);
  const token = { address: chain.asset, abi } as const;
  const balanceOf = (address: `0x${string}`) =>
    facilitator.readContract({ ...token, functionName: 'balanceOf', args: [address] });
  const authorize = async (nonce: number, change: Record<string, unknown> = {}) => {
    const message = {
      from: payer.address,
      to: chain.payTo,
      value: 1_000n,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(Date.now() / 1_000) + 60),
      nonce: toHex(nonce, { size: 32 }),
      ...change,
    };
    const primaryType = 'TransferWithAuthorization';
    const signature = await payer.signTypedData({ domain: DOMAIN, types: TYPES, primaryType, message });
    return { message, signature };
  };
  const transfer = async ({ message: m, signature }: Awaited<ReturnType<typeof authorize>>) => {
    const args = [m.from, m.to, m.value, m.validAfter, m.validBefore, m.nonce, signature] as const;
    const hash = await facilitator.writeContract({
      ...token,
      functionName: 'transferWithAuthorization',
      args,
    });
    return facilitator.waitForTransactionReceipt({ hash });
  };
  return { facilitator, payer, token, balanceOf, authorize, transfer };
}

describe('the local chain', () => {
  it('is not offered where anvil is not installed', async () => {
    expect(findAnvil(import.meta.url, 'sunos-x64')).toBeUndefined();
    expect(findAnvil('file:///nowhere/at/all.js')).toBeUndefined();
  });

  it('is refused in production, by option and by NODE_ENV', async () => {
    await expect(startLocalChain({ production: true })).rejects.toThrow(/production/);
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = 'production';
    try {
      await expect(startLocalChain()).rejects.toThrow(/production/);
    } finally {
      process.env.NODE_ENV = before;
    }
  });
});

if (findAnvil() === undefined) {
  it('needs anvil', () => console.log('SKIPPED: anvil is not installed'));
} else {
  describe('a running local chain', () => {
    let chain: LocalChain;
    beforeAll(async () => {
      chain = (await startLocalChain())!;
    });
    afterAll(() => chain.close());

    it('looks like USDC on Base Sepolia to a wallet, and its test wallets have dollars', async () => {
      const client = createPublicClient({ transport: http(chain.rpcUrl) });
      expect(await client.getChainId()).toBe(baseSepolia.id);
      const read = (functionName: 'name' | 'version' | 'decimals') =>
        client.readContract({ address: chain.asset, abi, functionName });
      expect([await read('name'), await read('version'), await read('decimals')]).toEqual(['USDC', '2', 6]);
      const { balanceOf } = actors(chain);
      for (const { address } of chain.wallets) expect(await balanceOf(address)).toBe(WALLET_MICRO_USD);
      expect(chain.rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
    });

    it('moves dollars by an authorization, once, in either overload', async () => {
      const { facilitator, token, payer, authorize, transfer, balanceOf } = actors(chain);
      const before = await balanceOf(chain.payTo);
      const first = await authorize(1);
      expect((await transfer(first)).status).toBe('success');
      await expect(transfer(first)).rejects.toThrow(/authorization is used or canceled/);
      const { message: m, signature } = await authorize(2);
      const { r, s, v } = parseSignature(signature);
      const args = [m.from, m.to, m.value, m.validAfter, m.validBefore, m.nonce, Number(v), r, s] as const;
      await facilitator.waitForTransactionReceipt({
        hash: await facilitator.writeContract({ ...token, functionName: 'transferWithAuthorization', args }),
      });
      expect((await balanceOf(chain.payTo)) - before).toBe(2_000n);
      const used = (nonce: number) =>
        facilitator.readContract({
          ...token,
          functionName: 'authorizationState',
          args: [payer.address, toHex(nonce, { size: 32 })],
        });
      expect([await used(1), await used(2), await used(3)]).toEqual([true, true, false]);
    });

    it('refuses what the payer did not sign, what is over, not yet valid, or more than there is', async () => {
      const { authorize, transfer } = actors(chain);
      const good = await authorize(10);
      const { r, s, v } = parseSignature(good.signature);
      const otherS = toHex(CURVE_ORDER - BigInt(s), { size: 32 });
      const malleated = `${r}${otherS.slice(2)}${v === 27n ? '1c' : '1b'}` as const;
      await expect(transfer({ ...good, signature: malleated })).rejects.toThrow(/'s' value/);
      await expect(transfer({ ...good, message: { ...good.message, value: 1n } })).rejects.toThrow(
        /invalid signature/,
      );
      await expect(transfer({ ...good, signature: good.signature.slice(0, -2) as '0x' })).rejects.toThrow(
        /length/,
      );
      await expect(transfer(await authorize(11, { validBefore: 1n }))).rejects.toThrow(/expired/);
      await expect(transfer(await authorize(12, { validAfter: 1n << 60n }))).rejects.toThrow(/not yet valid/);
      await expect(transfer(await authorize(13, { value: 1n << 100n }))).rejects.toThrow(/exceeds balance/);
      expect((await transfer(good)).status).toBe('success');
    });

    it('moves nothing by an authorization that its payer cancelled', async () => {
      const { facilitator, token, payer, authorize, transfer } = actors(chain);
      const cancelled = await authorize(20);
      const nonce = cancelled.message.nonce;
      const signature = await payer.signTypedData({
        domain: DOMAIN,
        types: TYPES,
        primaryType: 'CancelAuthorization',
        message: { authorizer: payer.address, nonce },
      });
      await facilitator.writeContract({
        ...token,
        functionName: 'cancelAuthorization',
        args: [payer.address, nonce, signature],
      });
      await expect(transfer(cancelled)).rejects.toThrow(/used or canceled/);
    });
  });

  describe('the clock of a local chain', () => {
    const rpc = async (chain: LocalChain, method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      return (await (await fetch(chain.rpcUrl, { method: 'POST', headers, body })).json()) as {
        result: unknown;
      };
    };
    const blockNumber = async (chain: LocalChain) => Number((await rpc(chain, 'eth_blockNumber')).result);

    it('goes on while nobody pays: what is valid since five seconds settles after 20 idle minutes', async () => {
      const chain = (await startLocalChain())!;
      try {
        const { facilitator, token, authorize, transfer } = actors(chain);
        // Its newest block is 20 minutes old then.
        await rpc(chain, 'evm_increaseTime', 1_200);
        const nowSeconds = BigInt(Math.floor(Date.now() / 1_000) + 1_200);
        const change = { validAfter: nowSeconds - 5n, validBefore: nowSeconds + 60n };
        const authorization = await authorize(1, change);
        const { message: m, signature } = authorization;
        const args = [m.from, m.to, m.value, m.validAfter, m.validBefore, m.nonce, signature] as const;
        // Facilitators ask whether it would settle, before they settle.
        await facilitator.simulateContract({ ...token, functionName: 'transferWithAuthorization', args });
        expect((await transfer(authorization)).status).toBe('success');
      } finally {
        await chain.close();
      }
    });

    it('makes no blocks while nobody asks, one for all who ask at once, and saves none of them', async () => {
      const stateDir = join(folder, 'idle');
      const chain = (await startLocalChain({ stateDir, keepEveryMs: KEEP_MS }))!;
      const state = join(stateDir, 'chain', 'state.json');
      const saved = () =>
        stat(state).then(
          ({ ino }) => ino,
          () => undefined,
        );
      try {
        while ((await saved()) === undefined) await new Promise(resolve => setTimeout(resolve, 50));
        const [file, before] = [await saved(), await blockNumber(chain)];
        const { balanceOf } = actors(chain);
        await Promise.all(Array.from({ length: 20 }, () => balanceOf(chain.payTo)));
        const made = (await blockNumber(chain)) - before;
        expect(made).toBeGreaterThanOrEqual(1);
        expect(made).toBeLessThan(10);
        // The keeper looks again once it has looked.
        const asked = jest.spyOn(JsonRpc.prototype, 'call');
        const looks = () => asked.mock.calls.filter(([method]) => method === 'eth_blockNumber').length;
        while (looks() < 2) await new Promise(resolve => setTimeout(resolve, 50));
        asked.mockRestore();
        expect((await blockNumber(chain)) - before).toBe(made);
        expect(await saved()).toBe(file);
      } finally {
        await chain.close();
      }
    });
  });

  describe('a local chain that keeps its state', () => {
    it('keeps its port, and takes another where that is taken', async () => {
      const stateDir = join(folder, 'port');
      const first = (await startLocalChain({ stateDir }))!;
      await first.close();
      const second = (await startLocalChain({ stateDir }))!;
      await second.close();
      expect(second.rpcUrl).toBe(first.rpcUrl);
      const stranger = createServer();
      await new Promise<void>(resolve => {
        stranger.listen(Number(new URL(first.rpcUrl).port), '127.0.0.1', resolve);
      });
      try {
        const third = (await startLocalChain({ stateDir }))!;
        await third.close();
        expect(third.rpcUrl).not.toBe(first.rpcUrl);
      } finally {
        await new Promise(resolve => stranger.close(resolve));
      }
    });

    it('goes on after a restart: balances, used authorizations and their transactions', async () => {
      const first = (await startLocalChain({ stateDir: folder }))!;
      const before = actors(first);
      const authorization = await before.authorize(1);
      const { transactionHash } = await before.transfer(authorization);
      await first.close();
      const second = (await startLocalChain({ stateDir: folder }))!;
      try {
        const after = actors(second);
        expect(await after.balanceOf(second.payTo)).toBe(1_000n);
        await expect(after.transfer(authorization)).rejects.toThrow(/used or canceled/);
        const logs = await after.facilitator.getContractEvents({
          ...after.token,
          eventName: 'AuthorizationUsed',
          args: { authorizer: authorization.message.from },
          fromBlock: 0n,
        });
        expect(logs.map(log => log.transactionHash)).toEqual([transactionHash]);
        expect((await after.transfer(await after.authorize(2))).status).toBe('success');
      } finally {
        await second.close();
      }
    });

    it('keeps what was settled a moment before a kill -9, ends what it left behind, and starts again', async () => {
      const stateDir = join(folder, 'killed');
      const first = (await startLocalChain({ stateDir, keepEveryMs: KEEP_MS }))!;
      const { authorize, transfer, balanceOf } = actors(first);
      await transfer(await authorize(1));
      const paid = await balanceOf(first.payTo);
      const state = join(stateDir, 'chain', 'state.json');
      const kept = async () =>
        (await readFile(state, 'utf8').catch(() => '')).includes(toHex(1, { size: 32 }));
      while (!(await kept())) await new Promise(resolve => setTimeout(resolve, 50));
      // Still running, as after the death of its owner: the next start ends it.
      const second = (await startLocalChain({ stateDir }))!;
      try {
        expect(() => process.kill(first.pid, 0)).toThrow();
        expect(await actors(second).balanceOf(second.payTo)).toBe(paid);
      } finally {
        await second.close();
        await first.close();
      }
    });

    it('puts a state aside that anvil cannot read, and says so', async () => {
      const stateDir = join(folder, 'torn');
      await (await startLocalChain({ stateDir }))!.close();
      await writeFile(join(stateDir, 'chain', 'state.json'), '{"block":');
      const lines: string[] = [];
      const chain = (await startLocalChain({ stateDir, log: line => lines.push(line) }))!;
      await chain.close();
      expect(lines).toEqual([expect.stringMatching(/could not be read and lies in .*unreadable/)]);
      expect(
        (await readdir(join(stateDir, 'chain'))).filter(name => name.includes('unreadable')),
      ).toHaveLength(1);
    });

    it('leaves no process behind', async () => {
      const chain = (await startLocalChain())!;
      await chain.close();
      expect(() => process.kill(chain.pid, 0)).toThrow();
    });
  });
}
