import { Injectable } from '@nestjs/common';
import {
  ACOUSTIC_DOES_NOT_PROVE,
  type AcousticChallenge,
  type AcousticChallengeReply,
  type AcousticChallengeRequest,
  acousticContract,
  type DemodulateReply,
  type DemodulateRequest,
  type DemodulateResult,
  type ModulateReply,
  type ModulateRequest,
  type ModulateResult,
  type PairingReply,
  type PairingResult,
  type VerifyPairingRequest,
} from '@svc/contracts';
import { attested, isFreeCall, type MeteredCall } from '@svc/edge';
import { BusClient } from '@svc/platform';
import { createHash } from 'node:crypto';

/** A packet with its evidence, and its sound where one was made. */
export interface MadePacket {
  readonly result: ModulateResult;
  readonly wav?: Uint8Array;
}

/** Asks the acoustic service, on an open connection, and adds the evidence of its answers. */
@Injectable()
export class AcousticCalls {
  constructor(private readonly bus: BusClient) {}

  /** @param withWav the sound is wanted, inside the answer or in its place */
  async modulate(request: ModulateRequest, withWav: boolean, call: MeteredCall): Promise<MadePacket> {
    const { wav, ...packet } = await this.packetOf(request, withWav, endOf(call));
    const answer = {
      ...packet,
      ...(request.includeWav && wav && { wavBase64: Buffer.from(wav).toString('base64') }),
    };
    const doesNotProve = ACOUSTIC_DOES_NOT_PROVE.modulate;
    const statement = { request, doesNotProve, isFree: isFreeCall(call) };
    const result = await attested(this.bus, answer, statement, endOf(call));
    return { result, wav };
  }

  /** The same request is the same sound: so it can be made again for an answer that is given again. */
  packetOf(request: ModulateRequest, withWav: boolean, signal?: AbortSignal): Promise<ModulateReply> {
    return this.bus.call(acousticContract.modulate, { request, withWav }, signal && { signal });
  }

  async demodulate(body: DemodulateRequest, call: MeteredCall): Promise<DemodulateResult> {
    const payload = demodulateCallOf(body);
    const signal = endOf(call);
    const reply: DemodulateReply = await this.bus.call(
      acousticContract.demodulate,
      payload,
      signal && { signal },
    );
    const request = { ...payload.request, recordingSha256: digestOf(payload.recording) };
    const doesNotProve = ACOUSTIC_DOES_NOT_PROVE.demodulate;
    return attested(this.bus, reply, { request, doesNotProve, isFree: isFreeCall(call) }, signal);
  }

  async challenge(request: AcousticChallengeRequest, call: MeteredCall): Promise<AcousticChallenge> {
    const signal = endOf(call);
    const reply: AcousticChallengeReply = await this.bus.call(
      acousticContract.challenge,
      request,
      signal && { signal },
    );
    const doesNotProve = ACOUSTIC_DOES_NOT_PROVE.challenge;
    return attested(this.bus, reply, { request, doesNotProve, isFree: isFreeCall(call) }, signal);
  }

  /** Goes on without its client once it has begun: the nonce is used then, and nobody could ask for it again. */
  async verifyPairing(
    body: VerifyPairingRequest,
    call: MeteredCall,
    idempotencyKey: string | undefined,
  ): Promise<PairingResult> {
    const { recording, ...claimed } = pairingCallOf(body);
    const idemKey = pairingKeyOf(call, idempotencyKey);
    const reply: PairingReply = await this.bus.call(acousticContract.verifyPairing, {
      ...claimed,
      recording,
      ...(idemKey && { idemKey }),
    });
    const request = { ...claimed, recordingSha256: digestOf(recording) };
    const doesNotProve = ACOUSTIC_DOES_NOT_PROVE.pairing;
    return attested(this.bus, reply, { request, doesNotProve, isFree: isFreeCall(call) });
  }
}

/** On the bus a recording travels as bytes beside its request. */
export function demodulateCallOf({ recordingBase64, ...request }: DemodulateRequest) {
  return { request, recording: Buffer.from(recordingBase64, 'base64') };
}

/** As {@link demodulateCallOf}. */
export function pairingCallOf({ recordingBase64, ...claimed }: VerifyPairingRequest) {
  return { ...claimed, recording: Buffer.from(recordingBase64, 'base64') };
}

/** Stands for a recording in what evidence speaks of. */
const digestOf = (recording: Uint8Array): string =>
  `0x${createHash('sha256').update(recording).digest('hex')}`;

/**
 * Names a call that uses a nonce, so that its retries are known: by what its caller calls it, or by its payment. A call that has
 * neither is one of its own.
 */
function pairingKeyOf({ payment }: MeteredCall, idempotencyKey: string | undefined): string | undefined {
  const claimId = payment !== undefined && 'claim' in payment ? payment.claim.claimId : undefined;
  const name = idempotencyKey ?? claimId;
  if (name === undefined) return undefined;
  const kind = idempotencyKey === undefined ? 'pairing-claim' : 'pairing';
  return createHash('sha256').update(`${kind}\0${name}`).digest('hex');
}

/** What ends a call before its answer: the client, unless its payment buys the answer whatever becomes of it. */
function endOf({ payment, signal }: MeteredCall): AbortSignal | undefined {
  const isBinding = payment !== undefined && 'claim' in payment && !payment.claim.canBeGivenUp;
  return isBinding ? undefined : signal;
}
