import { Injectable } from '@nestjs/common';
import { spotContract, type VerifyBullionResult } from '@svc/contracts';
import { meltValue, type PreciousMetal, spotAge } from '@svc/metals';
import { BusClient } from '@svc/platform';

/** ISO 4217 codes of the metals. */
const CODES = { gold: 'XAU', silver: 'XAG', platinum: 'XPT', palladium: 'XPD' } as const;
const CURRENCY = 'USD';

export type MeltQuote = Pick<VerifyBullionResult, 'meltValue' | 'meltValueReason' | 'spot'>;

/** What the metal of a piece is worth by the prices that operators have set: there is no price of our own. */
@Injectable()
export class SpotQuotes {
  constructor(private readonly bus: BusClient) {}

  /** @throws ProblemError SERVICE_UNAVAILABLE, TIMEOUT: whoever has paid for a value gets it, or the call fails */
  async quote(
    piece: { metal: PreciousMetal; massG: number; fineness: number },
    nowMs: number,
  ): Promise<MeltQuote> {
    const { items } = await this.bus.call(spotContract.spotPrices, { metal: CODES[piece.metal] });
    const newest = items.find(({ currency }) => currency === CURRENCY);
    if (!newest) return { meltValue: null, meltValueReason: 'SPOT_UNKNOWN', spot: null };
    const { metal, price, currency, asOf, source } = newest;
    const age = spotAge(Date.parse(asOf), nowMs);
    const spot = { metal, price, currency, asOf, source, stale: age !== 'fresh' };
    if (age === 'expired') return { meltValue: null, meltValueReason: 'SPOT_STALE', spot };
    return { meltValue: meltValue(piece.massG, piece.fineness, price), meltValueReason: null, spot };
  }
}
