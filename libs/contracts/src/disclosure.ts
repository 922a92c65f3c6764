import { z } from 'zod';

/** Fields of one answer that can be shown one by one. */
export const DISCLOSED_FIELDS_MAX = 512;

const Sha256Hex = z.string().regex(/^0x[0-9a-f]{64}$/);

/** JSON pointer (RFC 6901) of a field of an answer, such as `/verdict` or `/extracted/NamedInsured_FullName`. */
export const FieldPath = z
  .string()
  .max(256)
  .regex(/^(\/[^/~]*(~[01][^/~]*)*)+$/);

/**
 * What lets the holder of an answer show single fields of it: a salt for each, under one Merkle root that `disclosureProof`
 * commits to. See docs/audit-proofs.md.
 */
export const FieldDisclosure = z
  .strictObject({
    version: z.literal(1),
    operationId: z.string().max(64).meta({ description: 'The call that was answered' }),
    root: Sha256Hex.meta({ description: 'Merkle root (RFC 6962) over the salted fields, 0x hex' }),
    fields: z
      .array(
        z.strictObject({
          path: FieldPath,
          salt: z.string().regex(/^0x[0-9a-f]{32}$/),
        }),
      )
      .min(1)
      .max(DISCLOSED_FIELDS_MAX)
      .meta({ description: 'In the order of the leaves' }),
  })
  .meta({ id: 'FieldDisclosure' });
export type FieldDisclosure = z.infer<typeof FieldDisclosure>;
