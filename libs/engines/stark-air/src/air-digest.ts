import { baseToBytes, Transcript } from '@svc/kernels';
import type { Air } from './air.js';
import { fieldOf } from './check-trace.js';

const PROTOCOL_LABEL = 'svc/stark/air/v2';
const DEFINITION_TAG = 1;
const EVALUATION_TAG = 2;

/**
 * 32 bytes that bind the definition of an AIR: its shape, its periodic columns, and its constraints by their values at a
 * pseudo-random point (docs/stark-format.md, section 6). A proof made under one set of constraints cannot be
 * checked under another.
 */
export function airDigest(air: Air): Uint8Array {
  const known = digests.get(air);
  if (known) return known;
  const field = fieldOf(air);
  const transcript = new Transcript(field);
  transcript.absorb(DEFINITION_TAG, encodeShape(air));
  const draw = (count: number) => Array.from({ length: count }, () => transcript.drawBase());
  const current = draw(air.columnCount);
  const next = draw(air.columnCount);
  const periodic = draw(air.periodicColumns.length);
  const values = air.evaluateTransition(field, { current, next, periodic });
  transcript.absorb(EVALUATION_TAG, baseToBytes(values, field));
  const digest = transcript.digest();
  digests.set(air, digest);
  return digest;
}

const digests = new WeakMap<Air, Uint8Array>();

function encodeShape(air: Air): Uint8Array {
  const text = new TextEncoder();
  const id = text.encode(air.id);
  const field = fieldOf(air);
  const { columnCount, constraintDegree, transitionNames, periodicColumns } = air;
  const parts = [
    text.encode(PROTOCOL_LABEL),
    u32(id.length),
    id,
    ...[columnCount, constraintDegree, transitionNames.length, periodicColumns.length].map(u32),
    ...periodicColumns.flatMap(values => [u32(values.length), baseToBytes(values, field)]),
  ];
  return Uint8Array.from(parts.flatMap(part => [...part]));
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
