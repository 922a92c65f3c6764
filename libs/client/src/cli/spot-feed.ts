import { setTimeout as delay } from 'node:timers/promises';
import { linesOf } from './api-command.js';
import { openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { readFeed } from './read-feed.js';
import { textOption, type VerbContext } from './verb.js';

/** A price as `POST /v1/admin/spot-prices` takes it. */
export interface FeedPrice {
  readonly metal: string;
  readonly currency: string;
  /** Of a troy ounce, decimal text. */
  readonly price: string;
  /** ISO 8601. */
  readonly asOf: string;
  readonly source: string;
}

/** How to read a feed: each member with a slash in front is a JSON pointer (RFC 6901) into it, another stands for itself. */
interface FeedMap {
  readonly source: string;
  /** A time as ISO 8601, or in seconds or milliseconds since 1970. */
  readonly asOf: string;
  readonly currency: string;
  readonly prices: readonly {
    readonly metal: string;
    readonly price: string;
    readonly asOf?: string;
    readonly per?: keyof typeof GRAMS;
    /** The feed has ounces for a unit of the currency. */
    readonly inverse?: boolean;
  }[];
}

const GRAMS = { ounce: 31.1034768, gram: 1, kilogram: 1_000 } as const;
const METALS = ['XAU', 'XAG', 'XPT', 'XPD'];
const FEED_BYTES_MAX = 65_536;
/** Seconds since 1970 stay below it until the year 5138. */
const SECONDS_MAX = 1e11;
/** A metal that has moved by more than this between two readings is looked at by a person first. */
const JUMP_MAX = 0.2;
const SECONDS_BETWEEN_MIN = 10;

/** The form of a feed that needs no map: `{ "source", "asOf", "currency", "prices": { "XAU": "2387.15" } }`. */
const OWN_FORM: FeedMap = {
  ...{ source: '/source', asOf: '/asOf', currency: '/currency' },
  prices: METALS.map(metal => ({ metal, price: `/prices/${metal}` })),
};

/**
 * The prices that a feed has, each with its time and its source; metals that the feed lacks are left out.
 *
 * @param map how to read a feed of another form
 * @throws {UsageError} for a feed without a time or a source, and a price that is none
 * @example spotPricesOf({ source: 'x', asOf: '2026-11-26T12:00:00Z', currency: 'USD', prices: { XAU: 4100.5 } })
 */
export function spotPricesOf(feed: Record<string, unknown>, map: FeedMap = OWN_FORM): FeedPrice[] {
  const text = (name: string, place: string) => {
    const found = at(feed, place);
    if (typeof found !== 'string' || found === '')
      throw new UsageError(`the feed has no ${name} at ${place}`);
    return found;
  };
  const found = map.prices.flatMap(({ metal, price, asOf = map.asOf, per = 'ounce', inverse = false }) => {
    const value = at(feed, price);
    if (value === undefined) return [];
    const amount = typeof value === 'string' ? Number(value) : value;
    if (typeof amount !== 'number' || !(amount > 0) || !Number.isFinite(amount))
      throw new UsageError(
        `the feed has no price of ${metal} at ${price}, but ${String(value).slice(0, 40)}`,
      );
    const ofOunce = ((inverse ? 1 / amount : amount) * GRAMS.ounce) / GRAMS[per];
    return [
      {
        ...{ metal, currency: text('currency', map.currency), source: text('source', map.source) },
        price: per === 'ounce' && !inverse && typeof value === 'string' ? value : decimalText(ofOunce),
        asOf: instant(at(feed, asOf), asOf),
      },
    ];
  });
  if (found.length === 0) throw new UsageError('the feed has no price of a metal that is asked for');
  return found;
}

/** A JSON pointer into a document; what does not begin with a slash stands for itself. */
function at(feed: unknown, place: string): unknown {
  if (!place.startsWith('/')) return place;
  return place
    .slice(1)
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      feed,
    );
}

function instant(value: unknown, place: string): string {
  const ms =
    typeof value === 'number' ? value * (value < SECONDS_MAX ? 1_000 : 1) : Date.parse(String(value ?? ''));
  if (Number.isNaN(ms) || Math.abs(ms) > 8.64e15) throw new UsageError(`the feed has no time at ${place}`);
  return new Date(ms).toISOString();
}

const decimalText = (value: number) => value.toFixed(8).replace(/\.?0+$/, '');

/** @throws {UsageError} for a map that lacks a member */
export function feedMapOf(value: Record<string, unknown>): FeedMap {
  const { source, asOf, currency, prices } = value;
  for (const [name, member] of Object.entries({ source, asOf, currency }))
    if (typeof member !== 'string') throw new UsageError(`the map of the feed has no ${name}`);
  const isPrice = (price: unknown): price is FeedMap['prices'][number] => {
    const { metal, price: place, per = 'ounce' } = (price ?? {}) as Record<string, unknown>;
    return (
      METALS.includes(metal as string) && typeof place === 'string' && Object.hasOwn(GRAMS, per as string)
    );
  };
  if (!Array.isArray(prices) || prices.length === 0 || !prices.every(isPrice))
    throw new UsageError(`prices of the map are objects of metal (${METALS.join(', ')}), price and per`);
  return value as unknown as FeedMap;
}

/**
 * Sets the prices of a feed, once or every so many seconds: those that are newer than what is known, and none that has moved by
 * more than a fifth, which a person sets.
 */
export async function followSpotFeed(context: VerbContext, from: string): Promise<ExitCode> {
  const mapFile = textOption(context.values, 'map');
  const map =
    mapFile === undefined ? OWN_FORM : feedMapOf(readJsonObject(await readOperandFile(mapFile), mapFile));
  const every = secondsOf(textOption(context.values, 'every'));
  for (;;) {
    try {
      const outcome = await setNewer(
        context,
        spotPricesOf(readJsonObject(await readFeed(from, FEED_BYTES_MAX, context.signal), from), map),
      );
      context.terminal.result(outcome, linesOf(outcome));
      if (every === undefined) return outcome.refused.length > 0 ? ExitCode.failure : ExitCode.ok;
    } catch (error) {
      if (every === undefined || context.signal.aborted) throw error;
      context.terminal.note(error instanceof Error ? error.message : String(error));
    }
    await delay(1_000 * every, undefined, { signal: context.signal });
  }
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text) || Number(text) < SECONDS_BETWEEN_MIN)
    throw new UsageError(
      `--every must be whole seconds from ${SECONDS_BETWEEN_MIN} on, got ${text.slice(0, 80)}`,
    );
  return Number(text);
}

async function setNewer(context: VerbContext, prices: readonly FeedPrice[]) {
  const client = await openClient(context, 'free');
  const { signal } = context;
  const { data } = await client.request('GET' as string, '/v1/admin/spot-prices', { signal });
  const known = (data as { items?: FeedPrice[] }).items ?? [];
  const outcome = { set: [] as FeedPrice[], known: [] as string[], refused: [] as string[] };
  for (const price of prices) {
    const before = known.find(({ metal, currency }) => metal === price.metal && currency === price.currency);
    if (before && Date.parse(before.asOf) >= Date.parse(price.asOf)) outcome.known.push(price.metal);
    else if (before && Math.abs(Number(price.price) / Number(before.price) - 1) > JUMP_MAX)
      outcome.refused.push(
        `${price.metal}: ${before.price} to ${price.price} is more than ${100 * JUMP_MAX} %`,
      );
    else {
      await client.request('POST' as string, '/v1/admin/spot-prices', { body: price, signal });
      outcome.set.push(price);
    }
  }
  return outcome;
}
