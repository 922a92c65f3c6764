import { Controller, type Type } from '@nestjs/common';
import {
  type AcousticChallengeReply,
  acousticContract,
  type DemodulateReply,
  type ModulateReply,
  type PairingReply,
  type ParsedRequestOf,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { createHash } from 'node:crypto';

type Contract = typeof acousticContract;
type Asked<Verb extends keyof Contract> = ParsedRequestOf<Contract[Verb]>;

/** What the acoustic service does to one request after another. */
export interface AcousticScript {
  /** Problems that admission refuses with, one after another. */
  admitFaults: Error[];
  /** What admission says that a call takes. */
  workUnits: number;
  /** Runs before each answer: waits, or throws. */
  before: () => Promise<void>;
  /** Sounds that wait for an emitter. */
  sounds: { wav: Uint8Array; expiresAt: string }[];
  /** Which release of the modulator it is: the same request has another sound in another one. */
  release: number;
  readonly admitted: { verb: string; withWav?: boolean }[];
  readonly modulated: Asked<'modulate'>[];
  readonly heard: Asked<'demodulate'>[];
  readonly challenged: Asked<'challenge'>[];
  readonly paired: Asked<'verifyPairing'>[];
  readonly enrolled: Asked<'enrolBeacon'>[];
  readonly removed: Asked<'removeBeacon'>[];
  readonly soundsAsked: Asked<'beaconSound'>[];
}

/** The bytes that stand for the sound of a payload. */
export const soundOf = (payloadHex: string, release = 1): Buffer =>
  Buffer.from(`RIFF${'~'.repeat(40)}${payloadHex} of release ${release}\u0000\u00ff`, 'latin1');

/** A service that does what a script says. */
export function scriptedAcoustic() {
  const script: AcousticScript = {
    workUnits: 0,
    ...{ admitFaults: [], sounds: [], release: 1, admitted: [], modulated: [], heard: [], challenged: [] },
    ...{ paired: [], enrolled: [], removed: [], soundsAsked: [] },
    before: async () => undefined,
  };
  return { script, controllers: [packetsOf(script), beaconsOf(script)] };
}

function packetsOf(script: AcousticScript): Type {
  const admit = (verb: string, withWav?: boolean) => {
    script.admitted.push({ verb, ...(withWav !== undefined && { withWav }) });
    const fault = script.admitFaults.shift();
    if (fault) throw fault;
    return { workUnits: script.workUnits };
  };
  @Controller()
  class PacketsUnderTest {
    @Handle(acousticContract.admitModulate)
    admitModulate({ withWav }: Asked<'admitModulate'>) {
      return { durationSeconds: 1.25, ...admit('modulate', withWav) };
    }

    @Handle(acousticContract.modulate)
    async modulate(asked: Asked<'modulate'>): Promise<ModulateReply> {
      script.modulated.push(asked);
      await script.before();
      const wav = soundOf(asked.request.payloadHex, script.release);
      const sha256 = createHash('sha256').update(wav).digest('hex');
      return { ...PACKET, sha256, ...(asked.withWav && { wav }) };
    }

    @Handle(acousticContract.admitDemodulate)
    admitDemodulate() {
      return admit('demodulate');
    }

    @Handle(acousticContract.demodulate)
    async demodulate(asked: Asked<'demodulate'>): Promise<DemodulateReply> {
      script.heard.push(asked);
      await script.before();
      return { decoded: false, reason: 'NO_SYNC', packets: [], sampleRate: 44_100, durationSeconds: 1 };
    }

    @Handle(acousticContract.admitChallenge)
    admitChallenge() {
      return admit('challenge');
    }

    @Handle(acousticContract.challenge)
    async challenge(asked: Asked<'challenge'>): Promise<AcousticChallengeReply> {
      script.challenged.push(asked);
      await script.before();
      return CHALLENGE;
    }

    @Handle(acousticContract.admitPairing)
    admitPairing() {
      return admit('pairing');
    }

    @Handle(acousticContract.verifyPairing)
    async verifyPairing(asked: Asked<'verifyPairing'>): Promise<PairingReply> {
      script.paired.push(asked);
      await script.before();
      return PAIRED;
    }
  }
  return PacketsUnderTest;
}

function beaconsOf(script: AcousticScript): Type {
  @Controller()
  class BeaconsUnderTest {
    @Handle(acousticContract.enrolBeacon)
    enrol(asked: Asked<'enrolBeacon'>) {
      script.enrolled.push(asked);
      return { ...BEACON, name: asked.name, emitterSecret: 'secret-under-test' };
    }

    @Handle(acousticContract.beacons)
    beacons() {
      return { beacons: [BEACON] };
    }

    @Handle(acousticContract.removeBeacon)
    remove(asked: Asked<'removeBeacon'>) {
      script.removed.push(asked);
      return {};
    }

    @Handle(acousticContract.beaconSound)
    async sound(asked: Asked<'beaconSound'>) {
      script.soundsAsked.push(asked);
      await script.before();
      const sound = script.sounds.shift();
      return sound ? { sound } : {};
    }

    @Handle(acousticContract.pairingKeys)
    keys() {
      return { keys: [] };
    }
  }
  return BeaconsUnderTest;
}

export const BEACON = {
  beaconKey: `bcn_${'b'.repeat(22)}`,
  name: 'lobby',
  enrolledAt: '2026-04-02T00:00:00.000Z',
};
const PACKET = {
  ...{ sampleRate: 44_100, durationSeconds: 1.25, spaceHz: 18_600, markHz: 19_200, baud: 150 },
  ...{ frameBits: 160, codewords: 18 },
};
const CHALLENGE: AcousticChallengeReply = {
  ...{ challengeNonce: 'ab'.repeat(16), audio: 'UklGRg==', expiresAt: '2026-04-02T00:00:30.000Z' },
  ...{ keyId: 'k1', assurance: 'recording_submitted' },
};
const PAIRED: PairingReply = {
  ...{ pairingToken: 'pair1.a.b', secdedSyndrome: 0, correctedWords: 0, doubleErrorWords: 0 },
  ...{ berNoiseFloorDb: -40, validUntil: 1_775_088_300_000, assurance: 'recording_submitted', snrDb: 21 },
};
