import type { z } from 'zod';
import type { ProblemCode } from './problem.js';

/** The chapters of the API reference, in its order. */
export const ROUTE_TAGS = {
  Gateway: 'What the service is, how it fares, and how to find the rest',
  Proofs: 'STARK proofs: make, verify, fetch',
  Neural: 'Spiking networks and active inference',
  Acoustic: 'Near-ultrasound packets and proximity pairing',
  Speckle: 'Optical fingerprints of surfaces',
  Mesh: 'Peer-to-peer signalling',
  Payments: 'Challenges, tickets and the Class Gamma saga',
  Credits: 'Credit packs and accounts',
  Escrow: 'Held payments with capture and release',
  Agents: 'Paid agent endpoints',
  Certificates: 'Requirement sets and audits of insurance certificates',
  Tools: 'The tool catalogue and its calls',
  Departments: 'Desks that take tasks',
  Licences: 'Licence keys and public keys',
  Admin: 'For operators with an admin key',
} as const;
export type RouteTag = keyof typeof ROUTE_TAGS;

/**
 * Who may call a route: `free` anyone (rate limited); `quota` anyone within the plan's quota, then at
 * a price; `paid` with a payment; `key` with an account key; `admin` with an admin key.
 */
export type RouteAccess = 'free' | 'quota' | 'paid' | 'key' | 'admin';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One answer of a route that is not a problem. */
export interface RouteReply {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` where it is not said. */
  readonly mediaType?: string;
  /** Response headers, by name, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteBody {
  readonly schema: z.ZodType;
  /** `application/json` where it is not said. */
  readonly mediaType?: string;
  /** The handler gets the bytes as they came, unparsed: what signs the body signs those. JSON only. */
  readonly raw?: boolean;
  /**
   * The handler gets the text deflated, unparsed, with its digest: a body so long that reading it would hold up everybody else
   * is read by the service that it is for. JSON only.
   */
  readonly packed?: boolean;
}

/**
 * One route of the public HTTP surface: everything that the router, the OpenAPI document, the gateway
 * index and the documentation say about it.
 */
export interface Route {
  /** Stable and unique; for a priced route also its id in the price list. */
  readonly operationId: string;
  readonly method: RouteMethod;
  /** Path with `:name` parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: RouteTag;
  readonly access: RouteAccess;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: RouteBody;
  /** Largest body that is read, bytes; {@link BODY_BYTES_MAX_DEFAULT} where it is not said. */
  readonly bodyBytesMax?: number;
  /** Answers by status; 402 of a challenge is a problem and not listed here. */
  readonly replies: Readonly<Record<number, RouteReply>>;
  /** Problems of its own, beside those that every route or every access class has. */
  readonly problems?: readonly ProblemCode[];
  /** How its problems are answered, as `application/json`; problem details where it is not said. */
  readonly refusal?: z.ZodType;
}

/** Bytes of a request body where the route does not say otherwise. */
export const BODY_BYTES_MAX_DEFAULT = 65_536;

/** Keeps the literal types of a set of routes. */
export const defineRoutes = <const R extends Readonly<Record<string, Route>>>(routes: R): R => routes;
