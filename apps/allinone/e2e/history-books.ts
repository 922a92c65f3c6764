import type { LocalChain, StripeEmulator } from '@svc/sandbox';
import Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import { digestOf, type LineMembers } from './history-requests.js';

/** What there is of rails and books beside a history's requests. */
export interface Books {
  /** The tables of payments. */
  readonly database: DataSource;
  readonly emulator?: StripeEmulator;
  readonly chain?: LocalChain;
}

/** A line of a history without its time. */
export type Line = LineMembers & { readonly kind: string };

interface ClaimRow {
  readonly claim_id: string;
  readonly rail_family: 'lightning' | 'stripe' | 'x402' | 'account';
  readonly proof_key: string;
  readonly token_digest: string | null;
  readonly payer: string | null;
  readonly idempotency_key: string | null;
  readonly charged: number | null;
  readonly [column: string]: unknown;
}

const MICRO_USD_PER_CENT = 10_000;
/** keccak256 of `Transfer(address,address,uint256)` and of `AuthorizationUsed(address,bytes32)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

/** Where the ledger's accounts lie in a history. */
const PLACES: Readonly<Record<string, string>> = {
  'lightning-clearing': 'rail/lightning',
  'processor-clearing': 'rail/card',
  'onchain-clearing': 'rail/chain',
  'promotion:arena': 'given',
};

/** How the books stand, and what the rails but Lightning have taken and given back: the lines with which a history ends. */
export async function readBooks(books: Books): Promise<Line[]> {
  const { database, emulator, chain } = books;
  const rows: ClaimRow[] = await database.query(
    `SELECT claim_id, rail_family, proof_key, token_digest, payer, operation_id, idempotency_key, state, settlement, funding,
            amount_micro_usd::float8 AS amount, charged_micro_usd::float8 AS charged, receipt ->> 'reference' AS receipt
       FROM payment_claim ORDER BY claimed_at, claim_id`,
  );
  return [
    ...(emulator ? await cardMoney(emulator, rows) : []),
    ...(chain ? await chainMoney(chain) : []),
    ...rows.map(claimLine),
    ...(await entryLines(database)),
    ...(await accountLines(database)),
  ];
}

function claimLine(row: ClaimRow): Line {
  const { claim_id: id, operation_id: operation, idempotency_key: key, charged } = row;
  const { state, settlement, funding, amount, receipt } = row;
  return {
    ...{ kind: 'claim', id, operation, payment: paymentOf(row), state, settlement, funding, amount, receipt },
    // Whatever a payer called its purchase is a digest in a history.
    ...(key === null ? {} : { idempotency: digestOf(key) }),
    ...(charged === null ? {} : { charged }),
  };
}

/** A claim that came to nothing has its proof marked with its own id, so that the proof is free again. */
function paymentOf({
  rail_family: family,
  proof_key: proof,
  token_digest: token,
  payer,
  claim_id: id,
}: ClaimRow) {
  switch (family) {
    case 'lightning':
      return `lightning:${proof}`;
    case 'stripe':
      return `card:${token ?? `of ${id}`}`;
    case 'x402':
      return `chain:${/(0x[0-9a-f]{40}:0x[0-9a-f]{64})(?!.*0x)/.exec(proof)?.[1] ?? proof}`;
    case 'account':
      return payer!;
  }
}

async function entryLines(database: DataSource): Promise<Line[]> {
  const rows: { id: string; account: string; amount: number; kind: string; claim: string | null }[] =
    await database.query(
      `SELECT transaction_id AS id, account, amount_micro_usd::float8 AS amount, kind, claim_id AS claim
         FROM ledger_entry ORDER BY entry_id`,
    );
  return rows.map(({ id, account, amount, kind, claim }) => ({
    ...{ kind: 'entry', transaction: id, account: placeOf(account, kind), amount },
    ...(claim === null ? {} : { claim }),
  }));
}

/** What was granted came out of the treasury. */
function placeOf(account: string, kind: string): string {
  if (account === 'treasury') return kind === 'grant' ? 'given' : 'sold';
  if (account === 'holds' || account.startsWith('holds:')) return 'held';
  return PLACES[account] ?? account.replace(/^customer:/, 'customer/');
}

async function accountLines(database: DataSource): Promise<Line[]> {
  const rows: Record<string, unknown>[] = await database.query(
    `SELECT account_id AS id, balance_micro_usd::float8 AS balance,
            ARRAY(SELECT key_id FROM api_key WHERE api_key.account_id = account.account_id ORDER BY 1) AS keys,
            coalesce((SELECT sum(used) FROM quota_usage WHERE subject = 'account:' || account_id), 0)::float8 AS used
       FROM account ORDER BY created_at, account_id`,
  );
  return rows.map(({ id, keys, balance, used }) => ({ kind: 'account', id, keys, balance, used }));
}

/** The processor knows of a charge which proof it is for, as it was told when it took it. */
async function cardMoney({ port, secretKey }: StripeEmulator, claims: readonly ClaimRow[]): Promise<Line[]> {
  const stripe = new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
  const [lines, payments] = [[] as Line[], new Map<string, string>()];
  const line = (what: string, reference: string, cents: number, payment: string | undefined): Line => ({
    ...{ kind: 'money', rail: 'card', what, reference, amount: cents * MICRO_USD_PER_CENT },
    ...(payment === undefined ? {} : { payment }),
  });
  for await (const { id, status, amount_received: cents, metadata } of stripe.paymentIntents.list({
    limit: 100,
  })) {
    if (status !== 'succeeded') continue;
    const claim = claims.find(row => row.rail_family === 'stripe' && row.proof_key === metadata.proof_key);
    const payment = claim && paymentOf(claim);
    if (payment !== undefined) payments.set(id, payment);
    lines.push(line('in', id, cents, payment));
  }
  for await (const { id, status, amount, payment_intent: of } of stripe.refunds.list({ limit: 100 }))
    if (status === 'succeeded') lines.push(line('back', id, amount, payments.get(String(of))));
  return lines;
}

interface Log {
  readonly transactionHash: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Transfers to the service that carry an authorization out, as the token's own events tell them. */
async function chainMoney({ rpcUrl, asset, payTo }: LocalChain): Promise<Line[]> {
  const logsOf = async (topics: (string | null)[]): Promise<Log[]> => {
    const params = [{ fromBlock: '0x0', toBlock: 'latest', address: asset, topics }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body });
    const { result, error } = (await response.json()) as { result?: Log[]; error?: unknown };
    if (!result) throw new Error(`eth_getLogs: ${JSON.stringify(error)}`);
    return result;
  };
  const topicOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const used = await logsOf([AUTHORIZATION_USED]);
  const transfers = await logsOf([TRANSFER, null, topicOf(payTo)]);
  return transfers.map(({ transactionHash, topics, data }) => {
    const authorized = used.find(
      log => log.transactionHash === transactionHash && log.topics[1] === topics[1],
    );
    return {
      ...{ kind: 'money', rail: 'chain', what: 'in', reference: transactionHash, amount: Number(data) },
      ...(authorized
        ? { payment: `chain:0x${authorized.topics[1].slice(-40)}:${authorized.topics[2]}`.toLowerCase() }
        : {}),
    };
  });
}
