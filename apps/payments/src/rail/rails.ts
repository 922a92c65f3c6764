import { paced, type ServiceEnvironment, type Variables } from '@svc/platform';
import type { CardSettings } from '../card/card-config.js';
import { CardRail } from '../card/card-rail.js';
import type { LightningBackend } from '../lightning/lightning-backend.js';
import { LightningRail } from '../lightning/lightning-rail.js';
import { onchainRailOf } from '../onchain/onchain-config.js';
import type { PaymentKeys } from '../payments-config.js';
import type { ReceiptSettings } from '../receipt/receipt-config.js';
import type { Rail } from './rail.js';
import { PROBE_EVERY_MS } from './readiness-probe.js';

/** What rails are made of. */
export interface RailParts {
  readonly environment: ServiceEnvironment;
  readonly keys: PaymentKeys;
  readonly lightning: LightningBackend;
  readonly card: CardSettings | undefined;
  readonly variables: Variables;
  readonly receipts: ReceiptSettings;
}

/**
 * The rails of this deployment, in the order in which a 402 offers them: Lightning always, the others where they are
 * configured.
 */
export function railsOf({ environment, keys, lightning, card, variables, receipts }: RailParts): Rail[] {
  const { origin, keys: signing } = receipts;
  const offers = { origin, signer: (nowMs: number) => signing.signer(nowMs) };
  const probeEveryMs = paced(environment, PROBE_EVERY_MS);
  const rails: (Rail | undefined)[] = [
    new LightningRail(lightning, keys, probeEveryMs),
    card && new CardRail(card.stripe, keys, card.networkId, undefined, probeEveryMs),
    onchainRailOf(environment, variables, keys, { probeEveryMs, offers }),
  ];
  return rails.filter(rail => rail !== undefined);
}
