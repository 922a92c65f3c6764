import { Controller } from '@nestjs/common';
import { departmentTaskContract, type ParsedRequestOf, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { DataSource } from 'typeorm';
import { CallbackKeys } from './callback-keys.js';
import { addOwedCall } from './task-callbacks.js';

@Controller()
export class CallbacksNatsController {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly dataSource: DataSource,
  ) {}

  @Handle(departmentTaskContract.callbackKeys)
  callbackKeys(): ReplyOf<typeof departmentTaskContract.callbackKeys> {
    return { keys: this.keys.published() };
  }

  /** Where the address may not be called, the sender finds out: it holds each call against the rules. */
  @Handle(departmentTaskContract.owe)
  async owe(
    call: ParsedRequestOf<typeof departmentTaskContract.owe>,
  ): Promise<ReplyOf<typeof departmentTaskContract.owe>> {
    await addOwedCall(this.dataSource.manager, call);
    return {};
  }
}
