import { Controller, type Type } from '@nestjs/common';
import {
  auditContract,
  type AuditProof,
  type ParsedRequestOf,
  proverContract,
  type ReplyOf,
  toolCallContract,
  type ToolProgress,
  type ToolReply,
} from '@svc/contracts';
import { Handle, problem } from '@svc/platform';

type Call = ParsedRequestOf<typeof toolCallContract.prover.callTool>;
type Runner = keyof typeof toolCallContract;

/** What a service that runs tools does to one request after another. */
export interface ToolScript {
  /** Problems that the next calls are refused with, or that come after a wait. */
  faults: (() => Promise<void> | void)[];
  reply: (call: Call) => ToolReply;
  /** Problems that inputs are refused with before anything is taken. */
  admitFaults: Error[];
  /** Problems that attestations are refused with. */
  attestFaults: Error[];
  /** What questions for the digest of a proof are answered with; a prover without one does not answer. */
  digest?: ReplyOf<typeof proverContract.proofDigest>;
  /** What questions for progress are answered with, one after another; the last one for ever. */
  progress: ToolProgress[];
  readonly admitted: unknown[];
  readonly calls: Call[];
  readonly revoked: string[];
  readonly attested: ParsedRequestOf<typeof auditContract.attest>[];
}

export function toolScript(): ToolScript {
  return {
    faults: [],
    reply: () => ({ output: { catalog: [] } }),
    admitFaults: [],
    attestFaults: [],
    progress: [],
    digest: DIGEST,
    ...{ admitted: [], calls: [], revoked: [], attested: [] },
  };
}

/** A service that runs every tool that it is asked for, once for a key, and never after the key was revoked. */
export function scriptedTools(runner: Runner, script: ToolScript): Type {
  const contract = toolCallContract[runner];
  @Controller()
  class ToolsUnderTest {
    @Handle(contract.admitTool)
    admitTool(asked: ParsedRequestOf<typeof contract.admitTool>) {
      script.admitted.push(asked);
      const fault = script.admitFaults.shift();
      if (fault) throw fault;
      return {};
    }

    @Handle(contract.callTool)
    async callTool(call: Call): Promise<ToolReply> {
      if (script.revoked.includes(call.idemKey)) throw revoked();
      script.calls.push(call);
      await script.faults.shift()?.();
      if (script.revoked.includes(call.idemKey)) throw revoked();
      return script.reply(call);
    }

    @Handle(contract.toolProgress)
    toolProgress(): ToolProgress {
      const step = script.progress[0] ?? { seq: 0, progress: 0, ended: false };
      if (script.progress.length > 1) script.progress.shift();
      return step;
    }

    @Handle(contract.revokeTool)
    revokeTool({ idemKey }: ParsedRequestOf<typeof contract.revokeTool>) {
      script.revoked.push(idemKey);
      return { was: 'running' as const };
    }
  }
  return ToolsUnderTest;
}

/** A prover that attests everything, by digests alone. */
export function scriptedAttest(script: ToolScript): Type {
  @Controller()
  class AttestUnderTest {
    @Handle(auditContract.attest)
    attest(asked: ParsedRequestOf<typeof auditContract.attest>): AuditProof {
      const fault = script.attestFaults.shift();
      if (fault) throw fault;
      script.attested.push(asked);
      const { proves, doesNotProve, requestDigest, resultDigest } = asked;
      return {
        ...{ version: 1, proves, doesNotProve, rulesetId: '', rules: [], leafCount: 1 },
        ...{ requestDigest: hex(requestDigest), resultDigest: hex(resultDigest) },
        leaves: [{ index: 0, salt: `0x${'0'.repeat(32)}`, path: Array(4).fill(ROOT) as string[] }],
        ...{ root: ROOT, airId: 'rules/v1', proofId: EVIDENCE_ID, keyId: 'k' },
        // As long as one of ML-DSA-65.
        signature: 'A'.repeat(4_412),
        expiresAt: '2027-04-02T00:00:00.000Z',
      };
    }

    @Handle(proverContract.proofDigest)
    proofDigest() {
      if (script.digest) return script.digest;
      throw problem('SERVICE_UNAVAILABLE', 'Away');
    }
  }
  return AttestUnderTest;
}

export const EVIDENCE_ID = `prf_${'E'.repeat(22)}`;
export const DIGEST = { bytes: 255_500, sha256: `0x${'22'.repeat(32)}` };
export const ROOT = `0x${'11'.repeat(32)}`;
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const revoked = () => problem('CONFLICT', 'The call was revoked', { extensions: { state: 'revoked' } });
