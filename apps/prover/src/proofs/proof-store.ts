import { Injectable } from '@nestjs/common';
import type { PublicInputs, StoredProof } from '@svc/contracts';
import { newId, problem } from '@svc/platform';
import { DataSource } from 'typeorm';

/** How long a proof can be fetched; that of a batch of audits as long as the signature over it holds. */
export const PROOF_RETENTION_DAYS = 30;

interface ProofRow {
  proof_id: string;
  air_id: string;
  public_inputs: PublicInputs;
  proof: Buffer;
  context_domain: Buffer | null;
  created_at: Date;
  revoked_at: Date | null;
}

/** The call that a proof was made for has ended meanwhile: the proof is not kept. */
export class CallGoneError extends Error {
  constructor() {
    super('the call of the proof was taken back, or has its proof');
    this.name = 'CallGoneError';
  }
}

/** A proof that is to be kept. */
export interface NewProof {
  readonly airId: string;
  readonly publicInputs: PublicInputs;
  readonly contextDomain: string;
  readonly proof: Uint8Array;
  /** Of the idempotent call that it is for, 32 bytes as hexadecimal: it is taken back with that. */
  readonly idemKey?: string;
}

/** The proofs that this service made, for whoever holds their id. */
@Injectable()
export class ProofStore {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Keeps a proof under a fresh unguessable id of 128 random bits, and returns the id.
   * @param keptUntil default: for {@link PROOF_RETENTION_DAYS}
   * @throws CallGoneError where its call does not run any more
   */
  async keep(
    proof: NewProof,
    keptUntil = new Date(Date.now() + PROOF_RETENTION_DAYS * 86_400_000),
  ): Promise<string> {
    const proofId = newId('prf');
    // A call that is taken back at this moment waits for the proof, and takes it back too; or the proof finds it gone.
    const kept: unknown[] = await this.dataSource.query(
      `WITH call AS (
         SELECT idem_key FROM idempotent_call WHERE idem_key = decode($7, 'hex') AND state = 'running' FOR SHARE
       )
       INSERT INTO proof (proof_id, air_id, public_inputs, context_domain, proof, kept_until, idem_key)
       SELECT $1, $2, $3::jsonb, $4::bytea, $5::bytea, $6::timestamptz, (SELECT idem_key FROM call)
        WHERE $7::text IS NULL OR EXISTS (SELECT FROM call)
       RETURNING 1`,
      [
        proofId,
        proof.airId,
        JSON.stringify(proof.publicInputs),
        Buffer.from(proof.contextDomain, 'utf8'),
        Buffer.from(proof.proof),
        keptUntil,
        proof.idemKey ?? null,
      ],
    );
    if (kept.length === 0) throw new CallGoneError();
    return proofId;
  }

  /** @throws ProblemError NOT_FOUND */
  async fetch(proofId: string): Promise<StoredProof> {
    const rows: ProofRow[] = await this.dataSource.query(
      `SELECT proof_id, air_id, public_inputs, context_domain, proof, created_at, revoked_at
         FROM proof WHERE proof_id = $1`,
      [proofId],
    );
    const row = rows[0];
    if (!row) throw noProof();
    return {
      proofId: row.proof_id,
      airId: row.air_id,
      publicInputs: row.public_inputs,
      ...(row.context_domain ? { contextDomain: row.context_domain.toString('utf8') } : {}),
      createdAt: row.created_at.toISOString(),
      ...(row.revoked_at ? { revokedAt: row.revoked_at.toISOString() } : {}),
      proof: new Uint8Array(row.proof),
    };
  }

  /**
   * Length of a proof and its SHA-256, `0x` hex.
   * @throws ProblemError NOT_FOUND
   */
  async digest(proofId: string): Promise<{ bytes: number; sha256: string }> {
    const [row]: ({ bytes: number; sha256: string } | undefined)[] = await this.dataSource.query(
      `SELECT length(proof) AS bytes, '0x' || encode(sha256(proof), 'hex') AS sha256 FROM proof WHERE proof_id = $1`,
      [proofId],
    );
    return row ?? Promise.reject(noProof());
  }

  /** Deletes a proof whose id nobody was told. */
  async discard(proofId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM proof WHERE proof_id = $1', [proofId]);
  }

  /** Deletes what need not be kept any more, and returns how many proofs went. */
  async purgeExpired(): Promise<number> {
    const [, count] = await this.dataSource.query('DELETE FROM proof WHERE kept_until < now()');
    return count as number;
  }
}

const noProof = () =>
  problem(
    'NOT_FOUND',
    `No proof has this id; proofs can be fetched for ${PROOF_RETENTION_DAYS} days, those of audits until their signature ends`,
  );
