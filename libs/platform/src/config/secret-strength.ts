import { z } from 'zod';

/** Bits that a secret must have by {@link secretBits}. */
const SECRET_BITS_MIN = 80;
const LENGTH_MIN = 32;

/** What is wrong with a secret that can be guessed, without a word of it; undefined where nothing is. */
export function secretWeakness(secret: string): string | undefined {
  const bits = secretBits(secret);
  if (bits >= SECRET_BITS_MIN) return undefined;
  return `can be guessed: its characters give ${Math.floor(bits)} bits at most, ${SECRET_BITS_MIN} are the least`;
}

/** A variable that is one secret of 32 characters or more that cannot be guessed. */
const Secret = z
  .string()
  .min(LENGTH_MIN)
  .superRefine((secret, context) => {
    const message = secret.length < LENGTH_MIN ? undefined : secretWeakness(secret);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
/** A variable whose entries are looked at by who reads them: secrets with times. */
const Secrets = z.string().min(LENGTH_MIN);

/** The secrets of all services: none of which has a default, and each of which is the same on every replica. */
export const secretsConfig = z.object({
  PAYMENTS_SECRET: Secret.optional(),
  MACAROON_SECRET: Secret.optional(),
  SANDBOX_LIGHTNING_KEY: Secret.optional(),
  AUDIT_SIGNING_SEEDS: Secrets.optional(),
  API_KEY_PEPPER: Secret.optional(),
  CREDIT_KEY_SECRET: Secret.optional(),
  LICENCE_SIGNING_SEEDS: Secrets.optional(),
  WAL_SIGNING_SEEDS: Secrets.optional(),
  DEPARTMENT_SECRET: Secret.optional(),
  CALLBACK_SIGNING_SEEDS: Secrets.optional(),
  ACOUSTIC_SECRET: Secrets.optional(),
  PAIRING_SIGNING_SEEDS: Secrets.optional(),
  MESH_SIGNING_SEEDS: Secrets.optional(),
  TURN_SECRET: Secret.optional(),
  ADMIN_KEY: Secret.pipe(z.string().max(256)).optional(),
});

/** Names of the secrets that {@link secretsConfig} reads, as they appear in `environment.secrets`. */
export const SECRET_VARIABLES = Object.keys(
  secretsConfig.shape,
) as readonly (keyof typeof secretsConfig.shape)[];

/**
 * An upper estimate of what it takes to guess a secret, in bits: how evenly its characters are spread, pieces that repeat
 * counted once, or, where that is less, the steps from character to character. It finds secrets that somebody typed to fill a
 * length: few characters, runs, repetitions, alphabets. A random one of 32 hexadecimal digits has some 110; of words it says too much.
 */
export function secretBits(secret: string): number {
  const codes = [...secret].map(character => character.codePointAt(0)!);
  const piece = withoutRepeats(codes);
  const steps = piece.slice(1).map((code, i) => code - piece[i]);
  return Math.min(spreadBits(piece), spreadBits(steps));
}

/** So many characters that stood there before add nothing. Of what a generator makes, few secrets have as many twice. */
const REPEATED_MIN = 4;

/** The characters that repeat none of those before them. */
function withoutRepeats(codes: readonly number[]): readonly number[] {
  const kept: number[] = [];
  for (let at = 0; at < codes.length;) {
    const repeated = Math.max(...codes.slice(0, at).map((_, from) => sameFrom(codes, from, at)), 0);
    if (repeated < REPEATED_MIN) kept.push(codes[at]);
    at += repeated < REPEATED_MIN ? 1 : repeated;
  }
  return kept;
}

/** How many characters are the same from both places on. */
function sameFrom(codes: readonly number[], one: number, other: number): number {
  let count = 0;
  while (other + count < codes.length && codes[one + count] === codes[other + count]) count++;
  return count;
}

/** Length times the Shannon entropy of the values' frequencies. */
function spreadBits(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + count * Math.log2(values.length / count), 0);
}
