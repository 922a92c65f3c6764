import { PUBLISHED_EXAMPLES } from '@svc/contracts';
import { requestDigest } from '@svc/protocols';

/** Of the examples, as they are published and as they are read, by operation. */
let digests: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * Whether what a request asks for is the example that is published of its operation. Crawlers send it to learn the price, whatever this
 * deployment has to work on: it asks what a call costs, as an empty body does. Who pays for it is admitted first, as everybody is.
 *
 * @param digest of the operation and the body, as `boundDigest` makes it
 */
export function isPublishedExample(operationId: string, digest: string): boolean {
  digests ??= new Map(
    [...PUBLISHED_EXAMPLES].map(([id, { schema, example }]) => [
      id,
      [example, schema.parse(example)].map(body => requestDigest(id, body)),
    ]),
  );
  return digests.get(operationId)?.includes(digest) ?? false;
}
