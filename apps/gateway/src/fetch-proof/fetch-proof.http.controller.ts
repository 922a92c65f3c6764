import { Controller, Headers, Param, Res } from '@nestjs/common';
import { proverContract, starkRoutes, type StoredProofResult } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import { Endpoint, preferredType } from '@svc/edge';

const { params } = starkRoutes.fetchProof;

@Controller()
export class FetchProofHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(starkRoutes.fetchProof)
  async fetchProof(
    @Param({ schema: params }) { proofId }: { proofId: string },
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StoredProofResult | Buffer> {
    const stored = await this.bus.call(proverContract.fetchProof, { proofId });
    // A proof never changes under its id, but it can be revoked, once and for good.
    const freshness = stored.revokedAt === undefined ? 'max-age=60' : 'max-age=31536000, immutable';
    reply.header('cache-control', `public, ${freshness}`).header('vary', 'accept');
    const proof = Buffer.from(stored.proof.buffer, stored.proof.byteOffset, stored.proof.byteLength);
    if (preferredType(accept, ['application/octet-stream', 'application/json']) === 'application/json') {
      return { ...stored, proofBytes: proof.length, proof: proof.toString('base64') };
    }
    reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${proofId}.stark"`)
      .header('x-proof-air', stored.airId)
      .header('x-proof-created-at', stored.createdAt);
    if (stored.revokedAt !== undefined) reply.header('x-proof-revoked-at', stored.revokedAt);
    if (stored.contextDomain) reply.header('x-proof-context', encodeURIComponent(stored.contextDomain));
    return proof;
  }
}
