import { z } from 'zod';

/** Raw bytes on the bus: they travel beside the JSON, not in it. Never part of an HTTP body. */
export const Bytes: z.ZodType<Uint8Array, Uint8Array> = z.instanceof(Uint8Array);
