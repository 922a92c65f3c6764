import { GOLDILOCKS_MODULUS } from '@svc/kernels';

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

/** A field element as JSON: `0x` and 16 hexadecimal digits. */
export function elementToJson(element: bigint): string {
  return `0x${element.toString(16).padStart(16, '0')}`;
}

/** A string of decimal digits, or of `0x` and 1 to 16 hexadecimal digits, below p. @throws PublicInputError */
export function elementFromJson(json: unknown, path: string): bigint {
  if (typeof json !== 'string' || !ELEMENT_PATTERN.test(json)) {
    throw new PublicInputError(
      path,
      'must be a string of decimal digits or of 0x and 1 to 16 hexadecimal digits',
    );
  }
  const element = BigInt(json);
  if (element >= GOLDILOCKS_MODULUS) {
    throw new PublicInputError(path, `must be below ${GOLDILOCKS_MODULUS}, got ${json}`);
  }
  return element;
}

/** An array of exactly `length` elements. @throws PublicInputError */
export function elementsFromJson(json: unknown, path: string, length: number): bigint[] {
  if (!Array.isArray(json) || json.length !== length) {
    throw new PublicInputError(path, `must be an array of ${length} field elements`);
  }
  return json.map((element, i) => elementFromJson(element, `${path}.${i}`));
}

/** An object with exactly these keys. @throws PublicInputError naming a missing or unknown key */
export function recordFromJson<Key extends string>(
  json: unknown,
  keys: readonly Key[],
): Record<Key, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new PublicInputError('', `must be an object with the fields ${keys.join(', ')}`);
  }
  const record: Record<string, unknown> = { ...json };
  for (const key of keys) {
    if (!Object.hasOwn(record, key)) throw new PublicInputError(key, 'is missing');
  }
  for (const key of Object.keys(record)) {
    if (!(keys as readonly string[]).includes(key))
      throw new PublicInputError(key.slice(0, 64), 'is unknown');
  }
  return record as Record<Key, unknown>;
}
