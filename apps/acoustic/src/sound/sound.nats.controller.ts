import { Controller } from '@nestjs/common';
import {
  acousticContract,
  type DemodulateReply,
  type ModulateReply,
  type ParsedRequestOf,
  type ReplyOf,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { SoundService } from './sound.service.js';

const { admitModulate, modulate, admitDemodulate, demodulate } = acousticContract;

@Controller()
export class SoundNatsController {
  constructor(private readonly sounds: SoundService) {}

  @Handle(admitModulate)
  admitModulate({ request, withWav }: ParsedRequestOf<typeof admitModulate>): ReplyOf<typeof admitModulate> {
    const { durationSeconds } = this.sounds.admitModulate(request, withWav);
    return { durationSeconds };
  }

  @Handle(modulate)
  modulate({ request, withWav }: ParsedRequestOf<typeof modulate>): Promise<ModulateReply> {
    return this.sounds.modulate(request, withWav);
  }

  @Handle(admitDemodulate)
  async admitDemodulate({
    request,
    recording,
  }: ParsedRequestOf<typeof admitDemodulate>): Promise<Record<string, never>> {
    await this.sounds.admitDemodulate(request, recording);
    return {};
  }

  @Handle(demodulate)
  demodulate({ request, recording }: ParsedRequestOf<typeof demodulate>): Promise<DemodulateReply> {
    return this.sounds.demodulate(request, recording);
  }
}
