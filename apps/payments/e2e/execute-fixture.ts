import { type PaymentCredential, TOOL_NAMES, type ToolName, x402Contract } from '@svc/contracts';
import { type JsonObject, type SagaDefinition, StepFailed, type StoredSaga } from '@svc/durability';
import { type BusClient, problem, type ProblemError } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { DerivedCredit } from '../src/account/derived-credit.js';
import { CreditReversals } from '../src/card/credit-reversals.js';
import type { TicketFacts, ToolSaga } from '../src/execute/tool-saga.js';
import { customer, Ledger } from '../src/ledger/ledger.js';
import { Quotas } from '../src/quota/quotas.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { TicketHolds } from '../src/ticket/ticket-holds.js';
import { claimParts, type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';

/**
 * A tool whose saga moves the money of its ticket as every tool's does, and fails as it is told to. Its definition is
 * the service's; what it counts is what the tests hold the answers against.
 */
export class ScriptedTool implements ToolSaga {
  readonly definition: SagaDefinition<EntityManager>;
  /** What was executed, by the `note` of its input. */
  readonly effects: string[] = [];
  answersMade = 0;
  /** The step that fails for good. */
  failAt: 'reserve' | 'work' | 'settle' | undefined;
  /** Whether compensations of the work fail. */
  undoFails = false;
  /** Waited for before the work. */
  gate: Promise<void> | undefined;
  refusal: ProblemError | undefined;
  beginRefusal: ProblemError | undefined;
  answerRefusal: ProblemError | undefined;

  constructor(
    readonly tool: ToolName,
    holds: () => TicketHolds,
  ) {
    const failIf = (step: ScriptedTool['failAt']) => {
      if (this.failAt === step) throw new StepFailed('UNPROCESSABLE', `${step} was told to fail`, false);
    };
    this.definition = {
      name: `scripted-${tool}`,
      version: 1,
      undoAttemptsMax: 2,
      steps: [
        {
          name: 'reserve',
          kind: 'local',
          run: async (tx, { sagaId }) => {
            failIf('reserve');
            await holds().reserve(tx, sagaId);
            return { logged: {} };
          },
          undo: async (tx, { sagaId }) => {
            if (this.undoFails) throw new Error('the compensation was told to fail');
            await holds().release(tx, sagaId);
            return { logged: {} };
          },
        },
        {
          name: 'work',
          kind: 'remote',
          run: async ({ kept }) => {
            await this.gate;
            failIf('work');
            this.effects.push(String((kept.input as JsonObject).note ?? ''));
            return { logged: {} };
          },
          ask: async () => undefined,
          undo: async () => ({ logged: {} }),
        },
        {
          name: 'settle',
          kind: 'local',
          run: async (tx, { sagaId }) => {
            failIf('settle');
            return { logged: { treasury: (await holds().capture(tx, sagaId)) ?? 'quota' } };
          },
          undo: async (tx, { sagaId }) => {
            await holds().uncapture(tx, sagaId);
            return { logged: {} };
          },
        },
      ],
      aborted: async (tx, { sagaId, begun }) => {
        await holds().release(tx, sagaId);
        return { amountMicroUsd: begun.amountMicroUsd, rail: begun.rail, tool: begun.tool };
      },
    };
  }

  async admit(): Promise<void> {
    if (this.refusal) throw this.refusal;
  }

  async begin(_tx: EntityManager, { input }: { input: JsonObject }) {
    if (this.beginRefusal) throw this.beginRefusal;
    return { input, logged: {}, kept: { input } };
  }

  async answer(saga: StoredSaga, ticket: TicketFacts): Promise<JsonObject> {
    if (this.answerRefusal) throw this.answerRefusal;
    if (saga.state === 'COMPENSATED') {
      const { message } = saga.kept.failure as { message: string };
      if ((saga.kept.input as JsonObject).simulateFault !== true) throw problem('UNPROCESSABLE', message);
    }
    this.answersMade++;
    return { input: saga.kept.input, ticketId: ticket.ticketId, made: this.answersMade };
  }
}

/** The payments service with scripted tools and a scripted rail, and what its tests look into it with. */
export interface ExecuteFixture extends PaymentsFixture, ReturnType<typeof claimParts> {
  readonly rail: ScriptedRail;
  readonly m2m: ScriptedTool;
  readonly spatial: ScriptedTool;
  readonly holds: TicketHolds;
  readonly keys: ApiKeys;
  /** An account with a key and, where given, credit and a plan. */
  customer(given?: {
    microUsd?: number;
    plan?: 'demo' | 'developer';
  }): Promise<{ accountId: string; key: string }>;
  balanceOf(accountId: string): Promise<number>;
  usedRequests(accountId: string): Promise<number>;
  /** Findings of the reconciliation: what does not agree with the ledger. */
  findings(): Promise<string[]>;
  /** What lies on each account of the house, and on those of all customers together; zeros left out. */
  net(): Promise<Record<string, number>>;
  ticketRow(ticket: string): Promise<Record<string, unknown>>;
}

export async function startExecutions(): Promise<ExecuteFixture> {
  const rail = new ScriptedRail();
  const card = new ScriptedRail('stripe');
  // The tools are there before the database that they book in.
  const booking: { holds?: TicketHolds } = {};
  const tools = TOOL_NAMES.map(tool => new ScriptedTool(tool, () => booking.holds!));
  const named = (name: ToolName) => tools.find(({ tool }) => tool === name)!;
  const [m2m, spatial] = [named('m2m_license_contract'), named('zk_prove_spatial')];
  const fixture = await startPayments({
    moreRails: [rail, card],
    tools,
    upkeepIntervalMs: 3_600_000,
  });
  const { database } = fixture;
  const holds = holdsOf(database);
  booking.holds = holds;
  const secrets = accountSecretsOf({ production: false, secrets: SECRETS });
  const keys = new ApiKeys(database, secrets);
  const accounts = new Accounts();
  const parts = claimParts(database, [rail, card]);
  const reconciliation = new LedgerReconciliation(database, parts.measurements, fixture.environment);
  return {
    ...fixture,
    ...{ rail, m2m, spatial, holds, keys, ...parts },
    customer: ({ microUsd = 0, plan = 'demo' } = {}) =>
      database.transaction(async manager => {
        const accountId = await accounts.create(manager, { kind: 'purchased', plan });
        const { key } = await keys.issue(manager, accountId);
        const legs = [
          { account: 'processor-clearing' as const, amountMicroUsd: -microUsd },
          { account: customer(accountId), amountMicroUsd: microUsd },
        ];
        if (microUsd > 0) await new Ledger().post(manager, { kind: 'top-up', legs });
        return { accountId, key };
      }),
    balanceOf: async accountId => (await accounts.find(database.manager, accountId))!.balanceMicroUsd,
    usedRequests: async accountId => (await new Quotas(database).state(accountId))!.used,
    findings: async () =>
      (await reconciliation.run()).findings.map(({ kind, detail }) => `${kind}: ${detail}`),
    net: () => netOf(database),
    ticketRow: async ticket => {
      const rows: Record<string, unknown>[] = await database.query(
        `SELECT * FROM execution_ticket WHERE ticket_hash = sha256($1::bytea)`,
        [Buffer.from(ticket)],
      );
      return rows[0];
    },
  };
}

function holdsOf(database: DataSource): TicketHolds {
  const ledger = new Ledger();
  const derived = new DerivedCredit(database, accountSecretsOf({ production: false, secrets: SECRETS }));
  return new TicketHolds(ledger, derived, new Quotas(database), new CreditReversals(ledger));
}

async function netOf(database: DataSource): Promise<Record<string, number>> {
  const rows: { account: string; net: number }[] = await database.query(
    `SELECT CASE WHEN account LIKE 'customer:%' THEN 'customer' ELSE account END AS account,
            sum(amount_micro_usd)::int AS net
       FROM ledger_entry GROUP BY 1 HAVING sum(amount_micro_usd) <> 0`,
  );
  return Object.fromEntries(rows.map(({ account, net }) => [account, net]));
}

/** A payment over the scripted rail that no other is. */
export const payment = (more: Partial<Parameters<typeof scripted>[0]> = {}): PaymentCredential =>
  scripted({ nonce: randomUUID(), ...more });

/** The ticket that a payment buys. */
export async function buyTicket(
  bus: BusClient,
  paidBy: { credential?: PaymentCredential; accountKey?: string; idempotencyKey?: string },
  asked: { tool?: ToolName; agentId?: string; capability?: string } = {},
) {
  const { result } = await bus.call(x402Contract.verifyPayment, {
    tool: 'm2m_license_contract',
    ...paidBy,
    ...asked,
  });
  return result;
}

/** Inputs of the default tool. */
export const licence = (more: Record<string, unknown> = {}) => ({ licenseeAgentId: 'agent-1', ...more });
