import type { CalledRequest } from '@svc/contracts';
import { requestHashText } from '@svc/protocols';
import type { FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { bodyDigestOf } from '../http/body-digest.js';
import { pathOf } from './challenge-maker.js';

/** Longer paths than this are none that a payment is for: their parameters are bounded. */
const PATH_CHARS_MAX = 2_048;

/** What the signed receipt of a request's answer names: its path, and the hash of method, path with query, and body as they came. */
export function calledRequest(request: FastifyRequest): CalledRequest | undefined {
  const path = pathOf(request);
  if (path.length > PATH_CHARS_MAX) return undefined;
  const text = requestHashText(request.method, request.url, bodyDigestOf(request));
  return { path, requestHash: hash('sha256', text, 'hex') };
}
