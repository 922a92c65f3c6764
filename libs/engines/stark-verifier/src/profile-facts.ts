import type { BaseFieldName } from '@svc/kernels';

/** What a proof is made over: base field, extension and kind of domain. */
export type ProfileName = 'gl3' | 'gl2' | 'm31';

/** What parameters and security need to know of a profile; its arithmetic stands elsewhere. */
export interface ProfileFacts {
  readonly name: ProfileName;
  /** The profile's byte in a proof's header. */
  readonly code: number;
  readonly base: BaseFieldName;
  /** Base elements in an element of the extension that challenges are drawn from. */
  readonly extensionDegree: number;
  /** log2 of the size of the extension. */
  readonly extensionBits: number;
  /** Traces stand on a multiplicative subgroup, or on the circle x² + y² = 1. */
  readonly domain: 'multiplicative' | 'circle';
}

/** Rows in a leaf, and the factor that each layer shrinks by: the same in every profile. */
export const FOLDING_FACTOR = 8;
export const FINAL_LENGTH_MAX = 256;

const GOLDILOCKS_BITS = Math.log2(2 ** 64 - 2 ** 32 + 1);
const M31_BITS = Math.log2(2 ** 31 - 1);

/** The profiles of the format (docs/stark-format.md, section 1). */
export const PROFILE_FACTS: Readonly<Record<ProfileName, ProfileFacts>> = {
  gl3: facts('gl3', 1, 'goldilocks', 3, GOLDILOCKS_BITS, 'multiplicative'),
  gl2: facts('gl2', 2, 'goldilocks', 2, GOLDILOCKS_BITS, 'multiplicative'),
  m31: facts('m31', 3, 'm31', 4, M31_BITS, 'circle'),
};

function facts(
  name: ProfileName,
  code: number,
  base: BaseFieldName,
  extensionDegree: number,
  baseBits: number,
  domain: ProfileFacts['domain'],
): ProfileFacts {
  return { name, code, base, extensionDegree, extensionBits: extensionDegree * baseBits, domain };
}
