import { goldilocks, GOLDILOCKS_MODULUS } from '../field/goldilocks.js';
import { m31 } from '../field/m31.js';
import { Poseidon2 } from './poseidon2.js';

const HALF = (GOLDILOCKS_MODULUS + 1n) / 2n;

/** Goldilocks, width 8, x^7: Plonky3's `default_goldilocks_poseidon2_8`. Diagonal −2, 1, 2, 1/2, 3, −1/2, −3, −4. */
export const poseidon2Goldilocks = new Poseidon2({
  field: goldilocks,
  width: 8,
  sboxDegree: 7,
  fullRoundCount: 8,
  partialRoundCount: 22,
  internalDiagonal: [-2n, 1n, 2n, HALF, 3n, -HALF, -3n, -4n].map(d => (d < 0n ? d + GOLDILOCKS_MODULUS : d)),
});

/** M31, width 16, x^5: Plonky3's `default_mersenne31_poseidon2_16`. Diagonal −2, then powers of two. */
export const poseidon2M31 = new Poseidon2({
  field: m31,
  width: 16,
  sboxDegree: 5,
  fullRoundCount: 8,
  partialRoundCount: 14,
  internalDiagonal: [
    m31.modulus - 2n,
    ...[0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 10n, 12n, 13n, 14n, 15n, 16n].map(k => 1n << k),
  ],
});
