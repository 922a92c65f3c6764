import { parseAcceptPayment, rankByPreference } from '../mpp/accept-payment.js';
import { usdText } from '../pricing/money.js';

/** One way to pay a challenge, ready to be sent; see `RailOffer` of the payments contract. */
export interface ChallengeOffer {
  readonly rail: string;
  readonly scheme: 'L402' | 'Payment' | 'x402' | 'SPT';
  readonly method?: string;
  readonly intent?: string;
  readonly wwwAuthenticate?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface OfferedChallenge {
  readonly challengeToken: string;
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  /** RFC 3339 */
  readonly expiresAt: string;
  readonly offers: readonly ChallengeOffer[];
}

/** A 402 as it leaves: header lines in their order, and the members of its body. */
export interface ComposedChallenge {
  /** `WWW-Authenticate` occurs once a challenge: clients in use misread several in one line. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Rails without `Accept-Payment`, as the clients in use take the first `WWW-Authenticate` that they know. The rails
 * after those have headers and members of their own, where their clients look for nothing else.
 */
const RAIL_ORDER = ['l402', 'mpp-stripe', 'mpp-lightning', 'mpp-evm', 'x402', 'spt'];

/**
 * Puts the offers of all rails into one 402 that every client can pay.
 *
 * Without `Accept-Payment` the order is L402, Payment by card, by Lightning, on a chain. With it, the
 * Payment challenges are filtered and ranked by it and come first, L402 last.
 *
 * @param acceptPayment value of the request header, if there was one; ignored when malformed, and where it matches nothing
 * @param besideLogin whether the client needs `Authorization` for a login: the `Payment` challenges then name the field that
 * is free for its payment. Their ids do not cover it: a party that can change it on its way can change all of the answer
 */
export function composeChallenge(
  challenge: OfferedChallenge,
  acceptPayment?: string,
  { besideLogin = false }: { besideLogin?: boolean } = {},
): ComposedChallenge {
  const offers = ordered(challenge.offers, acceptPayment);
  const headers: [string, string][] = [];
  for (const { scheme, wwwAuthenticate } of offers) {
    if (wwwAuthenticate === undefined) continue;
    const field = besideLogin && scheme === 'Payment' ? ', header="Payment-Authorization"' : '';
    headers.push(['WWW-Authenticate', wwwAuthenticate + field]);
  }
  for (const { headers: more = {} } of offers) headers.push(...Object.entries(more));
  headers.push(['X-402-Challenge', challenge.challengeToken], ['Cache-Control', 'no-store']);
  return {
    headers,
    body: {
      ...Object.assign({}, ...offers.map(offer => offer.body ?? {})),
      challengeToken: challenge.challengeToken,
      priceUsd: usdText(challenge.amountMicroUsd),
      priceSats: challenge.amountSats,
      expiresAt: challenge.expiresAt,
      rails: offers.map(offer => offer.rail),
    },
  };
}

function ordered(offers: readonly ChallengeOffer[], acceptPayment: string | undefined): ChallengeOffer[] {
  const place = (offer: ChallengeOffer) => {
    const index = RAIL_ORDER.indexOf(offer.rail);
    return index < 0 ? RAIL_ORDER.length : index;
  };
  const byDefault = [...offers].sort((left, right) => place(left) - place(right));
  const preferences = acceptPayment === undefined ? undefined : parseAcceptPayment(acceptPayment);
  if (!preferences) return byDefault;
  const payment = byDefault.filter(offer => offer.scheme === 'Payment');
  const others = byDefault.filter(offer => offer.scheme !== 'Payment');
  const ranked = rankByPreference(payment, preferences);
  // A client that can pay by none of them sees what there is.
  return ranked.length > 0 ? [...ranked, ...others] : byDefault;
}
