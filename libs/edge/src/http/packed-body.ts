import { ENVELOPE_BYTES_MAX, problem } from '@svc/platform';
import { isUtf8 } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

/** Bytes of a packed body: what one message of the bus carries, with room for what stands beside it. */
export const PACKED_BYTES_MAX = ENVELOPE_BYTES_MAX - 65_536;
/** Tried in this order: the first is five times as fast, the second some 6 % smaller, which helps what is a little too large. */
const LEVELS = [1, 6];
const LITTLE = 1.15;
/** Longer texts than this are no `{}` with blanks around it. */
const EMPTY_CHARS_MAX = 64;

const deflate = promisify(deflateRaw);

/**
 * JSON text that nobody has read yet: it is deflated off the event loop, and whoever it is for inflates, reads and checks it.
 * The payment of its request is bound to its digest.
 */
export class PackedBody {
  private constructor(
    /** Raw deflate (RFC 1951) of the text. */
    readonly deflated: Uint8Array,
    /** SHA-256 of the text, hexadecimal. */
    readonly sha256: string,
    /** Bytes of the text. */
    readonly sizeBytes: number,
    /** The text says nothing: `{}`. */
    readonly isEmpty: boolean,
  ) {}

  /**
   * @param bytesMax bytes that may be left once the text is deflated
   * @throws ProblemError MALFORMED_JSON for what is not UTF-8, BODY_TOO_LARGE for what the bus does not carry
   */
  static async of(text: Uint8Array, bytesMax = PACKED_BYTES_MAX): Promise<PackedBody> {
    if (!isUtf8(text)) throw problem('MALFORMED_JSON', 'The body is not UTF-8');
    const [digest, deflated] = await Promise.all([
      webcrypto.subtle.digest('SHA-256', text),
      packed(text, bytesMax),
    ]);
    const isEmpty =
      text.length <= EMPTY_CHARS_MAX && /^\s*\{\s*\}\s*$/.test(Buffer.from(text).toString('utf8'));
    return new PackedBody(deflated, Buffer.from(digest).toString('hex'), text.length, isEmpty);
  }
}

async function packed(text: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  let sizeBytes = 0;
  for (const level of LEVELS) {
    const deflated = await deflate(text, { level });
    if (deflated.length <= bytesMax) return deflated;
    sizeBytes = deflated.length;
    if (sizeBytes > LITTLE * bytesMax) break;
  }
  const detail = `The body has ${text.length} bytes, ${sizeBytes} of them once deflated; at most ${bytesMax} can be passed on`;
  throw problem('BODY_TOO_LARGE', detail, {
    errors: [{ path: '', message: 'too large once deflated', bound: bytesMax, got: sizeBytes }],
  });
}
