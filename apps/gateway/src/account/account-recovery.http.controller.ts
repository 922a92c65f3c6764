import { Body, Controller, Header, Req, UseInterceptors } from '@nestjs/common';
import {
  accountRecoveryContract,
  accountRecoveryRoutes,
  type RecoveredKey,
  RecoverKeyRequest,
  type RecoveryChallenge,
  RecoveryChallengeRequest,
} from '@svc/contracts';
import { BurstLimits, Endpoint, readCredential, realmOf, schemeOf, UnpaidWork } from '@svc/edge';
import { BusClient, ProblemError } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** What a proof is answered with that was none, or opened nothing. */
const NO_PROOF: readonly number[] = [401, 402, 404];

/** New keys for payers who lost theirs. */
@Controller()
export class AccountRecoveryHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly bursts: BurstLimits,
  ) {}

  @Endpoint(accountRecoveryRoutes.challenge)
  @UseInterceptors(UnpaidWork)
  @Header('cache-control', 'no-store')
  challenge(
    @Body({ schema: RecoveryChallengeRequest.prefault({}) }) asked: z.output<typeof RecoveryChallengeRequest>,
    @Req() request: FastifyRequest,
  ): Promise<RecoveryChallenge> {
    const baseUrl = `${schemeOf(request)}://${realmOf(request)}`;
    return this.bus.call(accountRecoveryContract.challenge, { ...asked, baseUrl });
  }

  /** Tries that prove nothing count as payments that were none: so many of an address, and then 429. Any try is work. */
  @Endpoint(accountRecoveryRoutes.recover)
  @UseInterceptors(UnpaidWork)
  @Header('cache-control', 'no-store')
  async recover(
    @Body({ schema: RecoverKeyRequest }) asked: z.output<typeof RecoverKeyRequest>,
    @Req() request: FastifyRequest,
  ): Promise<RecoveredKey> {
    await this.bursts.checkBadPayments(request, 'L402');
    const { payment } = readCredential(request.raw);
    try {
      return await this.bus.call(accountRecoveryContract.recover, {
        ...asked,
        ...(payment === undefined ? {} : { credential: payment }),
      });
    } catch (error) {
      if (error instanceof ProblemError && NO_PROOF.includes(error.status))
        await this.bursts.countBadPayment(request);
      throw error;
    }
  }
}
