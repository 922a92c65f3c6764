import type { FastifyRequest } from 'fastify';
import { hash, webcrypto } from 'node:crypto';
import { LONG_JSON_BYTES } from './limits.js';

const BODY_SHA256 = Symbol('BODY_SHA256');
interface WithDigest {
  [BODY_SHA256]?: string;
}

const OF_NO_BYTES = hash('sha256', '', 'hex');

/** SHA-256 of the bytes of a request's body, lower-case hex; of no bytes where none was noted. */
export const bodyDigestOf = (request: FastifyRequest): string =>
  (request as WithDigest)[BODY_SHA256] ?? OF_NO_BYTES;

/** Notes the digest of a body before a parser may take its bytes; that of a long one is made off the event loop. */
export async function noteBodyDigest(request: FastifyRequest, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const digest =
    body.length > LONG_JSON_BYTES
      ? Buffer.from(await webcrypto.subtle.digest('SHA-256', body)).toString('hex')
      : hash('sha256', body, 'hex');
  setBodyDigest(request, digest);
}

/** Says what the body of a request is that stands for another. @param sha256 lower-case hex */
export function setBodyDigest(request: FastifyRequest, sha256: string): void {
  (request as WithDigest)[BODY_SHA256] = sha256;
}
