import { Body, Controller, Req, UseInterceptors } from '@nestjs/common';
import {
  type AcousticChallenge,
  AcousticChallengeRequest,
  acousticContract,
  acousticRoutes,
  DemodulateRequest,
  type DemodulateResult,
  ModulateRequest,
  type ModulateResult,
  type PairingResult,
  VerifyPairingRequest,
} from '@svc/contracts';
import {
  type Admission,
  admitBy,
  Endpoint,
  Metered,
  type MeteredCall,
  MeteredCallOf,
  readCredential,
  workOfAdmitted,
} from '@svc/edge';
import type { FastifyRequest } from 'fastify';
import { AcousticCalls, demodulateCallOf, pairingCallOf } from './acoustic-calls.js';
import { AudioAnswer, keepSound, wantsAudio } from './audio-answer.interceptor.js';

const { modulate, demodulate, challenge, verifyPairing } = acousticRoutes;

const withWav = (body: ModulateRequest, request: FastifyRequest) => body.includeWav || wantsAudio(request);

const admitModulate: Admission = (bus, body, request) => {
  const packet = body as ModulateRequest;
  return bus.call(acousticContract.admitModulate, { request: packet, withWav: withWav(packet, request) });
};

/**
 * Packets of sound, and pairing by them: within the month's requests for nothing, beyond them sold. Bodies are validated by the
 * payment guard, which has to see them before any money.
 */
@Controller()
export class AcousticHttpController {
  constructor(private readonly calls: AcousticCalls) {}

  // Of two decorators the lower one is applied first, and stands outside.
  @Endpoint(modulate)
  @Metered({
    operationId: modulate.operationId,
    body: ModulateRequest,
    admit: admitModulate,
    workOf: workOfAdmitted,
  })
  @UseInterceptors(AudioAnswer)
  async modulate(
    @Body() body: ModulateRequest,
    @MeteredCallOf() call: MeteredCall,
    @Req() request: FastifyRequest,
  ): Promise<ModulateResult> {
    const { result, wav } = await this.calls.modulate(body, withWav(body, request), call);
    keepSound(request, wav);
    return result;
  }

  @Endpoint(demodulate)
  @Metered({
    operationId: demodulate.operationId,
    body: DemodulateRequest,
    admit: (bus, body) =>
      bus.call(acousticContract.admitDemodulate, demodulateCallOf(body as DemodulateRequest)),
    workOf: workOfAdmitted,
  })
  demodulate(@Body() body: DemodulateRequest, @MeteredCallOf() call: MeteredCall): Promise<DemodulateResult> {
    return this.calls.demodulate(body, call);
  }

  @Endpoint(challenge)
  @Metered({
    operationId: challenge.operationId,
    body: AcousticChallengeRequest,
    admit: admitBy(acousticContract.admitChallenge),
    workOf: workOfAdmitted,
  })
  challenge(
    @Body() body: AcousticChallengeRequest,
    @MeteredCallOf() call: MeteredCall,
  ): Promise<AcousticChallenge> {
    return this.calls.challenge(body, call);
  }

  @Endpoint(verifyPairing)
  @Metered({
    operationId: verifyPairing.operationId,
    body: VerifyPairingRequest,
    admit: (bus, body) =>
      bus.call(acousticContract.admitPairing, pairingCallOf(body as VerifyPairingRequest)),
    workOf: workOfAdmitted,
  })
  verifyPairing(
    @Body() body: VerifyPairingRequest,
    @MeteredCallOf() call: MeteredCall,
    @Req() request: FastifyRequest,
  ): Promise<PairingResult> {
    return this.calls.verifyPairing(body, call, readCredential(request.raw).idempotencyKey);
  }
}
