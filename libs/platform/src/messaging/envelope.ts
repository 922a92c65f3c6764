/**
 * The form of every message that leaves the process: `[u32 LE length of the JSON][JSON, UTF-8][raw bytes]`.
 *
 * A `Uint8Array` at any depth travels in the raw part, without base64; in its place the JSON has
 * `{"$bytes":[offset,length]}`. A user's own keys that begin with `$` get a second `$`, so no value
 * can be mistaken for a marker. The raw part is canonical: markers follow one another without gap
 * or overlap and cover it exactly.
 */

/** Bytes of the largest envelope, the `max_payload` that the NATS servers of this product run with. */
export const ENVELOPE_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of the JSON part; what is larger belongs into the raw part. */
export const ENVELOPE_JSON_BYTES_MAX = 4 * 1024 * 1024;
/** Nesting of objects and arrays. */
export const ENVELOPE_DEPTH_MAX = 64;

const HEADER_BYTES = 4;
const BYTES_MARKER = '$bytes';
const DOLLAR = '$'.charCodeAt(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** A value that cannot cross the bus: a fault of the code that sends it. */
export class EnvelopeEncodeError extends TypeError {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path || 'the value'} cannot cross the bus: ${reason}`);
    this.name = 'EnvelopeEncodeError';
  }
}

export type DecodedEnvelope = { ok: true; value: unknown } | { ok: false; reason: string };

/**
 * Writes plain JSON data and `Uint8Array`s. `undefined` members are left out, as in JSON.
 * @throws EnvelopeEncodeError for what JSON would change or lose: NaN, bigint, Date, Map, functions,
 * class instances, holes, cycles (by their depth)
 */
export function encodeEnvelope(value: unknown): Uint8Array {
  const raw: RawPart = { chunks: [], sizeBytes: 0 };
  const json = JSON.stringify(value === undefined ? null : toJson(value, raw, '', 0));
  const jsonBytes = Buffer.byteLength(json, 'utf8');
  const envelope = new Uint8Array(HEADER_BYTES + jsonBytes + raw.sizeBytes);
  new DataView(envelope.buffer).setUint32(0, jsonBytes, true);
  // Written where it belongs: the text of an answer is copied once.
  encoder.encodeInto(json, envelope.subarray(HEADER_BYTES));
  let offset = HEADER_BYTES + jsonBytes;
  for (const chunk of raw.chunks) {
    envelope.set(chunk, offset);
    offset += chunk.length;
  }
  return envelope;
}

/**
 * Reads an envelope from anybody: hostile bytes give a reason, never an exception. The `Uint8Array`s
 * of the value are copies, aligned and independent of the message.
 */
export function decodeEnvelope(envelope: Uint8Array): DecodedEnvelope {
  if (envelope.length > ENVELOPE_BYTES_MAX) {
    return refused(`it has ${envelope.length} bytes, at most ${ENVELOPE_BYTES_MAX} are read`);
  }
  if (envelope.length < HEADER_BYTES)
    return refused(`it has ${envelope.length} bytes, the header alone has 4`);
  const jsonBytes = new DataView(envelope.buffer, envelope.byteOffset, HEADER_BYTES).getUint32(0, true);
  if (jsonBytes > ENVELOPE_JSON_BYTES_MAX) {
    return refused(`its JSON has ${jsonBytes} bytes, at most ${ENVELOPE_JSON_BYTES_MAX} are read`);
  }
  if (jsonBytes > envelope.length - HEADER_BYTES) {
    return refused(`its JSON should have ${jsonBytes} bytes, only ${envelope.length - HEADER_BYTES} follow`);
  }
  const rawBytes = envelope.subarray(HEADER_BYTES + jsonBytes);
  const text = attempt(() => decoder.decode(envelope.subarray(HEADER_BYTES, HEADER_BYTES + jsonBytes)));
  if (text === undefined) return refused('its JSON is not UTF-8');
  const json = attempt((): { value: unknown } => ({ value: JSON.parse(text) }));
  if (json === undefined) return refused('its JSON does not parse');
  try {
    const cursor: RawCursor = { bytes: rawBytes, offset: 0 };
    const value = fromJson(json.value, cursor, 0);
    if (cursor.offset === rawBytes.length) return { ok: true, value };
    return refused(`${rawBytes.length - cursor.offset} raw bytes belong to no value`);
  } catch (error) {
    if (error instanceof EnvelopeFault) return refused(error.message);
    throw error;
  }
}

/**
 * What {@link decodeEnvelope} reads of {@link encodeEnvelope}'s bytes, without writing them: a copy that shares nothing with the
 * value. Undefined where the value cannot cross, or might be too large: only its envelope tells.
 */
export function copyOfPlain(value: unknown): { ok: true; value: unknown } | undefined {
  const room: Room = { bytes: ENVELOPE_JSON_BYTES_MAX };
  const copy = value === undefined ? null : plainCopy(value, room, 0);
  return room.bytes >= 0 ? { ok: true, value: copy } : undefined;
}

/** Bytes that are left of what surely fits; below zero once something does not, or cannot cross. */
interface Room {
  bytes: number;
}
/** Of JSON that one unit of UTF-16 has at most: `\u001f`. */
const UNIT_BYTES_MAX = 6;
/** Of JSON that a number, a literal, a marker or the signs about a value have at most, with room to spare. */
const SIGNS_BYTES_MAX = 32;

function plainCopy(value: unknown, room: Room, depth: number): unknown {
  room.bytes -= SIGNS_BYTES_MAX;
  switch (typeof value) {
    case 'string':
      room.bytes -= UNIT_BYTES_MAX * value.length;
      return value;
    case 'boolean':
      return value;
    case 'number':
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : cannotCross(room);
    case 'object':
      break;
    default:
      return cannotCross(room);
  }
  if (value === null) return null;
  if (depth >= ENVELOPE_DEPTH_MAX || room.bytes < 0) return cannotCross(room);
  if (value instanceof Uint8Array) {
    room.bytes -= value.length;
    return room.bytes < 0 ? undefined : copyOfBytes(value);
  }
  return Array.isArray(value)
    ? copyOfArray(value, room, depth)
    : copyOfObject(value as Record<string, unknown>, room, depth);
}

function copyOfArray(array: readonly unknown[], room: Room, depth: number): unknown[] {
  const copy: unknown[] = [];
  for (let i = 0; i < array.length && room.bytes >= 0; i++) copy.push(plainCopy(array[i], room, depth + 1));
  return copy;
}

function copyOfObject(object: Record<string, unknown>, room: Room, depth: number): unknown {
  if (!isPlain(object) || typeof object.toJSON === 'function') return cannotCross(room);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    room.bytes -= UNIT_BYTES_MAX * key.length;
    const item = plainCopy(member, room, depth + 1);
    if (room.bytes < 0) return undefined;
    if (key === '__proto__') defineOwn(copy, key, item);
    else copy[key] = item;
  }
  return copy;
}

function cannotCross(room: Room): undefined {
  room.bytes = -1;
}

/** The result, or undefined where the bytes are not of the form. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

interface RawPart {
  readonly chunks: Uint8Array[];
  sizeBytes: number;
}
interface RawCursor {
  readonly bytes: Uint8Array;
  offset: number;
}

/** Unwinds the recursion of the decoder; never leaves this file. */
class EnvelopeFault extends Error {}

const refused = (reason: string): DecodedEnvelope => ({ ok: false, reason });

/** Returns the value itself where nothing in it must change, so that plain JSON costs one walk and no copy. */
function toJson(value: unknown, raw: RawPart, path: string, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new EnvelopeEncodeError(path, `${value} has no form in JSON`);
      return value;
    case 'object':
      break;
    default:
      throw new EnvelopeEncodeError(path, `a ${typeof value} has no form in JSON`);
  }
  if (value === null) return null;
  if (depth >= ENVELOPE_DEPTH_MAX) {
    throw new EnvelopeEncodeError(path, `it is nested deeper than ${ENVELOPE_DEPTH_MAX}`);
  }
  if (value instanceof Uint8Array) {
    const offset = raw.sizeBytes;
    raw.chunks.push(value);
    raw.sizeBytes += value.length;
    return { [BYTES_MARKER]: [offset, value.length] };
  }
  return Array.isArray(value)
    ? arrayToJson(value, raw, path, depth)
    : objectToJson(value as Record<string, unknown>, raw, path, depth);
}

function arrayToJson(array: unknown[], raw: RawPart, path: string, depth: number): unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < array.length; i++) {
    // A path is not written for each of a long list of numbers.
    const item = isScalar(array[i]) ? array[i] : toJson(array[i], raw, `${path}[${i}]`, depth + 1);
    if (item !== array[i]) copy ??= array.slice();
    if (copy) copy[i] = item;
  }
  return copy ?? array;
}

function objectToJson(
  object: Record<string, unknown>,
  raw: RawPart,
  path: string,
  depth: number,
): Record<string, unknown> {
  if (!isPlain(object)) {
    throw new EnvelopeEncodeError(
      path,
      `a ${object.constructor?.name || 'class instance'} is not plain data`,
    );
  }
  if (typeof object.toJSON === 'function') throw new EnvelopeEncodeError(path, 'toJSON would change it');
  const keys = Object.keys(object);
  let copy: Record<string, unknown> | undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const member = object[key];
    if (member === undefined) continue;
    const item = isScalar(member) ? member : toJson(member, raw, path ? `${path}.${key}` : key, depth + 1);
    const escaped = key.charCodeAt(0) === DOLLAR;
    // What came before the first change is as it was.
    if (escaped || item !== member) copy ??= firstMembers(object, keys, i);
    if (copy) defineOwn(copy, escaped ? `$${key}` : key, item);
  }
  return copy ?? object;
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  // An object of another realm has another Object.prototype, whose own prototype is null as well.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What goes into JSON as it is, at any depth. */
const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

function firstMembers(
  object: Record<string, unknown>,
  keys: readonly string[],
  count: number,
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (let i = 0; i < count; i++) defineOwn(members, keys[i], object[keys[i]]);
  return members;
}

function fromJson(value: unknown, raw: RawCursor, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= ENVELOPE_DEPTH_MAX) throw new EnvelopeFault(`it is nested deeper than ${ENVELOPE_DEPTH_MAX}`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = fromJson(value[i], raw, depth + 1);
    return value;
  }
  const object = value as Record<string, unknown>;
  const keys = Object.keys(object);
  if (keys.length === 1 && keys[0] === BYTES_MARKER) return takeBytes(object[BYTES_MARKER], raw);
  let escaped = false;
  for (const key of keys) {
    const member = object[key];
    const item = fromJson(member, raw, depth + 1);
    if (item !== member) defineOwn(object, key, item);
    if (key.charCodeAt(0) !== DOLLAR) continue;
    if (key.charCodeAt(1) !== DOLLAR)
      throw new EnvelopeFault(`the key ${JSON.stringify(key.slice(0, 40))} is reserved`);
    escaped = true;
  }
  return escaped ? unescaped(object, keys) : object;
}

function unescaped(object: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const key of keys) defineOwn(members, key.charCodeAt(0) === DOLLAR ? key.slice(1) : key, object[key]);
  return members;
}

function takeBytes(marker: unknown, raw: RawCursor): Uint8Array {
  if (
    !Array.isArray(marker) ||
    marker.length !== 2 ||
    !marker.every(n => Number.isSafeInteger(n) && n >= 0)
  ) {
    throw new EnvelopeFault('a marker of raw bytes is not [offset, length]');
  }
  const [offset, length] = marker as [number, number];
  if (offset !== raw.offset) throw new EnvelopeFault(`raw bytes at ${offset}, but ${raw.offset} is next`);
  if (length > raw.bytes.length - offset) {
    throw new EnvelopeFault(`${length} raw bytes at ${offset}, but the raw part has ${raw.bytes.length}`);
  }
  raw.offset += length;
  return copyOfBytes(raw.bytes.subarray(offset, offset + length));
}

/** Not `slice`, which a Node Buffer overrides with a view. */
function copyOfBytes(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Plain assignment to `__proto__` would change the prototype instead of adding a member. */
function defineOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
