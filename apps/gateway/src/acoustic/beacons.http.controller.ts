import { Body, Controller, Header, Param, Query, Req, Res } from '@nestjs/common';
import {
  acousticContract,
  acousticRoutes,
  BEACON_WAIT_MS_MAX,
  EnrolBeaconRequest,
  type EnrolledBeacon,
  type KeyHolder,
  type ReplyOf,
} from '@svc/contracts';
import { AccountOf, Endpoint, EventStreams, hangUpSignal, headerLines, Keyed } from '@svc/edge';
import { BusClient, problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { AUDIO_TYPE } from './audio-answer.interceptor.js';

const { enrolBeacon, beacons, removeBeacon, beaconSound, pairingKeys } = acousticRoutes;
const BEARER = /^Bearer +([\x21-\x7e]{1,128})$/i;
/** Waited for the service beyond what the emitter asks for. */
const ANSWER_MS = 5_000;
/** Emitters whose questions one gateway holds open; an address has an eighth of what the others leave. */
const QUESTIONS_MAX = 1_024;

/** Emitters of an account, and what they are to play. */
@Controller()
export class BeaconsHttpController {
  constructor(
    private readonly bus: BusClient,
    private readonly streams: EventStreams,
  ) {}

  @Endpoint(enrolBeacon)
  @Keyed()
  enrol(
    @AccountOf() by: KeyHolder,
    @Body({ schema: EnrolBeaconRequest }) { name }: z.output<typeof EnrolBeaconRequest>,
  ): Promise<EnrolledBeacon> {
    return this.bus.call(acousticContract.enrolBeacon, { by, name });
  }

  @Endpoint(beacons)
  @Keyed()
  list(@AccountOf() by: KeyHolder): Promise<ReplyOf<typeof acousticContract.beacons>> {
    return this.bus.call(acousticContract.beacons, { by });
  }

  @Endpoint(removeBeacon)
  @Keyed()
  async remove(
    @AccountOf() by: KeyHolder,
    @Param({ schema: removeBeacon.params }) { beaconKey }: { beaconKey: string },
  ): Promise<void> {
    await this.bus.call(acousticContract.removeBeacon, { by, beaconKey });
  }

  /** Ends its wait with the emitter's connection, so that no sound is given to nobody. */
  @Endpoint(beaconSound)
  async sound(
    @Param({ schema: beaconSound.params }) { beaconKey }: { beaconKey: string },
    @Query({ schema: beaconSound.query }) { waitMs }: { waitMs: number },
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    reply.header('cache-control', 'no-store');
    const emitterSecret = bearerOf(request.raw);
    const timeoutMs = Math.min(waitMs, BEACON_WAIT_MS_MAX) + ANSWER_MS;
    const ask = () =>
      this.bus.call(
        acousticContract.beaconSound,
        { beaconKey, emitterSecret, waitMs },
        { signal: hangUpSignal(reply), timeoutMs },
      );
    const held = () => this.streams.hold(request, 'sounds of emitters', QUESTIONS_MAX, ask);
    const { sound } = await (waitMs > 0 ? held() : ask());
    if (!sound) {
      reply.status(204);
      return undefined;
    }
    const { wav, expiresAt } = sound;
    reply
      .header('content-type', AUDIO_TYPE)
      .header('expires', new Date(expiresAt).toUTCString())
      .header('x-sound-expires-at', expiresAt);
    return Buffer.from(wav.buffer, wav.byteOffset, wav.byteLength);
  }

  @Endpoint(pairingKeys)
  @Header('cache-control', 'public, max-age=300')
  keys(): Promise<ReplyOf<typeof acousticContract.pairingKeys>> {
    return this.bus.call(acousticContract.pairingKeys, {});
  }
}

/** @throws ProblemError UNKNOWN_CREDENTIAL; CONFLICTING_CREDENTIALS for two */
function bearerOf({ rawHeaders }: IncomingMessage): string {
  const lines = headerLines(rawHeaders, 'authorization');
  if (lines.length > 1) throw problem('CONFLICTING_CREDENTIALS', 'Send one Authorization; two or more came');
  const secret = BEARER.exec(lines[0]?.trim() ?? '')?.[1];
  if (secret === undefined) {
    throw problem('UNKNOWN_CREDENTIAL', 'Send Authorization: Bearer with the secret of the emitter');
  }
  return secret;
}
