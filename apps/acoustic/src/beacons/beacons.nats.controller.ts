import { Controller } from '@nestjs/common';
import { acousticContract, type EnrolledBeacon, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { BeaconSounds } from './beacon-sounds.js';
import { Beacons } from './beacons.js';

const { enrolBeacon, beacons, removeBeacon, beaconSound } = acousticContract;

@Controller()
export class BeaconsNatsController {
  constructor(
    private readonly beacons: Beacons,
    private readonly sounds: BeaconSounds,
  ) {}

  @Handle(enrolBeacon)
  enrol({ by, name }: ParsedRequestOf<typeof enrolBeacon>): Promise<EnrolledBeacon> {
    return this.beacons.enrol(by, name);
  }

  @Handle(beacons)
  async list({ by }: ParsedRequestOf<typeof beacons>): Promise<ReplyOf<typeof beacons>> {
    return { beacons: await this.beacons.list(by) };
  }

  @Handle(removeBeacon)
  async remove({ by, beaconKey }: ParsedRequestOf<typeof removeBeacon>): Promise<Record<string, never>> {
    await this.beacons.remove(by, beaconKey);
    return {};
  }

  @Handle(beaconSound)
  async sound({
    beaconKey,
    emitterSecret,
    waitMs,
  }: ParsedRequestOf<typeof beaconSound>): Promise<ReplyOf<typeof beaconSound>> {
    const sound = await this.sounds.next(beaconKey, emitterSecret, waitMs);
    return sound ? { sound } : {};
  }
}
