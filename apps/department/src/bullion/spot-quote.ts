import { Injectable } from '@nestjs/common';
import { spotContract, type VerifyBullionResult } from '@svc/contracts';
import { meltValue, type PreciousMetal, spotAge } from '@svc/metals';
import { BusClient } from '@svc/platform';

/** ISO 4217 codes of the metals. */
const CODES = { gold: 'XAU', silver: 'XAG', platinum: 'XPT', palladium: 'XPD' } as const;
const CURRENCY = 'USD';

export type MeltQuote = Pick<VerifyBullionResult, 'meltValue' | 'meltValueReason' | 'meltValueNote' | 'spot'>;

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
    if (!newest) {
      const meltValueNote = `this service has no price of ${piece.metal} in US dollars: its operator sets one, or follows a feed`;
      return { meltValue: null, meltValueReason: 'SPOT_UNKNOWN', meltValueNote, spot: null };
    }
    const { metal, price, currency, asOf, source } = newest;
    const age = spotAge(Date.parse(asOf), nowMs);
    return {
      meltValue: meltValue(piece.massG, piece.fineness, price),
      meltValueReason: age === 'expired' ? 'SPOT_STALE' : null,
      meltValueNote:
        age === 'fresh' ? null : `by a price of ${asOf}, ${daysOf(nowMs - Date.parse(asOf))} days old`,
      spot: { metal, price, currency, asOf, source, stale: age !== 'fresh' },
    };
  }
}

const DAY_MS = 86_400_000;
const daysOf = (ms: number) => (ms / DAY_MS).toFixed(1);
