import type { ProofGeometry } from '../profile.js';
import { capBytes } from '../proof-geometry.js';
import { HEADER_BYTES } from '../proof-header.js';

/** The half-open range of bytes of a section. */
export type Section = readonly [start: number, end: number];

/** Where the sections of a proof lie that do not depend on its queries (docs/stark-format.md, section 10). */
export function sectionsOf(geometry: ProofGeometry) {
  const { leafCounts, outOfDomainBytes, overflowBytes, finalLength, extensionBytes, traceLeafBytes } =
    geometry;
  let offset = HEADER_BYTES;
  const next = (length: number): Section => [offset, (offset += length)];
  return {
    traceCap: next(capBytes(leafCounts[0])),
    compositionCap: next(capBytes(leafCounts[0])),
    overflow: next(overflowBytes),
    outOfDomain: next(outOfDomainBytes),
    layerCaps: leafCounts.slice(1).map(leafCount => next(capBytes(leafCount))),
    finalPolynomial: next(finalLength * extensionBytes),
    nonce: next(8),
    firstTraceLeaf: next(traceLeafBytes),
  };
}
