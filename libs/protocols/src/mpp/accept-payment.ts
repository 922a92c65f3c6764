/** Bounds of the header that is read. */
const HEADER_CHARS_MAX = 1_024;
const ENTRIES_MAX = 32;

/** One entry of `Accept-Payment`: what the client can pay with, and how gladly. */
export interface PaymentPreference {
  /** Method name, or `*`. */
  readonly method: string;
  /** Intent, or `*`. */
  readonly intent: string;
  /** 0 (never) to 1, three decimals. */
  readonly quality: number;
}

/**
 * Reads `Accept-Payment: lightning/charge, stripe/*;q=0.5` (draft-httpauth-payment section
 * "Accept-Payment"). `undefined` when any entry is malformed or the header is beyond the bounds: a
 * preference that cannot be read is none.
 */
export function parseAcceptPayment(header: string): PaymentPreference[] | undefined {
  if (header.length > HEADER_CHARS_MAX) return undefined;
  const entries = header
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');
  if (entries.length === 0 || entries.length > ENTRIES_MAX) return undefined;
  const preferences: PaymentPreference[] = [];
  for (const entry of entries) {
    const preference = parseEntry(entry);
    if (!preference) return undefined;
    preferences.push(preference);
  }
  return preferences;
}

function parseEntry(entry: string): PaymentPreference | undefined {
  const [range, ...parameters] = entry.split(';').map(part => part.trim());
  const [method, intent, ...rest] = range.split('/').map(part => part.trim());
  if (rest.length > 0 || !isToken(method) || !isToken(intent)) return undefined;
  let quality = 1;
  for (const parameter of parameters) {
    if (parameter === '') continue;
    const match = /^([A-Za-z0-9_-]+)\s*=\s*(\S+)$/.exec(parameter);
    if (!match) return undefined;
    if (match[1] !== 'q') continue;
    if (!/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(match[2])) return undefined;
    quality = Number(match[2]);
  }
  return { method, intent, quality };
}

const isToken = (text: string | undefined) =>
  text !== undefined && (text === '*' || /^[a-z0-9-]+$/.test(text));

/**
 * The offers that the client accepts, best first. The more specific entry decides, so that
 * `stripe/charge;q=0` overrules a wildcard; offers of one quality keep their order.
 */
export function rankByPreference<Offer extends { method?: string; intent?: string }>(
  offers: readonly Offer[],
  preferences: readonly PaymentPreference[],
): Offer[] {
  return offers
    .map(offer => ({ offer, quality: qualityOf(offer, preferences) }))
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality)
    .map(({ offer }) => offer);
}

function qualityOf(
  offer: { method?: string; intent?: string },
  preferences: readonly PaymentPreference[],
): number {
  let best = { specificity: -1, quality: 0 };
  for (const { method, intent, quality } of preferences) {
    if (method !== '*' && method !== offer.method) continue;
    if (intent !== '*' && intent !== offer.intent) continue;
    const specificity = Number(method !== '*') + Number(intent !== '*');
    const better = specificity === best.specificity ? quality > best.quality : specificity > best.specificity;
    if (better) best = { specificity, quality };
  }
  return best.quality;
}
