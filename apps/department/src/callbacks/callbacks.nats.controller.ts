import { Controller } from '@nestjs/common';
import { departmentTaskContract, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { CallbackKeys } from './callback-keys.js';

@Controller()
export class CallbacksNatsController {
  constructor(private readonly keys: CallbackKeys) {}

  @Handle(departmentTaskContract.callbackKeys)
  callbackKeys(): ReplyOf<typeof departmentTaskContract.callbackKeys> {
    return { keys: this.keys.published() };
  }
}
