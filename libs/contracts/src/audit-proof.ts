import { z } from 'zod';

/** Evidence that every paid answer carries, and what it is evidence of. */
export const AuditProof = z
  .object({
    proves: z.enum(['commitment', 'rules', 'computation']).meta({
      description: 'The computation, the rules applied to it, or that the answer cannot be changed later',
    }),
    doesNotProve: z.string().meta({ description: 'One sentence: what this evidence says nothing about' }),
    requestDigest: z.string().meta({ description: 'SHA-256 of the canonical (JCS) request, 0x hex' }),
    resultDigest: z.string().meta({ description: 'SHA-256 of the canonical (JCS) result, 0x hex' }),
    leafIndex: z.int().min(0),
    inclusionPath: z
      .array(z.string())
      .meta({ description: 'Sibling hashes from the leaf to the root, 0x hex' }),
    root: z.string().meta({ description: 'Merkle root of the batch, 0x hex' }),
    starkRoot: z.string().optional().meta({ description: 'Id of the proof that covers the root' }),
    signature: z.string().optional().meta({ description: 'ML-DSA-65 signature over the root, base64' }),
    keyId: z.string().optional(),
  })
  .meta({ id: 'AuditProof' });
export type AuditProof = z.infer<typeof AuditProof>;
