import { z } from 'zod';

/** Base64 characters that carry `bytes` bytes. */
export const base64Chars = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/** `bytesMin` to `bytesMax` whole bytes as hexadecimal digits, with or without `0x`. */
export const hexBytes = (bytesMin: number, bytesMax: number) =>
  z
    .string()
    .max(2 + 2 * bytesMax)
    .regex(new RegExp(`^(0x)?([0-9a-fA-F]{2}){${bytesMin},${bytesMax}}$`), {
      error: `${bytesMin} to ${bytesMax} bytes as an even number of hexadecimal digits, 0x before them or not`,
    });

/** Bytes as standard base64, at most `bytesMax` of them. */
export const base64Bytes = (bytesMax: number) => z.base64().min(1).max(base64Chars(bytesMax));

/** An id that we made: a prefix and 128 random bits, base64url. Whoever holds it may ask. */
export const unguessableId = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9_-]{22}$`));

/** Seed of a deterministic run. */
export const Seed = z.int().min(0).max(0xffff_ffff).meta({ description: 'Same seed, same answer' });

/** An amount of US dollars as a decimal string, so that no cent is lost. */
export const UsdAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/, { error: 'a decimal amount such as 0.50' })
  .meta({ description: 'US dollars as a decimal string', example: '0.50' });

/** Control characters as every dialect of regular expressions writes them: Python has no `\p{Cc}`, RE2 no `\u`. */
const CONTROL = String.raw`\x00-\x1f\x7f-\x9f`;
const hasWholeCharacters = (text: string): boolean => !/\p{Cs}/u.test(text);

/**
 * Text that can be stored and put into canonical JSON: no control characters, no halves of surrogate pairs.
 *
 * @param but control characters that are allowed, as in a class of a regular expression
 */
export function plainText(but = '', what = 'text without control characters'): z.ZodString {
  const pattern = but === '' ? `^[^${CONTROL}]*$` : `^(?:[^${CONTROL}]|[${but}])*$`;
  return z
    .string()
    .regex(new RegExp(pattern, 'u'), { error: what })
    .refine(hasWholeCharacters, { error: what });
}

export const PlainText = plainText();

/** An `Idempotency-Key`. It is stored beside those of others: one that cannot be would fail their calls too. */
export const IdempotencyKeyText = PlainText.min(1).max(255);

/** `YYYY-MM-DD`. */
export const CalendarDate = z.iso.date();

/** A name that a caller gives to an agent, a device or a peer: it is stored, signed and shown on terminals. */
export const CallerName = PlainText.min(1).max(128);

/** Cursor of keyset pagination, opaque to the caller. */
export const PageCursor = z
  .string()
  .max(512)
  .regex(/^[A-Za-z0-9_-]+$/);

/** Public key of Ed25519 (32 bytes) or secp256k1 (33 or 65), hexadecimal. */
export const PublicKeyHex = z
  .string()
  .regex(/^(0x)?([0-9a-fA-F]{64}|[0-9a-fA-F]{66}|[0-9a-fA-F]{130})$/, {
    error: 'a key of 32, 33 or 65 bytes in hexadecimal digits',
  })
  .meta({ description: '32 bytes: Ed25519; 33 or 65: secp256k1' });

/** Address of a wallet on an EVM chain; letters of both cases are its check sum (EIP-55). */
export const EvmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'an address of 20 bytes in hexadecimal digits after 0x' })
  .meta({ description: 'Address of a wallet, 0x…', example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' });

/** Header that makes retries of one purchase one purchase. */
export const IdempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'The same value for every retry of one purchase' }),
  'X-Svc-Max-Price': z.string().max(16).optional().meta({
    description: 'What the caller pays at most, decimal dollars: a call that costs more is refused',
  }),
});
