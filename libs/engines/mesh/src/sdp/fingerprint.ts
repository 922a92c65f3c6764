import { attributeValues } from './description-attribute.js';
import { SdpError } from './sdp-error.js';
import type { SdpLine } from './sdp-lines.js';

/** Bytes of the hashes that a certificate may be named by; MD5 and SHA-1 can be forged. */
const BYTES: Readonly<Record<string, number>> = { 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 };
const NAMED = 'sha-256';
const FINGERPRINT = /^(\S+) ([0-9a-f]{2}(?::[0-9a-f]{2})*)$/i;

/**
 * SHA-256 of the certificate that a description names: `AB:CD:…`, 32 pairs of capital hex digits. Others of stronger hashes may stand
 * beside it, as some peers name their certificate by each hash that they know (RFC 8122 section 5).
 *
 * @throws SdpError MISSING; FINGERPRINT where one is of another hash, or two of one hash differ
 */
export function readFingerprint(lines: readonly SdpLine[]): string {
  const read = new Map<string, { readonly line: SdpLine; readonly hash: string }>();
  for (const { line, value } of attributeValues(lines, 'fingerprint')) {
    const [, name = '', pairs = ''] = FINGERPRINT.exec(value) ?? [];
    const [algorithm, hash] = [name.toLowerCase(), pairs.toUpperCase()];
    if (!Object.hasOwn(BYTES, algorithm) || hash.length !== 3 * BYTES[algorithm] - 1) {
      const message =
        'a fingerprint is of sha-256, or beside it of sha-384 or sha-512, in pairs of hex digits';
      throw new SdpError('FINGERPRINT', message, { line, bound: NAMED, value });
    }
    const known = read.get(algorithm);
    if (known && known.hash !== hash) {
      const message = `another fingerprint stands on line ${known.line.number}`;
      throw new SdpError('FINGERPRINT', message, { line, bound: known.hash, value: hash });
    }
    read.set(algorithm, known ?? { line, hash });
  }
  const named = read.get(NAMED);
  if (named) return named.hash;
  throw new SdpError('MISSING', `a=fingerprint:${NAMED} is missing`, { bound: `a=fingerprint:${NAMED}` });
}

/**
 * A description with the fingerprint of SHA-256 alone, byte for byte the same otherwise: for the connection of whoever was shown that
 * fingerprint. Else its library could hold the certificate against another one, of a certificate that is another.
 *
 * @param text what was inspected
 */
export function withoutOtherFingerprints(text: string): string {
  return text
    .split(AFTER_LINE)
    .filter(line => !OTHER.test(line))
    .join('');
}

const AFTER_LINE = /(?<=\n)/;
const OTHER = /^a=fingerprint:(?!sha-256 )/i;
