import { Controller, Module } from '@nestjs/common';
import {
  auditContract,
  type AuditProof,
  type ExecutionProof,
  executionProofContract,
  type ParsedRequestOf,
  toolCallContract,
  type ToolReply,
} from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { createHash } from 'node:crypto';

type State = 'unknown' | 'running' | 'done' | 'revoked';
interface Call {
  state: State;
  reply?: unknown;
}

/** What a prover that tests script was asked for, and what it is to do. */
export class ProverScript {
  readonly calls = new Map<string, Call>();
  /** Statements that were proved, as text. */
  readonly statements: string[] = [];
  readonly tools: ParsedRequestOf<typeof toolCallContract.prover.callTool>[] = [];
  readonly attested: ParsedRequestOf<typeof auditContract.attest>[] = [];
  readonly revoked: string[] = [];
  /** Runs before each effect, revocation, attestation and question for an execution: waits, or throws. */
  before: (verb: 'prove' | 'call' | 'revoke' | 'attest' | 'admit' | 'ask') => Promise<void> = async () =>
    undefined;
  /** Runs when an effect is done, before it is answered: what throws here loses the answer, not the effect. */
  after: (verb: 'prove' | 'call') => Promise<void> = async () => undefined;
  output: (tool: string) => Record<string, unknown> = () => ({});
  /** What a tool says of a STARK of its own. */
  evidence: Partial<ToolReply> = {};

  async run<R>(idemKey: string, verb: 'prove' | 'call', work: () => R): Promise<R> {
    await this.before(verb);
    const known = this.calls.get(idemKey);
    if (known?.state === 'revoked')
      throw problem('CONFLICT', 'The call was revoked', { extensions: { state: 'revoked' } });
    const reply = known?.state === 'done' ? (known.reply as R) : work();
    this.calls.set(idemKey, { state: 'done', reply });
    await this.after(verb);
    return reply;
  }

  async revoke(idemKey: string): Promise<{ was: State }> {
    await this.before('revoke');
    const was = this.calls.get(idemKey)?.state ?? 'unknown';
    this.calls.set(idemKey, { state: 'revoked' });
    this.revoked.push(idemKey);
    return { was };
  }

  /** Effects that stand. */
  get standing(): number {
    return [...this.calls.values()].filter(({ state }) => state === 'done').length;
  }
}

const hex = (text: string | Uint8Array) => `0x${createHash('sha256').update(text).digest('hex')}`;

/** The prover's end of the bus, keyed and revocable as the real one is, with digests in the place of proofs. */
export function proverStandIn(script: ProverScript) {
  @Module({ controllers: [executions(script), tools(script), audits(script)] })
  class ProverStandInModule {}
  return ProverStandInModule;
}

function executions(script: ProverScript) {
  const { proveExecution, executionOutcome, revokeExecution } = executionProofContract;
  @Controller()
  class Executions {
    @Handle(proveExecution)
    prove({ idemKey, statement, contextDomain }: ParsedRequestOf<typeof proveExecution>) {
      return script.run(idemKey, 'prove', (): ExecutionProof => {
        script.statements.push(Buffer.from(statement).toString());
        const digest = hex(statement);
        return {
          proofId: `prf_${Buffer.from(digest).toString('base64url').slice(0, 22)}`,
          starkRoot: digest,
          airId: 'hash-chain/v1',
          contextDomain,
          publicInputs: {},
          traceLength: 512,
          securityBits: 100,
          proverLatencyMs: 0,
        };
      });
    }

    @Handle(executionOutcome)
    async outcome({ idemKey }: { idemKey: string }) {
      await script.before('ask');
      const { state = 'unknown', reply } = script.calls.get(idemKey) ?? {};
      return { state, ...(state === 'done' ? { proof: reply as ExecutionProof } : {}) };
    }

    @Handle(revokeExecution)
    revoke({ idemKey }: { idemKey: string }) {
      return script.revoke(idemKey);
    }
  }
  return Executions;
}

function tools(script: ProverScript) {
  const { admitTool, callTool, toolOutcome, revokeTool } = toolCallContract.prover;
  @Controller()
  class Tools {
    @Handle(admitTool)
    async admit() {
      await script.before('admit');
      return {};
    }

    @Handle(callTool)
    call(asked: ParsedRequestOf<typeof callTool>) {
      return script.run(asked.idemKey, 'call', (): ToolReply => {
        script.tools.push(asked);
        return { output: script.output(asked.tool), ...script.evidence };
      });
    }

    @Handle(toolOutcome)
    outcome({ idemKey }: { idemKey: string }) {
      const { state = 'unknown', reply } = script.calls.get(idemKey) ?? {};
      return { state, ...(state === 'done' ? { reply: reply as ToolReply } : {}) };
    }

    @Handle(revokeTool)
    revoke({ idemKey }: { idemKey: string }) {
      return script.revoke(idemKey);
    }
  }
  return Tools;
}

function audits(script: ProverScript) {
  const text = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
  @Controller()
  class Audits {
    @Handle(auditContract.attest)
    async attest(request: ParsedRequestOf<typeof auditContract.attest>): Promise<AuditProof> {
      await script.before('attest');
      script.attested.push(request);
      const { proves, doesNotProve, requestDigest, resultDigest, rulesetId, rules } = request;
      return {
        ...{ version: 1, proves, doesNotProve, rulesetId },
        requestDigest: text(requestDigest),
        resultDigest: text(resultDigest),
        rules: rules.map(rule => ({ ...rule, holds: Number(rule.value) >= Number(rule.threshold) })),
        leaves: [{ index: 0, salt: `0x${'0'.repeat(32)}`, path: [...'0123'].map(hex) }],
        leafCount: 1,
        root: hex(`${script.attested.length}`),
        airId: 'rules/v1',
        proofId: 'prf_AAAAAAAAAAAAAAAAAAAAAA',
        keyId: 'key',
        signature: 'AAAA',
        expiresAt: '2030-01-01T00:00:00.000Z',
      };
    }
  }
  return Audits;
}
