import { Receipt } from '@svc/contracts';
import { z } from 'zod';

/** A SHA-256 of what was sent or answered, sealed: a plain one would tell short contents to a reader who guesses them. Base64. */
const SealedHash = z.string();

/** Request of a claim: the URL at our own origin, and what the hash of the request is. */
const CalledUrl = z.object({ url: z.string(), requestHash: SealedHash });
export type CalledUrl = z.infer<typeof CalledUrl>;

/** The money of a payment on a chain: CAIP-2, address of the token, decimals of its units. */
const ChainMoney = z.object({ network: z.string(), asset: z.string(), decimals: z.int() });
export type ChainMoney = z.infer<typeof ChainMoney>;

/** What was delivered, and who says so: whatever else the signed receipt has, its claim says. */
const Delivery = z.object({
  responseHash: SealedHash,
  /** Unix seconds. */
  issuedAt: z.int(),
  /** DID URL of the key. */
  kid: z.string(),
  version: z.union([z.literal(1), z.literal(2)]),
});
export type Delivery = z.infer<typeof Delivery>;

/**
 * The receipt of a payment as the row of its claim has it, with all that its signed receipt is made of. The signed one is made anew
 * each time that it is shown; from the same row it is always the same text.
 */
export const StoredReceipt = Receipt.extend({
  called: CalledUrl.optional(),
  chain: ChainMoney.optional(),
  delivery: Delivery.optional(),
});
export type StoredReceipt = z.infer<typeof StoredReceipt>;
