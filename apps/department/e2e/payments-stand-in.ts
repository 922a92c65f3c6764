import { Controller, Module, type Type } from '@nestjs/common';
import {
  accountContract,
  type KeyHolder,
  type ParsedRequestOf,
  paymentsContract,
  type ReplyOf,
  type RequestOf,
  type TaskClaim,
  toolCallContract,
  type ToolReply,
  x402Contract,
} from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { randomUUID } from 'node:crypto';

type Deliver = ParsedRequestOf<typeof paymentsContract.deliver>;
type CallTool = ParsedRequestOf<(typeof toolCallContract)['payments']['callTool']>;
type Execute = ParsedRequestOf<typeof x402Contract.execute>;

/** A claim as the payments service books it: what is delivered is never released, and the other way round. */
interface BookedClaim {
  readonly attempt: number;
  state: 'held' | 'delivered' | 'released';
  response?: Deliver['response'];
  givenUp?: boolean;
  reason?: string;
  renewals: number;
  /** Times that the payment moved: one at the most, whatever is asked. */
  moves: number;
}

/** What the payments service is to do, and what it was asked. */
export class PaymentsScript {
  readonly claims = new Map<string, BookedClaim>();
  /** Calls that were taken back from a quota, by their keys; of each key one counts, as payments have it. */
  readonly uncounted = new Map<string, { subject: string; asked: number; takenBack: number }>();
  /** Runs of a tool, by their idempotency keys: of each key one has an effect. */
  readonly effects = new Map<string, { runs: number; revoked: boolean; reply?: ToolReply }>();
  readonly executions: Execute[] = [];
  /** Runs before each call of a tool: waits, or throws. */
  beforeTool: (call: CallTool) => Promise<void> = async () => undefined;
  /** Runs before a payment is settled: throws where the service is away. */
  beforeSettling: (what: 'deliver' | 'release' | 'uncount') => Promise<void> = async () => undefined;
  /** Runs after it is booked, before the service answers. */
  afterSettling: (what: 'deliver' | 'release' | 'uncount') => Promise<void> = async () => undefined;
  execute: (call: Execute) => Promise<ReplyOf<typeof x402Contract.execute>> = async () => {
    throw problem('TICKET_UNKNOWN', 'no such ticket');
  };

  /** A payment that a call has claimed. */
  claim(
    more: Partial<RequestOf<typeof paymentsContract.renew>> & { canBeGivenUp?: boolean } = {},
  ): TaskClaim {
    const { canBeGivenUp = true, ...handle } = more;
    const claim = { claimId: randomUUID(), attempt: 1, ...handle };
    this.claims.set(claim.claimId, { attempt: claim.attempt, state: 'held', renewals: 0, moves: 0 });
    return { ...claim, receipt: 'receipt-of-the-tests', canBeGivenUp };
  }

  of(claim: Pick<TaskClaim, 'claimId'>): BookedClaim {
    return this.claims.get(claim.claimId)!;
  }
}

/** The key of an operator who may do anything, and whose it is. */
export const OPERATOR_KEY = 'svc_test_operator';
export const OPERATOR: Pick<KeyHolder, 'accountId' | 'keyId'> = {
  accountId: `acct_${'o'.repeat(20)}`,
  keyId: 'o'.repeat(16),
};

@Controller()
class Keys {
  @Handle(accountContract.authenticate)
  authenticate({
    accountKey,
    scope,
  }: ParsedRequestOf<typeof accountContract.authenticate>): ReplyOf<typeof accountContract.authenticate> {
    if (accountKey !== OPERATOR_KEY && scope)
      throw problem('FORBIDDEN', `The key has not the scope ${scope}`);
    return { ...OPERATOR, plan: 'demo', scopes: scope ? [scope] : [] };
  }
}

const { admitTool, callTool, revokeTool, toolProgress } = toolCallContract.payments;

/** The payments service's end of what tasks ask of it. */
export function paymentsStandIn(script: PaymentsScript, ...imports: Type[]) {
  @Module({ imports, controllers: [settlements(script), tools(script), executions(script), Keys] })
  class PaymentsStandInModule {}
  return PaymentsStandInModule;
}

function settlements(script: PaymentsScript) {
  @Controller()
  class Payments {
    @Handle(paymentsContract.deliver)
    async deliver({
      claimId,
      attempt,
      response,
    }: Deliver): Promise<ReplyOf<typeof paymentsContract.deliver>> {
      await script.beforeSettling('deliver');
      const claim = script.claims.get(claimId);
      if (claim?.attempt !== attempt || claim.state === 'released')
        throw problem('CONFLICT', 'The claim was lost to another');
      if (claim.state === 'held')
        Object.assign(claim, { state: 'delivered', response, moves: claim.moves + 1 });
      await script.afterSettling('deliver');
      return { deliveredAt: new Date().toISOString() };
    }

    @Handle(paymentsContract.release)
    async release({
      claimId,
      attempt,
      reason,
      givenUp,
    }: ParsedRequestOf<typeof paymentsContract.release>): Promise<ReplyOf<typeof paymentsContract.release>> {
      await script.beforeSettling('release');
      const claim = script.claims.get(claimId);
      if (claim?.attempt !== attempt || claim.state === 'delivered') return { released: false };
      if (claim.state === 'held')
        Object.assign(claim, { state: 'released', givenUp, reason, moves: claim.moves + 1 });
      await script.afterSettling('release');
      return { released: true };
    }

    @Handle(paymentsContract.uncount)
    async uncount({
      subject,
      callKey = randomUUID(),
    }: ParsedRequestOf<typeof paymentsContract.uncount>): Promise<ReplyOf<typeof paymentsContract.uncount>> {
      await script.beforeSettling('uncount');
      const known = script.uncounted.get(callKey) ?? { subject, asked: 0, takenBack: 0 };
      script.uncounted.set(callKey, { subject, asked: known.asked + 1, takenBack: 1 });
      await script.afterSettling('uncount');
      return {};
    }

    @Handle(paymentsContract.renew)
    renew({ claimId, attempt }: ParsedRequestOf<typeof paymentsContract.renew>) {
      const claim = script.claims.get(claimId);
      const renewed = claim?.attempt === attempt && claim.state !== 'released';
      if (renewed) claim.renewals++;
      return { renewed };
    }
  }
  return Payments;
}

function tools(script: PaymentsScript) {
  @Controller()
  class Tools {
    @Handle(admitTool)
    admitTool({ tool, input }: ParsedRequestOf<typeof admitTool>): ReplyOf<typeof admitTool> {
      if (tool === 'create_purchase_link' && input.tier === 'enterprise_sam') {
        const errors = [{ path: 'tier', message: 'is not sold here' }];
        throw problem('UNPROCESSABLE', 'tier: is not sold here', { errors });
      }
      return {};
    }

    @Handle(callTool)
    async callTool(call: CallTool): Promise<ToolReply> {
      const known = script.effects.get(call.idemKey) ?? { runs: 0, revoked: false };
      script.effects.set(call.idemKey, known);
      if (known.reply) return known.reply;
      await script.beforeTool(call);
      if (known.revoked) throw problem('CONFLICT', 'The key was revoked');
      known.runs += known.reply ? 0 : 1;
      known.reply ??= outputOf(call);
      return known.reply;
    }

    @Handle(revokeTool)
    revokeTool({ idemKey }: ParsedRequestOf<typeof revokeTool>): ReplyOf<typeof revokeTool> {
      const known = script.effects.get(idemKey);
      script.effects.set(idemKey, { runs: 0, ...known, revoked: true });
      return { was: known?.reply ? 'done' : 'unknown' };
    }

    @Handle(toolProgress)
    toolProgress(): ReplyOf<typeof toolProgress> {
      return { seq: 1, progress: 0.5, stage: 'half', ended: true };
    }
  }
  return Tools;
}

function executions(script: PaymentsScript) {
  @Controller()
  class Executions {
    @Handle(x402Contract.admitExecution)
    admitExecution(): ReplyOf<typeof x402Contract.admitExecution> {
      return {};
    }

    @Handle(x402Contract.execute)
    execute(call: Execute) {
      script.executions.push(call);
      return script.execute(call);
    }
  }
  return Executions;
}

function outputOf({ tool, input }: CallTool): ToolReply {
  return tool === 'get_product_catalog'
    ? { output: { catalog: [] } }
    : {
        output: {
          checkoutUrl: `https://pay.test/${String(input.tier)}`,
          processorAccount: 'a',
          fulfillment: 'b',
        },
      };
}
