import { Inject, Injectable } from '@nestjs/common';
import {
  AUDIT_AIR_ID,
  AUDIT_CONTEXT_DOMAIN,
  AUDIT_SECURITY_BITS_MIN,
  auditLeaves,
  type AuditStatement,
  innerLeafHash,
  InnerTree,
  leafCountOf,
  type NestedAuditProof,
  outerLeaf,
  type ProvedAuditProof,
  rulesDigestToText,
  SIGNATURE_VALIDITY_DAYS,
  type SignedAuditProof,
  signProof,
  signRoot,
  toBase64,
  toHex,
} from '@svc/audit-proof';
import type { PublicInputs } from '@svc/contracts';
import {
  isCanonicalSalt,
  rulesAir,
  type RulesLeaf,
  rulesLeafCapacity,
  rulesLeafDigest,
  rulesRowsNeeded,
  RulesTree,
  RULES_TREE_DEPTH,
} from '@svc/stark-air';
import { prove, type ProverBackend } from '@svc/stark-prover';
import {
  PARAMETER_SETS,
  parametersOf,
  type ProofParameters,
  setParameters,
  traceLengthFor,
  usableRowCount,
  verify,
  type VerifierBackend,
} from '@svc/stark-verifier';
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { VERIFIER_BACKEND } from '../engine.js';
import { ProofStore } from '../proofs/proof-store.js';
import { SIGNING_KEYS, type SigningKeys } from './signing-keys.js';

/** The engine that batches are proved with: its own threads, so that no audit waits behind a long proof. */
export const AUDIT_BACKEND = Symbol('AUDIT_BACKEND');

const BLOWUP = 8;
/** After so many short ones the compiler has done most of its work. */
const SHORT_WARM_UP_PROOFS = 3;

/** The least trace that holds the masks of P100; one as long again holds three times as many leaves. */
const SHORT_BATCH = batchParameters(1);
const LONG_BATCH = { ...SHORT_BATCH, traceLength: 2 * SHORT_BATCH.traceLength };
/** Leaves of a batch of the least trace length, and of the largest batch. */
export const SHORT_BATCH_LEAVES = rulesLeafCapacity(usableRowCount(SHORT_BATCH));
export const LONG_BATCH_LEAVES = rulesLeafCapacity(usableRowCount(LONG_BATCH));

/** Leaves of the largest batch that is only signed: all that the tree holds. */
export const SIGNED_BATCH_LEAVES = 2 ** RULES_TREE_DEPTH;

const DAY_SECONDS = 86_400;
const VALID_SECONDS = SIGNATURE_VALIDITY_DAYS * DAY_SECONDS;
/** The proof is kept a day longer than its signature holds, for clocks that go late. */
const KEPT_SECONDS = VALID_SECONDS + DAY_SECONDS;

/** A statement with the salts of its leaves. */
interface SaltedStatement {
  readonly statement: AuditStatement;
  readonly salts: readonly Uint8Array[];
}

/** Answers without rules, and the leaf that stands for their tree. */
interface NestedStatements {
  readonly statements: readonly AuditStatement[];
  readonly salts: readonly Uint8Array[];
  readonly tree: InnerTree;
  readonly leaf: RulesLeaf;
}

/** A batch whose proof has been made, and nothing else. */
export interface ProvedBatch {
  readonly statements: readonly AuditStatement[];
  /** Those with rules. */
  readonly salted: readonly SaltedStatement[];
  readonly nested?: NestedStatements;
  /** The leaf over the nested ones is the last. */
  readonly leaves: readonly RulesLeaf[];
  readonly proof: Uint8Array;
  readonly publicInputs: PublicInputs;
}

/** Proves, then checks, signs and stores one batch of audits; or signs the root of one alone. */
@Injectable()
export class BatchProof {
  constructor(
    private readonly store: ProofStore,
    @Inject(AUDIT_BACKEND) private readonly prover: ProverBackend,
    @Inject(VERIFIER_BACKEND) private readonly verifier: VerifierBackend,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
  ) {}

  /** @param statements of at most LONG_BATCH_LEAVES leaves, one of which those without rules share: at most INNER_LEAVES_MAX */
  async prove(statements: readonly AuditStatement[]): Promise<ProvedBatch> {
    const salted = saltedOf(statements.filter(hasRules));
    const nested = nestedOf(statements.filter(statement => !hasRules(statement)));
    const leaves = [...leavesOf(salted), ...(nested ? [nested.leaf] : [])];
    return { statements, salted, nested, leaves, ...(await this.proveLeaves(leaves)) };
  }

  /** @returns an audit proof for each statement, in their order */
  async complete(batch: ProvedBatch): Promise<(ProvedAuditProof | NestedAuditProof)[]> {
    const { statements, salted, nested, leaves, proof, publicInputs } = batch;
    const kept = { airId: AUDIT_AIR_ID, ...(await this.checkedAndKept(proof, publicInputs)) };
    const tree = new RulesTree(leaves.map(rulesLeafDigest));
    const own = placed(salted, tree);
    const inner = nested ? placedWithin(nested, tree, leaves.length - 1) : [];
    return statements.map(statement =>
      hasRules(statement)
        ? { version: 1, ...own.shift()!, leafCount: leaves.length, ...kept }
        : { version: 3, ...inner.shift()!, ...kept },
    );
  }

  /**
   * Signs the root over the statements of free answers, and stores nothing.
   * @param statements of at most SIGNED_BATCH_LEAVES leaves
   * @returns as {@link complete}
   */
  signed(statements: readonly AuditStatement[]): SignedAuditProof[] {
    const salted = saltedOf(statements);
    const leaves = leavesOf(salted);
    const tree = new RulesTree(leaves.map(rulesLeafDigest));
    const nowMs = Date.now();
    const expiresAtSeconds = Math.floor(nowMs / 1_000) + VALID_SECONDS;
    const root = { root: tree.root, leafCount: leaves.length, expiresAtSeconds };
    const signature = this.signature(nowMs, expiresAtSeconds, secretKey =>
      signRoot(root, secretKey, randomBytes(32)),
    );
    return placed(salted, tree).map(members => ({ version: 2, ...members, ...signature }));
  }

  /** The database writes while this thread checks and signs; nobody is told the id of what does not hold. */
  private async checkedAndKept(proof: Uint8Array, publicInputs: PublicInputs) {
    const nowMs = Date.now();
    const nowSeconds = Math.floor(nowMs / 1_000);
    const expiresAtSeconds = nowSeconds + VALID_SECONDS;
    const keptUntil = new Date((nowSeconds + KEPT_SECONDS) * 1_000);
    const kept = { airId: AUDIT_AIR_ID, publicInputs, contextDomain: AUDIT_CONTEXT_DOMAIN, proof };
    const keeping = this.store.keep(kept, keptUntil);
    keeping.catch(() => undefined);
    // A connection is found in this turn of the loop, and the statement sent.
    await setImmediate();
    try {
      this.check(proof, publicInputs);
      const signed = this.sign(proof, publicInputs, { nowMs, expiresAtSeconds });
      return { proofId: await keeping, ...signed };
    } catch (error) {
      await keeping.then(proofId => this.store.discard(proofId)).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Makes and checks proofs of empty leaves, of both lengths: starts the threads, compiles, and makes the tables that the
   * first batch of a length would wait for.
   */
  async warmUp(): Promise<void> {
    const leaf = {
      salt: drawSalt(),
      rulesetHash: new Uint8Array(32),
      contentDigest: new Uint8Array(32),
      rules: [],
    };
    const leafCounts = [...Array<number>(SHORT_WARM_UP_PROOFS).fill(1), SHORT_BATCH_LEAVES + 1];
    for (const leafCount of leafCounts) {
      const { proof, publicInputs } = await this.proveLeaves(Array<RulesLeaf>(leafCount).fill(leaf));
      this.check(proof, publicInputs);
    }
  }

  private async proveLeaves(leaves: readonly RulesLeaf[]) {
    const { proof, publicInputs } = await prove({
      air: rulesAir,
      witness: { leaves },
      parameters: batchParameters(leaves.length),
      contextDomain: AUDIT_CONTEXT_DOMAIN,
      backend: this.prover,
    });
    return { proof, publicInputs: rulesAir.publicInputsToJson(publicInputs) as PublicInputs };
  }

  private check(proof: Uint8Array, publicInputs: PublicInputs): void {
    const claim = { proof, airId: AUDIT_AIR_ID, publicInputs, contextDomain: AUDIT_CONTEXT_DOMAIN };
    const verdict = verify(claim, { securityBitsMin: AUDIT_SECURITY_BITS_MIN }, this.verifier);
    if (!verdict.valid) throw new Error(`the proof of a batch of audits was rejected: ${verdict.reason}`);
  }

  private sign(
    proof: Uint8Array,
    publicInputs: PublicInputs,
    { nowMs, expiresAtSeconds }: { nowMs: number; expiresAtSeconds: number },
  ) {
    const statement = {
      proof,
      airId: AUDIT_AIR_ID,
      publicInputs,
      contextDomain: AUDIT_CONTEXT_DOMAIN,
      expiresAtSeconds,
    };
    return this.signature(nowMs, expiresAtSeconds, secretKey =>
      signProof(statement, secretKey, randomBytes(32), this.verifier),
    );
  }

  private signature(
    nowMs: number,
    expiresAtSeconds: number,
    signedBy: (secretKey: Uint8Array) => Uint8Array,
  ) {
    const key = this.keys.current(nowMs);
    if (!key) throw new Error('no audit signing key is valid today');
    const expiresAt = new Date(expiresAtSeconds * 1_000).toISOString().replace('.000Z', 'Z');
    return { keyId: key.kid, signature: toBase64(signedBy(key.secretKey)), expiresAt };
  }
}

const saltedOf = (statements: readonly AuditStatement[]): SaltedStatement[] =>
  statements.map(statement => ({
    statement,
    salts: Array.from({ length: leafCountOf(statement.rules.length) }, drawSalt),
  }));

const hasRules = ({ rules }: AuditStatement): boolean => rules.length > 0;

function nestedOf(statements: readonly AuditStatement[]): NestedStatements | undefined {
  if (statements.length === 0) return undefined;
  const salts = statements.map(() => new Uint8Array(randomBytes(16)));
  const tree = new InnerTree(statements.map((statement, i) => innerLeafHash(statement, salts[i])));
  return { statements, salts, tree, leaf: outerLeaf(tree.root, tree.count, drawSalt()) };
}

/** The statements of an inner tree, each with its place in it, and with that of the tree's leaf. */
function placedWithin({ statements, salts, tree, leaf }: NestedStatements, batch: RulesTree, index: number) {
  const place = { index, salt: toHex(leaf.salt), path: batch.path(index).map(rulesDigestToText) };
  return statements.map((statement, i) => ({
    ...statement,
    rules: [] as const,
    inner: { index: i, count: tree.count, salt: toHex(salts[i]), path: tree.path(i).map(toHex) },
    leaves: [place],
    leafCount: index + 1,
    root: rulesDigestToText(batch.root),
  }));
}

const leavesOf = (salted: readonly SaltedStatement[]): RulesLeaf[] =>
  salted.flatMap(({ statement, salts }) => auditLeaves(statement, salts));

/** The statements in the order of their leaves, each with the places of those in the tree. */
function placed(salted: readonly SaltedStatement[], tree: RulesTree) {
  let index = 0;
  const leafCount = salted.reduce((sum, { salts }) => sum + salts.length, 0);
  return salted.map(({ statement, salts }) => ({
    ...statement,
    leaves: salts.map(salt => {
      const path = tree.path(index).map(rulesDigestToText);
      return { index: index++, salt: toHex(salt), path };
    }),
    leafCount,
    root: rulesDigestToText(tree.root),
  }));
}

// Two words below p: one draw in two billion is drawn again.
function drawSalt(): Uint8Array {
  for (;;) {
    const salt = new Uint8Array(randomBytes(16));
    if (isCanonicalSalt(salt)) return salt;
  }
}

/** P100 at the least trace length that holds so many leaves, and the masks. */
function batchParameters(leafCount: number): ProofParameters {
  const traceLength = traceLengthFor(
    setParameters(PARAMETER_SETS.P100, BLOWUP, true),
    rulesRowsNeeded(leafCount),
    rulesAir.traceLengthMin,
  );
  return parametersOf(PARAMETER_SETS.P100, traceLength, BLOWUP, true);
}
