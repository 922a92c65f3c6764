import { readFileSync } from 'node:fs';

/**
 * The ring of a Krugerrand (the lines of the table at 30 dB, one second, mono) as opusenc of opus-tools 0.2 compressed it at 64 kbit/s.
 */
export const compressedRing = (): Uint8Array =>
  // From the sources and from the built package alike.
  new Uint8Array(readFileSync(new URL('../../../src/testing/fixtures/krugerrand.opus', import.meta.url)));
