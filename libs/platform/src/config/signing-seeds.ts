import { ConfigError } from './load-config.js';
import { secretWeakness } from './secret-strength.js';
import type { DigestSecrets } from '../keyed-digests/keyed-digests.js';
import type { Variables } from '../runtime/service-definition.js';

const ENTRY =
  /^([^:,\s]{32,256})(?::(\d{4}-\d\d-\d\d))?(?::(\d{4}-\d\d-\d\d))?(?::revoked=(\d{4}-\d\d-\d\d))?$/;

/** When a signing key signs, and whether it is still believed. */
export interface SigningTimes {
  readonly notBeforeMs: number;
  /** It signs until then; null: no end. */
  readonly notAfterMs: number | null;
  /** When it was given up as compromised; null: it was not. */
  readonly revokedAtMs: number | null;
}

/** A secret that a signing key is made of, and the times of the key. */
export interface SigningSeed extends SigningTimes {
  readonly secret: string;
}

/**
 * Faults of a variable of signing secrets, `secret[:notBefore[:notAfter]][:revoked=date]` separated by commas. No secret
 * is repeated. One that can be guessed is refused where it signs or will; where it is revoked, has ended or has a successor that
 * signs, it may stay for what it has signed and sealed.
 */
export function signingSeedFaults(variable: string, variables: Variables, nowMs = Date.now()): string[] {
  const faults = entryFaults(variable, variables, nowMs);
  if (faults.length > 0) return faults;
  return seedsOf(variable, variables).flatMap((seed, i, seeds) => {
    const weakness = signsOrWill(seed, seeds, nowMs) ? secretWeakness(seed.secret) : undefined;
    return weakness === undefined ? [] : [`${variable}: entry ${i + 1} ${weakness}`];
  });
}

function entryFaults(variable: string, variables: Variables, nowMs: number): string[] {
  const text = variables[variable];
  if (!text) return [`${variable}: is not set`];
  const entries = text.split(',').map(parseEntry);
  const faults = entries.flatMap((entry, i) =>
    entry
      ? []
      : [
          `${variable}: entry ${i + 1} is not secret[:YYYY-MM-DD[:YYYY-MM-DD]][:revoked=YYYY-MM-DD] of 32 characters or more`,
        ],
  );
  if (faults.length > 0) return faults;
  const signs = entries.some(entry => entry && maySign(entry, nowMs));
  return signs ? [] : [`${variable}: no entry is valid today`];
}

/** The signing secrets of a variable. @throws ConfigError naming every fault: not every start asks for them before */
export function signingSeedsOf(variable: string, variables: Variables): SigningSeed[] {
  const faults = signingSeedFaults(variable, variables);
  if (faults.length > 0) throw new ConfigError(faults);
  return seedsOf(variable, variables);
}

const seedsOf = (variable: string, variables: Variables): SigningSeed[] =>
  (variables[variable] ?? '').split(',').map(entry => parseEntry(entry)!);

function signsOrWill(seed: SigningSeed, seeds: readonly SigningSeed[], nowMs: number): boolean {
  const { notBeforeMs, notAfterMs, revokedAtMs } = seed;
  const isSucceeded = seeds.some(other => other.notBeforeMs > notBeforeMs && maySign(other, nowMs));
  return !isSucceeded && revokedAtMs === null && nowMs < (notAfterMs ?? Infinity);
}

/** The secrets themselves, for keys of other purposes: the one that signs now first. @throws ConfigError */
export function seedSecretsOf(variable: string, variables: Variables, nowMs = Date.now()): string[] {
  return currentFirst(signingSeedsOf(variable, variables), nowMs).map(({ secret }) => secret);
}

/** The secrets as digests are keyed with them: one that was revoked, or has ended, writes nothing more. @throws ConfigError */
export function digestSecretsOf(variable: string, variables: Variables, nowMs = Date.now()): DigestSecrets {
  const seeds = currentFirst(signingSeedsOf(variable, variables), nowMs);
  const isLive = ({ notAfterMs, revokedAtMs }: SigningSeed) =>
    revokedAtMs === null && nowMs < (notAfterMs ?? Infinity);
  return {
    live: seeds.filter(isLive).map(({ secret }) => secret),
    retired: seeds.filter(seed => !isLive(seed)).map(({ secret }) => secret),
  };
}

function currentFirst(seeds: readonly SigningSeed[], nowMs: number): SigningSeed[] {
  const current = (seed: SigningSeed) => Number(maySign(seed, nowMs));
  return [...seeds].sort((a, b) => current(b) - current(a) || b.notBeforeMs - a.notBeforeMs);
}

/** Whether a key of these times may sign now. */
export function maySign({ notBeforeMs, notAfterMs, revokedAtMs }: SigningTimes, nowMs: number): boolean {
  return revokedAtMs === null && notBeforeMs <= nowMs && nowMs < (notAfterMs ?? Infinity);
}

function parseEntry(text: string): SigningSeed | undefined {
  const match = ENTRY.exec(text.trim());
  if (!match) return undefined;
  const [, secret, notBefore, notAfter, revokedAt] = match;
  const notBeforeMs = dateOrNull(notBefore) ?? 0;
  const [notAfterMs, revokedAtMs] = [dateOrNull(notAfter), dateOrNull(revokedAt)];
  if ([notBeforeMs, notAfterMs, revokedAtMs].some(Number.isNaN)) return undefined;
  if ((notAfterMs ?? Infinity) <= notBeforeMs) return undefined;
  return { secret, notBeforeMs, notAfterMs, revokedAtMs };
}

const dateOrNull = (date: string | undefined) => (date === undefined ? null : Date.parse(date));
