import { type ToolName, x402Contract } from '@svc/contracts';
import { MeasurementRegistry, startService } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { customer, Ledger } from '../src/ledger/ledger.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';
import { ProverScript, proverStandIn } from './prover-stand-in.js';
import type { PaymentsParts } from '../src/payments.module.js';

type Json = Record<string, unknown>;

/** An answer of an execution, as these tests read it. */
export interface Answer extends Json {
  readonly sagaId: string;
  readonly status: string;
  readonly walEvents: { seq: number; kind: string; step?: string; payload: Json; hash: string }[];
}

/** An account that pays, and what its tickets buy. */
export interface Buyer {
  readonly accountId: string;
  readonly key: string;
  balance(): Promise<number>;
  ticket(tool?: ToolName, more?: { agentId?: string; capability?: string }): Promise<string>;
  execute(input: Json, ticket?: string): Promise<Answer>;
}

/** The payments service with the tools of the catalogue, and a prover that the tests script. */
export interface ToolFixture extends PaymentsFixture {
  readonly prover: ProverScript;
  buyer(microUsd?: number, plan?: 'demo' | 'developer'): Promise<Buyer>;
  /** Findings of the reconciliation: what does not agree with the ledger. */
  findings(): Promise<unknown[]>;
  /** What lies on an account of the house. */
  houseBalance(account: string): Promise<number>;
}

export async function startTools(parts: PaymentsParts = {}): Promise<ToolFixture> {
  const fixture = await startPayments({ upkeepIntervalMs: 3_600_000, ...parts });
  const { bus, database, environment } = fixture;
  const prover = new ProverScript();
  const service = await startService(
    { name: 'prover', migrations: [], module: () => proverStandIn(prover) },
    { ...environment, service: 'prover' },
  );
  const reconciliation = new LedgerReconciliation(database, new MeasurementRegistry(), environment);
  return {
    ...fixture,
    prover,
    buyer: async (microUsd = 100_000, plan = 'demo') => {
      const { accountId, key } = await customerWith(fixture, microUsd, plan);
      const ticket: Buyer['ticket'] = async (tool = 'm2m_license_contract', more = {}) => {
        const idempotencyKey = randomUUID();
        const paid = await bus.call(x402Contract.verifyPayment, {
          tool,
          accountKey: key,
          idempotencyKey,
          ...more,
        });
        return paid.result.ticket;
      };
      return {
        accountId,
        key,
        ticket,
        balance: async () => (await new Accounts().find(database.manager, accountId))!.balanceMicroUsd,
        execute: async (input, given) => {
          const { result } = await bus.call(x402Contract.execute, {
            ticket: given ?? (await ticket()),
            input,
          });
          return result as unknown as Answer;
        },
      };
    },
    findings: async () => [...(await reconciliation.run()).findings],
    houseBalance: async account => {
      const [{ sum }]: { sum: string | null }[] = await database.query(
        `SELECT sum(amount_micro_usd) AS sum FROM ledger_entry WHERE account = $1`,
        [account],
      );
      return Number(sum ?? 0);
    },
    close: async () => {
      await fixture.close();
      await service.close();
    },
  };
}

async function customerWith({ database }: PaymentsFixture, microUsd: number, plan: 'demo' | 'developer') {
  const keys = new ApiKeys(database, accountSecretsOf({ production: false, secrets: SECRETS }));
  return database.transaction(async manager => {
    const accountId = await new Accounts().create(manager, { kind: 'purchased', plan });
    const { key } = await keys.issue(manager, accountId);
    const legs = [
      { account: 'processor-clearing' as const, amountMicroUsd: -microUsd },
      { account: customer(accountId), amountMicroUsd: microUsd },
    ];
    if (microUsd > 0) await new Ledger().post(manager, { kind: 'top-up', legs });
    return { accountId, key };
  });
}

/** `KIND step` of each record, in order. */
export const recordsOf = ({ walEvents }: Answer): string[] =>
  walEvents.map(({ kind, step }) => (step === undefined ? kind : `${kind} ${step}`));
