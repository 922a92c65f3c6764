import { Controller, Module } from '@nestjs/common';
import {
  applyRule,
  AUDIT_AIR_ID,
  auditLeaves,
  type AuditStatement,
  leafCountOf,
  rulesDigestToText,
  RuleValueError,
  SIGNATURE_BYTES,
  toBase64,
  toHex,
} from '@svc/audit-proof';
import { auditContract, type AuditProof, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { isCanonicalSalt, rulesLeafDigest, RulesTree } from '@svc/stark-air';
import { randomBytes } from 'node:crypto';

type AttestRequest = ParsedRequestOf<typeof auditContract.attestAll>['answers'][number];

/** What the stand-in was asked for, and what it is to do. */
export class AttestScript {
  /** Every call, in order: the answers that were attested together. */
  readonly attested: (readonly AttestRequest[])[] = [];
  /** Of each call, whether it was free. */
  readonly free: boolean[] = [];
  /** Runs before each attestation: waits, or throws. */
  before: () => Promise<void> = async () => undefined;
}

/**
 * The prover's end of `attest-all`. Rules are applied, and leaves, paths and root made, as the prover makes them, so that
 * both proofs of one call lie under one root; what is missing is the STARK of that root and its signature.
 */
export function attestStandIn(script: AttestScript) {
  @Controller()
  class Attestations {
    @Handle(auditContract.attest)
    async attest({
      isFree,
      ...answer
    }: ParsedRequestOf<typeof auditContract.attest>): Promise<ReplyOf<typeof auditContract.attest>> {
      return (await this.attestAll({ answers: [answer], isFree })).auditProofs[0];
    }

    @Handle(auditContract.attestAll)
    async attestAll({
      answers,
      isFree = false,
    }: ParsedRequestOf<typeof auditContract.attestAll>): Promise<ReplyOf<typeof auditContract.attestAll>> {
      await script.before();
      const statements = answers.map(statementOf);
      script.attested.push(answers);
      script.free.push(isFree);
      return { auditProofs: batchOf(statements) };
    }
  }
  @Module({ controllers: [Attestations] })
  class AttestStandInModule {}
  return AttestStandInModule;
}

function statementOf({ requestDigest, resultDigest, rules, ...evidence }: AttestRequest): AuditStatement {
  for (const [name, digest] of Object.entries({ requestDigest, resultDigest })) {
    if (digest.length !== 32) throw problem('VALIDATION_FAILED', `${name} must be 32 bytes`);
  }
  return {
    ...evidence,
    requestDigest: toHex(requestDigest),
    resultDigest: toHex(resultDigest),
    rules: rules.map((rule, index) => {
      try {
        return applyRule(rule);
      } catch (error) {
        if (!(error instanceof RuleValueError)) throw error;
        const errors = [{ path: `rules[${index}].${error.member}`, message: error.reason }];
        throw problem('UNPROCESSABLE', error.message, { errors });
      }
    }),
  };
}

function batchOf(statements: readonly AuditStatement[]): AuditProof[] {
  const salted = statements.map(statement => ({
    statement,
    salts: Array.from({ length: leafCountOf(statement.rules.length) }, drawSalt),
  }));
  const leaves = salted.flatMap(({ statement, salts }) => auditLeaves(statement, salts));
  const tree = new RulesTree(leaves.map(rulesLeafDigest));
  const proofId = `prf_${randomBytes(16).toString('base64url')}`;
  let index = 0;
  return salted.map(({ statement, salts }) => ({
    ...statement,
    version: 1,
    rules: [...statement.rules],
    leaves: salts.map(salt => {
      const path = tree.path(index).map(rulesDigestToText);
      return { index: index++, salt: toHex(salt), path };
    }),
    leafCount: leaves.length,
    root: rulesDigestToText(tree.root),
    airId: AUDIT_AIR_ID,
    proofId,
    keyId: 'key-of-the-stand-in',
    signature: toBase64(new Uint8Array(SIGNATURE_BYTES)),
    expiresAt: `${new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 19)}Z`,
  }));
}

function drawSalt(): Uint8Array {
  for (;;) {
    const salt = new Uint8Array(randomBytes(16));
    if (isCanonicalSalt(salt)) return salt;
  }
}
