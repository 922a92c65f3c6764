import { Body, Controller, Req } from '@nestjs/common';
import {
  type ExtractPufReply,
  ExtractPufRequest,
  type ExtractPufResult,
  type RequestOf,
  SPECKLE_DOES_NOT_PROVE,
  speckleContract,
  speckleRoutes,
  type VerifySlabReply,
  VerifySlabRequest,
  type VerifySlabResult,
} from '@svc/contracts';
import {
  attested,
  Endpoint,
  isFreeCall,
  Metered,
  type MeteredCall,
  MeteredCallOf,
  workOfAdmitted,
} from '@svc/edge';
import { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { presentedHolder } from '../account/presented-holder.js';

const { extractPuf, verifySlab } = speckleRoutes;

// On the bus a picture travels as bytes beside its request: base64 in JSON is a third longer, and is read twice.

async function verifyCallOf(
  bus: BusClient,
  { imageBase64, ...request }: VerifySlabRequest,
  http: FastifyRequest,
): Promise<RequestOf<typeof speckleContract.verify>> {
  const by = await presentedHolder(bus, http);
  return { request, image: Buffer.from(imageBase64, 'base64'), ...(by && { by }) };
}

async function extractCallOf(
  bus: BusClient,
  { imageBase64, ...request }: ExtractPufRequest,
  http: FastifyRequest,
): Promise<RequestOf<typeof speckleContract.extract>> {
  // Whose key it is matters for enrolment alone; that it is one, the quota looks at.
  const by = request.enroll ? await presentedHolder(bus, http) : undefined;
  return { request, image: Buffer.from(imageBase64, 'base64'), ...(by && { by }) };
}

/** What the evidence covers: the request with its picture by its digest, and without the consent, which is nobody else's. */
function claimedOf({ request, image }: { request: object; image: Uint8Array }) {
  const { verificationToken: _consent, ...covered } = request as { verificationToken?: string };
  return { ...covered, imageSha256: `0x${createHash('sha256').update(image).digest('hex')}` };
}

/**
 * Fingerprints of surfaces: within the month's requests for nothing, beyond them sold. Bodies are validated by the payment
 * guard, which has to see them before any money. A call takes a fraction of a second: it ends where its client hangs up, too, and an
 * enrolment that was made has its answer.
 */
@Controller()
export class SpeckleHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(extractPuf)
  @Metered({
    operationId: extractPuf.operationId,
    body: ExtractPufRequest,
    admit: async (bus, body, http) =>
      bus.call(speckleContract.admitExtract, await extractCallOf(bus, body as ExtractPufRequest, http)),
    workOf: workOfAdmitted,
  })
  async extract(
    @Body() body: ExtractPufRequest,
    @Req() http: FastifyRequest,
    @MeteredCallOf() metered: MeteredCall,
  ): Promise<ExtractPufResult> {
    const call = await extractCallOf(this.bus, body, http);
    const reply: ExtractPufReply = await this.bus.call(speckleContract.extract, call);
    const doesNotProve = SPECKLE_DOES_NOT_PROVE.extract;
    const isFree = isFreeCall(metered);
    return attested(this.bus, reply, { request: claimedOf(call), doesNotProve, isFree });
  }

  @Endpoint(verifySlab)
  @Metered({
    operationId: verifySlab.operationId,
    body: VerifySlabRequest,
    admit: async (bus, body, http) =>
      bus.call(speckleContract.admitVerify, await verifyCallOf(bus, body as VerifySlabRequest, http)),
    workOf: workOfAdmitted,
  })
  async verify(
    @Body() body: VerifySlabRequest,
    @Req() http: FastifyRequest,
    @MeteredCallOf() metered: MeteredCall,
  ): Promise<VerifySlabResult> {
    const call = await verifyCallOf(this.bus, body, http);
    const reply: VerifySlabReply = await this.bus.call(speckleContract.verify, call);
    const doesNotProve = SPECKLE_DOES_NOT_PROVE.verify;
    const isFree = isFreeCall(metered);
    return attested(this.bus, reply, { request: claimedOf(call), doesNotProve, isFree });
  }
}
