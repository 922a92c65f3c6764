import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findAnvil } from './anvil-binary.js';
import { AnvilError, type AnvilOrder, AnvilProcess } from './anvil-process.js';
import { ChainFront } from './chain-front.js';
import { ChainState } from './chain-state.js';
import { JsonRpc, RpcError } from './json-rpc.js';
import { SANDBOX_USDC_CODE } from './sandbox-usdc.generated.js';

/** Base Sepolia's number, and the address of USDC on it: wallets need no settings of their own. */
export const CHAIN_ID = 84_532;
export const USDC_ADDRESS = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
/** What each test wallet has at least at a start: 1,000 dollars, in millionths. */
export const WALLET_MICRO_USD = 1_000_000_000n;

type Hex = `0x${string}`;

export interface TestWallet {
  readonly address: Hex;
  /** Known to all the world. */
  readonly privateKey: Hex;
}

/** Accounts of anvil's test mnemonic, `test test test … junk`. */
const ACCOUNTS: readonly TestWallet[] = [
  {
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  },
  {
    address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  },
  {
    address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    privateKey: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  },
  {
    address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  },
];
const [FACILITATOR, RECIPIENT, ...WALLETS] = ACCOUNTS;

export interface LocalChainOptions {
  /** Where its state is kept, so that payments survive a restart; without it nothing is. */
  readonly stateDir?: string;
  /** There is no sandbox in production. Also read from NODE_ENV. */
  readonly production?: boolean;
  /** 0, the default, takes the port of last time again if there is a state and it is free, else any. */
  readonly port?: number;
  /** The program, as {@link findAnvil} finds it. */
  readonly binary?: string;
  /** How often it is looked whether there is something to keep, milliseconds; 1,000 by default. */
  readonly keepEveryMs?: number;
  /** Told what a person should know, one line each. */
  readonly log?: (line: string) => void;
}

/** An Ethereum chain on this machine alone, with a dollar token that takes payments by authorization (ERC-3009). */
export interface LocalChain {
  /** `http://127.0.0.1:…` */
  readonly rpcUrl: string;
  readonly chainId: number;
  /** As x402 names it: `eip155:84532`. */
  readonly network: `eip155:${number}`;
  /** Address of the token. */
  readonly asset: Hex;
  /** Key of an account with money for gas, to settle payments with. */
  readonly facilitatorKey: Hex;
  /** Whom to have paid. */
  readonly payTo: Hex;
  /** Wallets with dollars, to pay with. */
  readonly wallets: readonly TestWallet[];
  readonly pid: number;
  close(): Promise<void>;
}

/**
 * Starts the chain on loopback.
 * @returns undefined where anvil is not installed
 * @throws Error in production; AnvilError when anvil does not start
 */
export async function startLocalChain(options: LocalChainOptions = {}): Promise<LocalChain | undefined> {
  if (options.production === true || process.env.NODE_ENV === 'production') {
    throw new Error('The local chain is a sandbox, and production has none.');
  }
  const binary = options.binary ?? findAnvil();
  if (binary === undefined) return undefined;
  const home = await homeOf(options.stateDir);
  const anvil = await startAnvil(binary, home, options);
  let front: ChainFront | undefined;
  const end = async () => {
    await front?.close();
    await anvil.end();
    if (options.stateDir === undefined) await rm(home, { recursive: true, force: true });
  };
  try {
    const rpc = new JsonRpc(anvil.rpcUrl);
    await plantToken(rpc);
    front = await startFront(anvil, home, options.port ?? 0);
    const state =
      options.stateDir === undefined
        ? undefined
        : new ChainState(rpc, stateFileOf(home), options.keepEveryMs);
    state?.start();
    return chainOf(anvil, front, async () => {
      await state?.stop().catch(() => options.log?.('chain: its newest state could not be kept'));
      await end();
    });
  } catch (error) {
    await end();
    throw error;
  }
}

/** On the port of last time, so that an address that was printed, or put into a wallet, stays good. */
async function startFront(anvil: AnvilProcess, home: string, port: number): Promise<ChainFront> {
  const portFile = join(home, 'port');
  const kept = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  const front = await ChainFront.start(anvil.rpcUrl, port, kept > 0 && kept < 65_536 ? kept : 0);
  await writeFile(portFile, String(front.port), { mode: 0o600 });
  return front;
}

function chainOf(anvil: AnvilProcess, front: ChainFront, end: () => Promise<void>): LocalChain {
  let closing: Promise<void> | undefined;
  return {
    rpcUrl: `http://127.0.0.1:${front.port}`,
    chainId: CHAIN_ID,
    network: `eip155:${CHAIN_ID}`,
    asset: USDC_ADDRESS,
    facilitatorKey: FACILITATOR.privateKey,
    payTo: RECIPIENT.address,
    wallets: WALLETS,
    pid: anvil.pid,
    close: () => (closing ??= end()),
  };
}

async function homeOf(stateDir: string | undefined): Promise<string> {
  if (stateDir === undefined) return mkdtemp(join(tmpdir(), 'local-chain-'));
  const home = join(resolve(stateDir), 'chain');
  await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}

const stateFileOf = (home: string) => join(home, 'state.json');

/** A state that anvil cannot read is put aside: a sandbox that does not start helps nobody. */
async function startAnvil(binary: string, home: string, { log }: LocalChainOptions): Promise<AnvilProcess> {
  const order: AnvilOrder = { binary, home, chainId: CHAIN_ID, accounts: ACCOUNTS.length };
  const stateFile = stateFileOf(home);
  const isThere = await stat(stateFile).then(
    found => found.isFile(),
    () => false,
  );
  if (!isThere) return AnvilProcess.start(order);
  try {
    return await AnvilProcess.start({ ...order, stateFile });
  } catch (error) {
    if (!(error instanceof AnvilError)) throw error;
    const aside = `${stateFile}.unreadable-${randomBytes(4).toString('hex')}`;
    await rename(stateFile, aside);
    log?.(`chain: its state could not be read and lies in ${aside} (${error.message})`);
    return AnvilProcess.start(order);
  }
}

async function plantToken(rpc: JsonRpc): Promise<void> {
  await rpc.call('anvil_setCode', USDC_ADDRESS, SANDBOX_USDC_CODE);
  for (const { address } of WALLETS) {
    const held = BigInt(
      await rpc.call<string>('eth_call', { to: USDC_ADDRESS, data: calldata('70a08231', address) }, 'latest'),
    );
    if (held < WALLET_MICRO_USD) await mint(rpc, address, WALLET_MICRO_USD - held);
  }
}

async function mint(rpc: JsonRpc, to: Hex, microUsd: bigint): Promise<void> {
  // Answers with the receipt, once it is mined.
  const { status } = await rpc.call<{ status: string }>('eth_sendTransactionSync', {
    from: FACILITATOR.address,
    to: USDC_ADDRESS,
    data: calldata('40c10f19', to, microUsd),
  });
  if (status !== '0x1') throw new RpcError('mint', 'was reverted');
}

/** Call data of `balanceOf(address)` and `mint(address,uint256)`: a selector and words of 32 bytes. */
function calldata(selector: string, ...words: (Hex | bigint)[]): Hex {
  const encoded = words.map(word => BigInt(word).toString(16).padStart(64, '0'));
  return `0x${selector}${encoded.join('')}`;
}
