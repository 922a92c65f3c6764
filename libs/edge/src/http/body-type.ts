import { ROUTES } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const JSON_TYPE = 'application/json';

/** Media type of the body of each route that reads one, by method and path. */
const TYPES: ReadonlyMap<string, string> = new Map(
  ROUTES.flatMap(({ method, path, body }) =>
    body ? [[`${method} ${path}`, body.mediaType ?? JSON_TYPE] as const] : [],
  ),
);

/** Media type of a body that is read as it comes. */
export const BYTES_TYPE = 'application/octet-stream';
/** Media types beside those that some route reads, as text. */
export const TEXT_TYPES: readonly string[] = [...new Set(TYPES.values())].filter(
  type => type !== JSON_TYPE && type !== BYTES_TYPE,
);

/** Media type that the route of a request reads; undefined where it reads none. */
const bodyTypeOf = ({ method, routeOptions }: FastifyRequest): string | undefined =>
  TYPES.get(`${method} ${routeOptions.url}`);

/** The refusal of a body that the route of a request does not read. */
export function notReadHere(request: FastifyRequest): ProblemError {
  const bound = bodyTypeOf(request) ?? JSON_TYPE;
  const got = request.headers['content-type']?.slice(0, 80);
  return problem('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${bound}`, {
    errors: [{ path: 'Content-Type', message: 'not read here', bound, got }],
  });
}

/** Refuses, before it is read, what has a reader and is not for its route: JSON where text is taken, and the other way round. */
export function refuseOtherTypes(instance: FastifyInstance): void {
  const read: ReadonlySet<string> = new Set([JSON_TYPE, BYTES_TYPE, ...TEXT_TYPES]);
  instance.addHook('preParsing', (request, _reply, payload, done) => {
    const type = request.headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
    const expected = bodyTypeOf(request);
    const isAnother = type !== undefined && read.has(type) && expected !== undefined && type !== expected;
    done(isAnother ? notReadHere(request) : null, payload);
  });
}
