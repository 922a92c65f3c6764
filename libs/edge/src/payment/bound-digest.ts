import { problem } from '@svc/platform';
import { JcsError } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { PackedBody } from '../http/packed-body.js';
import { canonicalPieces } from './canonical-pieces.js';

/** How long the event loop is held for a long body before others are served, milliseconds. */
const HELD_MS = 4;

/**
 * What a payment is bound to: the `requestDigest` of an operation and its validated body, or of the bytes of one that is packed. That
 * of a long body is made in slices, between which others are served.
 * @throws ProblemError VALIDATION_FAILED for a body that has none
 */
export async function boundDigest(operationId: string, body: unknown): Promise<string> {
  const bound = body instanceof PackedBody ? { sha256: body.sha256 } : body;
  try {
    return await digestInSlices({ operationId, body: bound });
  } catch (error) {
    if (!(error instanceof JcsError)) throw error;
    throw problem('VALIDATION_FAILED', 'The body holds what has no canonical JSON', {
      errors: [
        { path: '', message: 'a string holds half of a surrogate pair, or a number is beyond 1.8e308' },
      ],
    });
  }
}

async function digestInSlices(value: unknown): Promise<string> {
  const digest = createHash('sha256');
  let begunMs = performance.now();
  for (const piece of canonicalPieces(value)) {
    digest.update(piece, 'utf8');
    if (performance.now() - begunMs < HELD_MS) continue;
    await setImmediate();
    begunMs = performance.now();
  }
  return digest.digest('hex');
}
