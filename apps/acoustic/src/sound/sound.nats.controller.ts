import { Controller } from '@nestjs/common';
import {
  acousticContract,
  type AdmittedWork,
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
    return this.sounds.admitModulate(request, withWav);
  }

  @Handle(modulate)
  modulate({ request, withWav }: ParsedRequestOf<typeof modulate>): Promise<ModulateReply> {
    return this.sounds.modulate(request, withWav);
  }

  @Handle(admitDemodulate)
  admitDemodulate({ request, recording }: ParsedRequestOf<typeof admitDemodulate>): Promise<AdmittedWork> {
    return this.sounds.admitDemodulate(request, recording);
  }

  @Handle(demodulate)
  demodulate({ request, recording }: ParsedRequestOf<typeof demodulate>): Promise<DemodulateReply> {
    return this.sounds.demodulate(request, recording);
  }
}
