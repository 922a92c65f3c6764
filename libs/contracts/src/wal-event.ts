import { z } from 'zod';

/** One record of a saga's write-ahead log, as a caller sees it. */
export const WalEvent = z
  .object({
    seq: z.int(),
    kind: z.enum([
      'SAGA_BEGIN',
      'STEP_INTENT',
      'STEP_COMMIT',
      'STEP_FAIL',
      'COMP_INTENT',
      'COMP_COMMIT',
      'SAGA_COMMIT',
      'SAGA_ABORTED',
      'SAGA_STUCK',
    ]),
    step: z.string().optional(),
    at: z.iso.datetime(),
    hash: z.string(),
    prevHash: z.string(),
  })
  .meta({ id: 'WalEvent' });
export type WalEvent = z.infer<typeof WalEvent>;
