import { type BaseField, goldilocks } from '@svc/kernels';

/** Public inputs that cannot be a statement of the AIR. `path` names the field, dots between levels. */
export class PublicInputError extends Error {
  override readonly name = 'PublicInputError';
  readonly code = 'invalid-public-inputs';

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`publicInputs${path === '' ? '' : `.${path}`} ${reason}`);
  }
}

const ELEMENT_PATTERN = /^(?:0|[1-9][0-9]{0,19}|0x[0-9a-fA-F]{1,16})$/;

/** A field element as JSON: `0x` and all its hexadecimal digits, 16 for Goldilocks and 8 for M31. */
export function elementToJson(element: bigint, field: BaseField = goldilocks): string {
  return `0x${element.toString(16).padStart(2 * field.elementBytes, '0')}`;
}

/** Field elements as JSON. */
export function elementsToJson(elements: readonly bigint[], field: BaseField): string[] {
  return elements.map(element => elementToJson(element, field));
}

/** A string of decimal digits, or of `0x` and 1 to 16 hexadecimal digits, below p. @throws PublicInputError */
export function elementFromJson(json: unknown, path: string, field: BaseField = goldilocks): bigint {
  if (typeof json !== 'string' || !ELEMENT_PATTERN.test(json)) {
    throw new PublicInputError(
      path,
      'must be a string of decimal digits or of 0x and 1 to 16 hexadecimal digits',
    );
  }
  const element = BigInt(json);
  if (element >= field.modulus) {
    throw new PublicInputError(path, `must be below ${field.modulus}, got ${json}`);
  }
  return element;
}

/** An array of exactly `length` elements. @throws PublicInputError */
export function elementsFromJson(
  json: unknown,
  path: string,
  length: number,
  field: BaseField = goldilocks,
): bigint[] {
  if (!Array.isArray(json) || json.length !== length) {
    throw new PublicInputError(path, `must be an array of ${length} field elements`);
  }
  return json.map((element, i) => elementFromJson(element, `${path}.${i}`, field));
}

/** An integer from `min` to `max`. @throws PublicInputError */
export function integerFromJson(json: unknown, path: string, min: number, max: number): number {
  if (typeof json !== 'number' || !Number.isSafeInteger(json) || json < min || json > max) {
    throw new PublicInputError(path, `must be an integer from ${min} to ${max}`);
  }
  return json;
}

/**
 * An object with exactly these keys.
 * @param path of the object itself
 * @throws PublicInputError naming a missing or unknown key
 */
export function recordFromJson<Key extends string>(
  json: unknown,
  keys: readonly Key[],
  path = '',
): Record<Key, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new PublicInputError(path, `must be an object with the fields ${keys.join(', ')}`);
  }
  const record: Record<string, unknown> = { ...json };
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const key of keys) {
    if (!Object.hasOwn(record, key)) throw new PublicInputError(at(key), 'is missing');
  }
  for (const key of Object.keys(record)) {
    if (!(keys as readonly string[]).includes(key)) {
      throw new PublicInputError(at(key.slice(0, 64)), 'is unknown');
    }
  }
  return record as Record<Key, unknown>;
}
