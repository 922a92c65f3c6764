import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { preferredCoding } from './accept.js';

const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** A hundredth larger than at the highest quality, in a fiftieth of the time: a document of a megabyte takes 70 ms. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESS: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: bytes => brotli(bytes, BROTLI),
  gzip: bytes => zip(bytes),
};
/** What is shorter gains nothing, and neither do pictures and fonts, which are compressed. */
const COMPRESSED_BYTES_MIN = 1_024;
const COMPRESSIBLE = /^(text\/|application\/(json|wasm)|image\/svg)/;

/** What an answer says of itself. */
export interface StoredAnswerFields {
  readonly mediaType: string;
  readonly cacheControl: string;
  /** Request header by which it was chosen among others, beside `Accept-Encoding`. */
  readonly vary?: string;
}

/**
 * An answer that is the same for everybody: it is written once and compressed once in each coding, when somebody first asks
 * for that, in a thread; and whoever has it already gets a 304. Each coding has an entity tag of its own (RFC 9110, section 8.8.1).
 */
export class StoredAnswer {
  private readonly bytes: Buffer;
  private readonly digest: string;
  private readonly codings: readonly Coding[];
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  constructor(
    content: string | Buffer,
    private readonly fields: StoredAnswerFields,
  ) {
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.digest = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 22);
    const isCompressible =
      this.bytes.length >= COMPRESSED_BYTES_MIN && COMPRESSIBLE.test(this.fields.mediaType);
    this.codings = isCompressible ? CODINGS : [];
  }

  async send(reply: FastifyReply): Promise<void> {
    const { mediaType, cacheControl, vary } = this.fields;
    const { 'accept-encoding': accepted, 'if-none-match': known } = reply.request.headers;
    const coding = preferredCoding(accepted === undefined ? undefined : String(accepted), this.codings);
    const etag = `"${coding === 'identity' ? this.digest : `${this.digest}-${coding}`}"`;
    const varies = [vary, ...(this.codings.length > 0 ? ['accept-encoding'] : [])].filter(Boolean).join(', ');
    if (varies) reply.header('vary', varies);
    reply.header('etag', etag).header('cache-control', cacheControl);
    if (names(known, etag)) return void (await reply.status(304).send());
    if (coding !== 'identity') reply.header('content-encoding', coding);
    await reply.header('content-type', mediaType).send(await this.in(coding));
  }

  private in(coding: Coding | 'identity'): Buffer | Promise<Buffer> {
    if (coding === 'identity') return this.bytes;
    const known = this.compressed.get(coding);
    if (known) return known;
    const made = COMPRESS[coding](this.bytes);
    this.compressed.set(coding, made);
    made.catch(() => this.compressed.delete(coding));
    return made;
  }
}

/** Whether an `If-None-Match` names a tag, by the weak comparison. */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map(tag => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
