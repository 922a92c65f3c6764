import { baseToBytes, blake3Keyed, concatBytes, domainKey, Transcript } from '@svc/kernels';
import type { Air } from './air.js';
import { fieldOf } from './check-trace.js';
import { constraintBytes } from './constraint-polynomials.js';

const EVALUATED_LABEL = 'svc/stark/air/v2';
const AIR_KEY = domainKey('svc/stark/v3/air');
const DEFINITION_KEY = domainKey('svc/stark/v3/definition');
const DEFINITION_TAG = 1;
const EVALUATION_TAG = 2;

/**
 * 32 bytes that bind the definition of an AIR: its field, its shape, its periodic columns, and its transition constraints as
 * polynomials (docs/stark-format.md, section 6). Two AIRs of one digest have the same constraints, unless BLAKE3 collides. That of an AIR
 * that somebody else has defined is a keyed hash of its definition's hash, under another key.
 * @throws TypeError if a constraint is no polynomial
 */
export function airDigest(air: Air): Uint8Array {
  return remembered(digests, air, () => {
    if (air.definitionDigest) return blake3Keyed(DEFINITION_KEY, air.definitionDigest);
    const modulus = new Uint8Array(8);
    new DataView(modulus.buffer).setBigUint64(0, fieldOf(air).modulus, true);
    return blake3Keyed(AIR_KEY, concatBytes(modulus, encodeShape(air), constraintBytes(air)));
  });
}

/**
 * The digest that proofs of version 2 of the format have: it holds the constraints' values at one point, which follows from
 * the shape alone. So it tells constraints apart that differ by chance, and not those that somebody made to agree at that point.
 * @throws TypeError of an AIR that somebody else has defined: its constants could be chosen to agree
 */
export function evaluatedAirDigest(air: Air): Uint8Array {
  if (air.definitionDigest) throw new TypeError(`${air.id} is in no proof of version 2`);
  return remembered(evaluatedDigests, air, () => {
    const field = fieldOf(air);
    const transcript = new Transcript(field);
    transcript.absorb(
      DEFINITION_TAG,
      concatBytes(new TextEncoder().encode(EVALUATED_LABEL), encodeShape(air)),
    );
    const draw = (count: number) => Array.from({ length: count }, () => transcript.drawBase());
    const current = draw(air.columnCount);
    const next = draw(air.columnCount);
    const periodic = draw(air.periodicColumns.length);
    const values = air.evaluateTransition(field, { current, next, periodic });
    transcript.absorb(EVALUATION_TAG, baseToBytes(values, field));
    return transcript.digest();
  });
}

type Digests = WeakMap<Air, Uint8Array>;
const digests: Digests = new WeakMap();
const evaluatedDigests: Digests = new WeakMap();

function remembered(known: Digests, air: Air, make: () => Uint8Array): Uint8Array {
  const digest = known.get(air) ?? make();
  known.set(air, digest);
  return digest;
}

function encodeShape(air: Air): Uint8Array {
  const id = new TextEncoder().encode(air.id);
  const field = fieldOf(air);
  const { columnCount, constraintDegree, transitionNames, periodicColumns } = air;
  return concatBytes(
    u32(id.length),
    id,
    ...[columnCount, constraintDegree, transitionNames.length, periodicColumns.length].map(u32),
    ...periodicColumns.flatMap(values => [u32(values.length), baseToBytes(values, field)]),
  );
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
