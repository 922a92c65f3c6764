import { Inject, Injectable } from '@nestjs/common';
import {
  AUDIT_AIR_ID,
  AUDIT_CONTEXT_DOMAIN,
  AUDIT_SECURITY_BITS_MIN,
  auditLeaves,
  type AuditProof,
  type AuditStatement,
  leafCountOf,
  rulesDigestToText,
  SIGNATURE_VALIDITY_DAYS,
  signProof,
  toBase64,
  toHex,
} from '@svc/audit-proof';
import type { PublicInputs } from '@svc/contracts';
import { isCanonicalSalt, rulesAir, rulesLeafCapacity, rulesLeafDigest, RulesTree } from '@svc/stark-air';
import { prove, type ProverBackend } from '@svc/stark-prover';
import {
  PARAMETER_SETS,
  parametersOf,
  setParameters,
  traceLengthFor,
  usableRowCount,
  verify,
  type VerifierBackend,
} from '@svc/stark-verifier';
import { randomBytes } from 'node:crypto';
import { VERIFIER_BACKEND } from '../engine.js';
import { ProofStore } from '../proofs/proof-store.js';
import { SIGNING_KEYS, type SigningKeys } from './signing-keys.js';

/** The engine that batches are proved with: its own threads, so that no audit waits behind a long proof. */
export const AUDIT_BACKEND = Symbol('AUDIT_BACKEND');

const BLOWUP = 8;
/** After so many the compiler has done most of its work. */
const WARM_UP_PROOFS = 3;

/** The parameters of every batch: P100, at the least trace length that holds its masks. */
const PARAMETERS = batchParameters();
/** Leaves of one batch. */
export const BATCH_LEAVES_MAX = rulesLeafCapacity(usableRowCount(PARAMETERS));

/** Proves, checks, signs and stores one batch of audits. */
@Injectable()
export class BatchProof {
  constructor(
    private readonly store: ProofStore,
    @Inject(AUDIT_BACKEND) private readonly prover: ProverBackend,
    @Inject(VERIFIER_BACKEND) private readonly verifier: VerifierBackend,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  /** @returns an audit proof for each statement, in their order */
  async make(statements: readonly AuditStatement[]): Promise<AuditProof[]> {
    const salted = statements.map(statement => ({
      statement,
      salts: Array.from({ length: leafCountOf(statement.rules.length) }, drawSalt),
    }));
    const leaves = salted.flatMap(({ statement, salts }) => auditLeaves(statement, salts));
    const { proof, publicInputs } = await this.proveLeaves(leaves);
    const { root, leafCount } = rulesAir.publicInputsFromJson(publicInputs);
    const signed = this.sign(proof, publicInputs);
    // As long as the evidence holds, and a day for clocks that go late.
    const keptUntil = new Date(Date.parse(signed.expiresAt) + 86_400_000);
    const kept = { airId: AUDIT_AIR_ID, publicInputs, contextDomain: AUDIT_CONTEXT_DOMAIN, proof };
    const proofId = await this.store.keep(kept, keptUntil);

    const tree = new RulesTree(leaves.map(rulesLeafDigest));
    let index = 0;
    return salted.map(({ statement, salts }) => ({
      version: 1,
      ...statement,
      leaves: salts.map(salt => {
        const path = tree.path(index).map(rulesDigestToText);
        return { index: index++, salt: toHex(salt), path };
      }),
      leafCount,
      root: rulesDigestToText(root),
      airId: AUDIT_AIR_ID,
      proofId,
      ...signed,
    }));
  }

  /** Makes and checks proofs of one empty leaf: starts the threads, and compiles what the first audit would wait for. */
  async warmUp(): Promise<void> {
    const leaf = {
      salt: drawSalt(),
      rulesetHash: new Uint8Array(32),
      contentDigest: new Uint8Array(32),
      rules: [],
    };
    for (let i = 0; i < WARM_UP_PROOFS; i++) await this.proveLeaves([leaf]);
  }

  private async proveLeaves(leaves: ReturnType<typeof auditLeaves>) {
    const proved = await prove({
      air: rulesAir,
      witness: { leaves },
      parameters: PARAMETERS,
      contextDomain: AUDIT_CONTEXT_DOMAIN,
      backend: this.prover,
    });
    const { proof } = proved;
    const publicInputs = rulesAir.publicInputsToJson(proved.publicInputs) as PublicInputs;
    const claim = { proof, airId: AUDIT_AIR_ID, publicInputs, contextDomain: AUDIT_CONTEXT_DOMAIN };
    const verdict = verify(claim, { securityBitsMin: AUDIT_SECURITY_BITS_MIN }, this.verifier);
    if (!verdict.valid) throw new Error(`the proof of a batch of audits was rejected: ${verdict.reason}`);
    return { proof, publicInputs };
  }

  private sign(proof: Uint8Array, publicInputs: PublicInputs) {
    const nowMs = Date.now();
    const key = this.keys.current(nowMs);
    if (!key) throw new Error('no audit signing key is valid today');
    const { kid, secretKey } = key;
    const expiresAtSeconds = Math.floor(nowMs / 1_000) + SIGNATURE_VALIDITY_DAYS * 86_400;
    const statement = {
      proof,
      airId: AUDIT_AIR_ID,
      publicInputs,
      contextDomain: AUDIT_CONTEXT_DOMAIN,
      expiresAtSeconds,
    };
    const signature = signProof(statement, secretKey, randomBytes(32));
    const expiresAt = new Date(expiresAtSeconds * 1_000).toISOString().replace('.000Z', 'Z');
    return { keyId: kid, signature: toBase64(signature), expiresAt };
  }
}

// Two words below p: one draw in two billion is drawn again.
function drawSalt(): Uint8Array {
  for (;;) {
    const salt = new Uint8Array(randomBytes(16));
    if (isCanonicalSalt(salt)) return salt;
  }
}

function batchParameters() {
  const traceLength = traceLengthFor(
    setParameters(PARAMETER_SETS.P100, BLOWUP, true),
    1,
    rulesAir.traceLengthMin,
  );
  return parametersOf(PARAMETER_SETS.P100, traceLength, BLOWUP, true);
}
