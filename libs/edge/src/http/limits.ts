import { paymentsContract, proverContract } from '@svc/contracts';

// What the edge takes of one request; the body limits stand with the routes in the contracts.

/** All header fields of a request together, bytes: a payment credential may have 16 KiB. */
export const HEADER_BYTES_MAX = 32_768;
/** Path and query of a request, characters. */
export const URL_CHARS_MAX = 8_192;
/** One part of a path, characters: the token of a licence is the longest. */
export const PATH_PARAM_CHARS_MAX = 4_096;
/** A request must have arrived by then, milliseconds. */
export const REQUEST_ARRIVAL_TIMEOUT_MS = 30_000;
/** How often that is looked at: Node's own 30 s would double it. */
export const ARRIVAL_CHECK_MS = 1_000;
/** Longer than the idle time of the usual load balancers, so that they close first. */
export const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/**
 * A request that was taken may still be answered for this long while the gateway closes: as long as
 * the slowest paid one takes from its claim to its delivery. Orchestrators grant 180 s.
 */
export const DRAIN_TIMEOUT_MS =
  paymentsContract.claim.timeoutMs + proverContract.prove.timeoutMs + paymentsContract.deliver.timeoutMs;
/** Between the end of the drain and the moment at which Fastify gives its close up, milliseconds. */
export const DRAIN_MARGIN_MS = 5_000;
/** Arrays and objects within one another in a body; no contract needs more than a dozen. */
export const JSON_DEPTH_MAX = 64;
/** Values of a body: the largest that a contract takes is a model of 196,608 numbers. */
export const JSON_VALUES_MAX = 262_144;
/** Members of one object: no contract has as many, and what is wrong with each is listed. */
export const JSON_MEMBERS_MAX = 4_096;
/** Members of all objects of a body: each costs a microsecond of the event loop where its name is new. A hundred certificates have some 20,000. */
export const JSON_ALL_MEMBERS_MAX = 32_768;
/** Arrays and objects of a body. */
export const JSON_CONTAINERS_MAX = 65_536;
/** A JSON body of more bytes is read in a thread. */
export const LONG_JSON_BYTES = 262_144;
