import { readFileSync } from 'node:fs';
import { blake3Hash, blake3Keyed, blake3Many, DIGEST_BYTES, domainKey } from './blake3.js';

const vectors = JSON.parse(readFileSync(new URL('./blake3.vectors.json', import.meta.url), 'utf8')) as {
  key: string;
  cases: { inputBytes: number; hash: string; keyedHash: string }[];
};
const officialInput = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const key = new TextEncoder().encode(vectors.key);

it.each(vectors.cases)(
  'agrees with the official vectors for $inputBytes bytes',
  ({ inputBytes, hash, keyedHash }) => {
    const input = officialInput(inputBytes);
    expect(hex(blake3Hash(input))).toBe(hash);
    expect(hex(blake3Keyed(key, input))).toBe(keyedHash);
  },
);

it('hashes each of many messages as if it were alone', () => {
  const messages = officialInput(5 * 192);
  const digests = blake3Many(key, messages, 192);
  expect(digests.length).toBe(5 * DIGEST_BYTES);
  for (let i = 0; i < 5; i++) {
    const alone = blake3Keyed(key, messages.slice(192 * i, 192 * (i + 1)));
    expect(hex(digests.slice(32 * i, 32 * (i + 1)))).toBe(hex(alone));
  }
});

it('derives the key of a purpose as the plain hash of its label', () => {
  expect(hex(domainKey('svc/stark/v1/leaf'))).toBe(
    hex(blake3Hash(Buffer.from('svc/stark/v1/leaf', 'ascii'))),
  );
});
