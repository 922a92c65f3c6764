import { blake3Hash } from '@svc/kernels';

/** BLAKE3 of a proof's bytes, `0x` and 64 hexadecimal digits: the name of this very proof. */
export function proofRootHash(proof: Uint8Array): string {
  const digest = blake3Hash(proof);
  return `0x${[...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
