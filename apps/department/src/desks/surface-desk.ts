import { Injectable } from '@nestjs/common';
import { type ExtractPufRequest, SPECKLE_DOES_NOT_PROVE, type VerifySlabRequest } from '@svc/contracts';
import { attested } from '@svc/edge';
import { BusClient } from '@svc/platform';
import { createHash } from 'node:crypto';
import { type ExtractCall, SpeckleService, type VerifyCall } from '../speckle/speckle.service.js';
import type { SurfaceWork } from './capability.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

type Input = Record<string, unknown>;

/** Reads and compares surfaces, as their own routes do. */
@Injectable()
export class SurfaceDesk {
  constructor(
    private readonly bus: BusClient,
    private readonly speckle: SpeckleService,
  ) {}

  /** @throws ProblemError of {@link SpeckleService.admitExtract} and {@link SpeckleService.admitVerify} */
  async admit(work: SurfaceWork, input: Input, accountId?: string): Promise<void> {
    switch (work) {
      case 'extract':
        return void (await this.speckle.admitExtract(extractCallOf(input, accountId)));
      case 'verify':
        return void (await this.speckle.admitVerify(verifyCallOf(input, accountId)));
    }
  }

  /** A task that is begun again asks for the same enrolment, and gets it. */
  async run(
    work: SurfaceWork,
    { input, accountId, isFree, signal, onStage }: CapabilityCall,
  ): Promise<CapabilityAnswer> {
    const call = work === 'extract' ? extractCallOf(input, accountId) : verifyCallOf(input, accountId);
    const answer =
      work === 'extract'
        ? await this.speckle.extract(call as ExtractCall)
        : await this.speckle.verify(call as VerifyCall);
    onStage('attest');
    const imageSha256 = `0x${createHash('sha256').update(call.image).digest('hex')}`;
    const { verificationToken: _consent, ...request } = call.request as VerifyCall['request'];
    const statement = {
      request: { ...request, imageSha256 },
      doesNotProve: SPECKLE_DOES_NOT_PROVE[work],
      isFree,
    };
    return { result: await attested(this.bus, answer, statement, signal), charged: true };
  }
}

function extractCallOf(input: Input, accountId: string | undefined): ExtractCall {
  const { imageBase64, ...request } = input as ExtractPufRequest;
  return { request, image: Buffer.from(imageBase64, 'base64'), ...byOf(accountId) };
}

function verifyCallOf(input: Input, accountId: string | undefined): VerifyCall {
  const { imageBase64, ...request } = input as VerifySlabRequest;
  return { request, image: Buffer.from(imageBase64, 'base64'), ...byOf(accountId) };
}

const byOf = (accountId: string | undefined) => (accountId === undefined ? {} : { by: { accountId } });
