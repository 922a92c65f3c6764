import { z } from 'zod';

const Digest = z.string().regex(/^0x[0-9a-f]{64}$/);

/**
 * One record of a saga's write-ahead log, as a caller sees it: enough to compute its `hash` anew, and with it the whole
 * chain. See docs/sagas.md.
 */
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
    step: z.string().optional().meta({ description: 'Absent where the record is about the saga' }),
    at: z.iso.datetime(),
    hash: Digest,
    prevHash: Digest,
    attempt: z.int().meta({ description: 'Which try of the step, from 1; 0 where it is about the saga' }),
    idemKey: Digest.optional().meta({ description: 'What a remote effect is known again by' }),
    fence: z.int().meta({ description: 'Of the lease under which the record was written' }),
    payloadDigest: Digest.meta({ description: 'SHA-256 of the canonical JSON of the payload' }),
    payload: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'WalEvent' });
export type WalEvent = z.infer<typeof WalEvent>;
