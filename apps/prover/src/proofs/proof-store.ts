import { Injectable } from '@nestjs/common';
import type { PublicInputs, StoredProof } from '@svc/contracts';
import { problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';
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

/** The proofs that this service made, for whoever holds their id. */
@Injectable()
export class ProofStore {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Keeps a proof under a fresh unguessable id of 128 random bits, and returns the id.
   * @param keptUntil default: for {@link PROOF_RETENTION_DAYS}
   */
  async keep(
    proof: { airId: string; publicInputs: PublicInputs; contextDomain: string; proof: Uint8Array },
    keptUntil = new Date(Date.now() + PROOF_RETENTION_DAYS * 86_400_000),
  ): Promise<string> {
    const proofId = `prf_${randomBytes(16).toString('base64url')}`;
    await this.dataSource.query(
      `INSERT INTO proof (proof_id, air_id, public_inputs, context_domain, proof, kept_until)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        proofId,
        proof.airId,
        JSON.stringify(proof.publicInputs),
        Buffer.from(proof.contextDomain, 'utf8'),
        Buffer.from(proof.proof),
        keptUntil,
      ],
    );
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
    if (!row) {
      throw problem(
        'NOT_FOUND',
        `No proof has this id; proofs can be fetched for ${PROOF_RETENTION_DAYS} days`,
      );
    }
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
