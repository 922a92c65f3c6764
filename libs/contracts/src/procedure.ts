import { z } from 'zod';

/** The services that speak on the bus; each owns the subjects `<service>.>` and no others. */
export const SERVICES = [
  'gateway',
  'prover',
  'snn',
  'acoustic',
  'mesh-signalling',
  'payments',
  'department',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Raw bytes on the bus: they travel beside the JSON, not in it. Never part of an HTTP body. */
export const Bytes: z.ZodType<Uint8Array, Uint8Array> = z.instanceof(Uint8Array);

/** What an admission says of the call that it admits: milliseconds that its work is expected to take, beside what every call does. */
export const AdmittedWork = z.object({ workUnits: z.number().min(0).default(0) });
export type AdmittedWork = z.infer<typeof AdmittedWork>;

/**
 * One request/reply subject of a service: what may be asked, what is answered, and how long the
 * caller waits. Both sides validate with the same schemas, so a mismatch is found at the hop.
 */
export interface Procedure<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** NATS subject, `<service>.<verb>`; the queue group is the service's name. */
  readonly subject: string;
  readonly service: ServiceName;
  readonly request: Request;
  readonly reply: Reply;
  /** How long a caller waits before it answers 504, milliseconds. */
  readonly timeoutMs: number;
  /** Services of other teams may ask it: its schemas are published, and only grow. Every other subject may change at any time. */
  readonly isPublic?: true;
}

/** What a caller passes: the schema's input, so that defaults may be left out. */
export type RequestOf<P extends Procedure> = z.input<P['request']>;
/** What a handler receives: the schema's output, with defaults filled in. */
export type ParsedRequestOf<P extends Procedure> = z.output<P['request']>;
export type ReplyOf<P extends Procedure> = z.output<P['reply']>;

/** Names one procedure of a service; the subject is made from the service and the verb. */
export function procedure<Request extends z.ZodType, Reply extends z.ZodType>(
  service: ServiceName,
  verb: string,
  shape: { request: Request; reply: Reply; timeoutMs: number; isPublic?: true },
): Procedure<Request, Reply> {
  return { service, subject: `${service}.${verb}`, ...shape };
}
