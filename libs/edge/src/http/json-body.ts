import { problem, type ProblemError } from '@svc/platform';
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { jsonShape, type JsonReading, readingCostOf, readJson, shapeFaultOf } from './json-text.js';
import { noteBodyDigest } from './body-digest.js';
import { hungUp } from './hang-up.js';
import { JsonThreads } from './json-threads.js';
import { LONG_JSON_BYTES } from './limits.js';
import { keepOfLongBody } from './long-bodies.js';
import { PackedBody } from './packed-body.js';

/** How a route takes its JSON: parsed, unless it says otherwise. */
export type BodyForm = 'parsed' | 'raw' | 'packed';

export interface BodyOptions {
  /** Media types that are read as text. */
  readonly textTypes?: readonly string[];
  /** Media types whose bytes are taken as they come. */
  readonly bytesTypes?: readonly string[];
  /**
   * How the route takes its JSON: the bytes as they came, because what signs it signs those, or a {@link PackedBody}.
   */
  readonly formOf?: (request: FastifyRequest) => BodyForm;
  /** Bounds what a caller has read for it, before it is received or parsed: rejects with the refusal. */
  readonly meter?: (request: FastifyRequest, body: BodySize) => Promise<void>;
  /** Waits until it is the turn of a call that sends so many bytes: rejects with the refusal. */
  readonly turn?: (request: FastifyRequest, bytes: number) => Promise<void>;
  /** Whether the digest of a body is wanted: see {@link noteBodyDigest}. */
  readonly isDigested?: (request: FastifyRequest) => boolean;
  /** Tells callers apart, who take turns at the threads in which long bodies are read. Default: all share one. */
  readonly subjectOf?: (request: FastifyRequest) => string;
}

/** What reading a body takes. */
export interface BodySize {
  readonly bytes: number;
  /** Of JSON that is parsed. */
  readonly values: number;
}

/**
 * Reads bodies: JSON as {@link readJson} does, text and bytes of the named media types. Anything else is 415. An empty body is no
 * body. What a long body holds is bounded before it is parsed, and it is parsed in a thread.
 */
export function readBodies(
  instance: FastifyInstance,
  {
    textTypes = [],
    bytesTypes = [],
    formOf = () => 'parsed',
    meter = async () => undefined,
    turn = async () => undefined,
    subjectOf = () => 'anybody',
    isDigested = () => false,
  }: BodyOptions = {},
): void {
  const threads = new JsonThreads();
  instance.addHook('onClose', () => threads.close());
  refuseUnread(instance, meter, turn);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const body = await bytesInTurn(request, payload, meter, turn);
    const form = formOf(request);
    if (form === 'raw') return body;
    if (body.length === 0) return undefined;
    refuseEncoding(request);
    if (isDigested(request)) await noteBodyDigest(request, body);
    if (form === 'packed') return pack(request, body);
    const take = (values: number) => meter(request, { bytes: 0, values });
    const reading = await (body.length > LONG_JSON_BYTES
      ? threads.read(body, subjectOf(request), take)
      : readHere(body, take));
    if ('value' in reading) return reading.value;
    throw problem(reading.code, reading.detail, { errors: [reading.error] });
  });
  for (const type of textTypes) {
    instance.addContentTypeParser(type, async (request: FastifyRequest, payload: Readable) => {
      const body = await bytesInTurn(request, payload, meter, turn);
      refuseEncoding(request);
      if (!isUtf8(body)) throw notUtf8();
      return body.toString('utf8');
    });
  }
  for (const type of bytesTypes) {
    instance.addContentTypeParser(type, async (request: FastifyRequest, payload: Readable) => {
      const body = await bytesInTurn(request, payload, meter, turn);
      refuseEncoding(request);
      return body.length === 0 ? undefined : body;
    });
  }
}

type Meter = NonNullable<BodyOptions['meter']>;
type Turn = NonNullable<BodyOptions['turn']>;

/** Whether a body comes in chunks: its length is not known before it is here. */
const isChunked = ({ headers }: FastifyRequest): boolean => headers['transfer-encoding'] !== undefined;

/**
 * Refuses a body beyond the allowance before it is received, which costs more than the refusal, and closes the connection it
 * comes on. One that comes in chunks is refused where nothing is left, and counted as it comes.
 */
function refuseUnread(instance: FastifyInstance, meter: Meter, turn: Turn): void {
  instance.addHook('preParsing', async (request, reply) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    refuseTransferCoding(request, reply);
    const bytes = Number(request.headers['content-length'] ?? 0);
    // What is too large is refused by its announced length, and none of it is read.
    if (bytes > (request.routeOptions.bodyLimit ?? Infinity)) return void reply.header('connection', 'close');
    try {
      if (bytes > 0 || isChunked(request)) await meter(request, { bytes, values: 0 });
      await turn(request, bytes);
    } catch (refusal) {
      reply.header('connection', 'close');
      throw refusal;
    }
  });
}

/** The bytes of a body. What comes in chunks is counted as it comes: it may never end. */
async function bytesInTurn(
  request: FastifyRequest,
  payload: Readable,
  meter: Meter,
  turn: Turn,
): Promise<Buffer<ArrayBuffer>> {
  if (!isChunked(request)) return bytesOf(request, payload);
  const body = await bytesOf(request, payload, bytes => meter(request, { bytes, values: 0 }));
  await turn(request, body.length);
  return body;
}

/** Bytes that a body without an announced length is given first. */
const FIRST_BYTES = 16_384;

/**
 * The bytes of a body, up to the limit of its route. Each piece is copied as it comes: Node makes an object of some 300 bytes of each,
 * and a body may come in pieces of one byte.
 * @param take is told of more bytes before they are kept, {@link FIRST_BYTES} or a multiple; where it rejects, no more are
 * @throws FST_ERR_CTP_BODY_TOO_LARGE, FST_ERR_CTP_INVALID_CONTENT_LENGTH; what `take` rejects with, or the stream fails with
 */
function bytesOf(
  request: FastifyRequest,
  payload: Readable & { receivedEncodedLength?: number },
  take?: (bytes: number) => Promise<void>,
): Promise<Buffer<ArrayBuffer>> {
  const limit = request.routeOptions.bodyLimit ?? Infinity;
  const announced =
    request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']);
  if (announced !== undefined && announced > limit)
    return Promise.reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  return new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(Math.min(announced ?? FIRST_BYTES, FIRST_BYTES));
    let length = 0;
    let [taken, counted] = [Promise.resolve(), 0];
    const count = (whole: number) => {
      if (!take || whole <= counted) return;
      const more = Math.ceil((whole - counted) / FIRST_BYTES) * FIRST_BYTES;
      counted += more;
      // In order: none is asked for after one was refused.
      taken = taken.then(() => take(more));
      taken.catch(end);
    };
    const end = (error?: unknown) => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
      if (error === undefined) resolve(bytes.subarray(0, length));
      else reject(error);
    };
    const onData = (piece: Buffer) => {
      const whole = length + piece.length;
      if (whole > limit) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      count(whole);
      if (whole > bytes.length) {
        const grown = Buffer.allocUnsafe(
          Math.min(Math.max(whole, 2 * bytes.length), Math.max(whole, announced ?? limit)),
        );
        bytes.copy(grown, 0, 0, length);
        bytes = grown;
      }
      piece.copy(bytes, length);
      length = whole;
    };
    const onEnd = () => {
      const isShort = announced !== undefined && announced !== (payload.receivedEncodedLength ?? length);
      const fault = isShort ? new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH() : undefined;
      void taken.then(() => end(fault), end);
    };
    const onError = (error: NodeJS.ErrnoException) => end(error.code === 'ECONNRESET' ? hungUp() : error);
    payload.on('data', onData).on('end', onEnd).on('error', onError);
    payload.resume();
  });
}

type Take = (values: number) => Promise<void>;

async function readHere(body: Buffer, take: Take): Promise<JsonReading> {
  const shape = jsonShape(body);
  await take(readingCostOf(shape));
  return shapeFaultOf(shape) ?? readJson(body, shape);
}

const notUtf8 = (): ProblemError =>
  problem('UNSUPPORTED_MEDIA_TYPE', 'The body is not UTF-8', {
    errors: [{ path: '', message: 'is not UTF-8' }],
  });

async function pack(request: FastifyRequest, body: Buffer): Promise<PackedBody> {
  const packed = await PackedBody.of(body);
  keepOfLongBody(request, packed.deflated.length);
  return packed;
}

/** Node takes chunks apart and unpacks nothing. @throws ProblemError UNSUPPORTED_MEDIA_TYPE */
function refuseTransferCoding({ headers }: FastifyRequest, reply: FastifyReply): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return;
  reply.header('connection', 'close');
  throw compressed('transfer-encoding', 'chunked', coding);
}

const compressed = (path: string, bound: string, got: string): ProblemError =>
  problem('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed', {
    errors: [{ path, message: 'not accepted', bound, got: got.slice(0, 80) }],
  });

/**
 * Bodies are UTF-8 as they are: nothing is unpacked or converted here.
 * @throws ProblemError UNSUPPORTED_MEDIA_TYPE
 */
function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw compressed('content-encoding', 'identity', encoding);
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw problem('UNSUPPORTED_MEDIA_TYPE', 'The body must be UTF-8', {
    errors: [
      { path: 'content-type', message: 'charset not accepted', bound: 'utf-8', got: charset.slice(0, 80) },
    ],
  });
}
