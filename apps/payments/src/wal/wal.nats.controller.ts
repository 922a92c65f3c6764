import { Controller, Inject } from '@nestjs/common';
import { type ReplyOf, x402Contract } from '@svc/contracts';
import { type Ed25519Keys, Handle } from '@svc/platform';

/** Injection token of the {@link Ed25519Keys} that checkpoints are signed with. */
export const WAL_KEYS = Symbol('WAL_KEYS');

@Controller()
export class WalNatsController {
  constructor(@Inject(WAL_KEYS) private readonly keys: Ed25519Keys) {}

  @Handle(x402Contract.walKeys)
  publicKeys(): ReplyOf<typeof x402Contract.walKeys> {
    return { keys: this.keys.published() };
  }
}
