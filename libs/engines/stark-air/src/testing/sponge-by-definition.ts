import { type BaseFieldName, poseidon2Goldilocks, poseidon2M31 } from '@svc/kernels';

// The text of docs/stark-format.md, section 11, byte by byte: nothing of the code that it is compared with.

/** NUMBERS(list). */
export function numberBytes(list: readonly string[]): number[] {
  const encoded = list.flatMap(text => {
    const bytes: number[] = [];
    for (let rest = BigInt(text); rest > 0n; rest /= 256n) bytes.push(Number(rest % 256n));
    return [bytes.length, ...bytes];
  });
  return [list.length % 256, Math.floor(list.length / 256), ...encoded];
}

/** CONTEXT(text). */
export function contextBytes(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  return [bytes.length % 256, Math.floor(bytes.length / 256), ...bytes];
}

/** The rate after parts that are padded to whole blocks each. */
export function spongeDigest(
  field: BaseFieldName,
  tag: string,
  ...parts: readonly (readonly number[])[]
): bigint[] {
  const [permutation, limbBytes] =
    field === 'goldilocks' ? ([poseidon2Goldilocks, 7] as const) : ([poseidon2M31, 3] as const);
  const half = permutation.width / 2;
  const limbs = (bytes: readonly number[], count: number) =>
    Array.from({ length: count }, (_, i) =>
      bytes
        .slice(i * limbBytes, (i + 1) * limbBytes)
        .reduce((limb, byte, place) => limb + BigInt(byte) * 256n ** BigInt(place), 0n),
    );
  const tagLimbs = limbs([...new TextEncoder().encode(tag)], Math.ceil(tag.length / limbBytes));
  let state = [
    ...Array<bigint>(half).fill(0n),
    ...tagLimbs,
    ...Array<bigint>(half - tagLimbs.length).fill(0n),
  ];
  for (const part of parts) {
    for (let at = 0; at < part.length; at += half * limbBytes) {
      const block = limbs(part.slice(at, at + half * limbBytes), half);
      state = permutation.permute(
        state.map((lane, i) => (lane + (block[i] ?? 0n)) % permutation.field.modulus),
      );
    }
  }
  return state.slice(0, half);
}
