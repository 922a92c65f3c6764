import type { BaseField } from '@svc/kernels';
import { WitnessError } from './witness-error.js';

const ELEMENT_PATTERN = /^(?:0|[1-9][0-9]{0,19}|0x[0-9a-fA-F]{1,16})$/;

/**
 * The fields of a witness, or of its member `path`; `required` ones must be there, others may.
 * @throws WitnessError naming a missing or unknown field
 */
export function witnessRecord<Required extends string, Optional extends string = never>(
  json: unknown,
  required: readonly Required[],
  optional: readonly Optional[] = [],
  path = '',
): Record<Required, unknown> & Partial<Record<Optional, unknown>> {
  const known: readonly string[] = [...required, ...optional];
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new WitnessError(
      'malformed-witness',
      path || 'witness',
      `must be an object with the fields ${known.join(', ')}`,
      { max: 'object' },
    );
  }
  const record: Record<string, unknown> = { ...json };
  const prefix = path && `${path}.`;
  for (const key of required) {
    if (!Object.hasOwn(record, key)) throw new WitnessError('malformed-witness', prefix + key, 'is missing');
  }
  for (const key of Object.keys(record)) {
    if (!known.includes(key)) {
      throw new WitnessError('malformed-witness', prefix + key.slice(0, 64), 'is unknown', { max: known });
    }
  }
  return record as Record<Required, unknown> & Partial<Record<Optional, unknown>>;
}

/** An integer from `min` to `max`. @throws WitnessError */
export function witnessInteger(json: unknown, path: string, min: number, max: number): number {
  if (typeof json !== 'number' || !Number.isSafeInteger(json)) {
    throw new WitnessError('malformed-witness', path, `must be an integer from ${min} to ${max}`, { max });
  }
  if (json < min || json > max) {
    throw new WitnessError('input-out-of-range', path, `must be from ${min} to ${max}`, {
      max: json < min ? min : max,
      got: json,
    });
  }
  return json;
}

/** A non-negative integer, also a bigint of a program, or a string of decimal digits or of `0x` and hexadecimal digits, below p. @throws WitnessError */
export function witnessElement(json: unknown, path: string, field: BaseField): bigint {
  const isNumber = typeof json === 'bigint' || (typeof json === 'number' && Number.isSafeInteger(json));
  const text = isNumber ? String(json) : json;
  if (typeof text !== 'string' || !ELEMENT_PATTERN.test(text) || BigInt(text) >= field.modulus) {
    throw new WitnessError(
      'malformed-element',
      path,
      `must be a field element: decimal digits or 0x and hexadecimal digits, below ${field.modulus}`,
      { max: String(field.modulus - 1n) },
    );
  }
  return BigInt(text);
}

/** An array of exactly `length` elements. @throws WitnessError */
export function witnessElements(json: unknown, path: string, length: number, field: BaseField): bigint[] {
  if (!Array.isArray(json) || json.length !== length) {
    throw new WitnessError('malformed-element', path, `must be an array of ${length} field elements`, {
      max: length,
    });
  }
  return json.map((element, i) => witnessElement(element, `${path}.${i}`, field));
}

/** An array of strings. @throws WitnessError */
export function witnessStrings(json: unknown, path: string): string[] {
  if (!Array.isArray(json))
    throw new WitnessError('malformed-witness', path, 'must be an array of strings', { max: 'array' });
  return json.map((value: unknown, i) => {
    if (typeof value !== 'string')
      throw new WitnessError('malformed-witness', `${path}.${i}`, 'must be a string', { max: 'string' });
    return value;
  });
}

/** A string, empty if there is none. @throws WitnessError */
export function witnessText(json: unknown, path: string): string {
  if (json === undefined) return '';
  if (typeof json !== 'string') {
    throw new WitnessError('malformed-witness', path, 'must be a string', { max: 'string' });
  }
  return json;
}
