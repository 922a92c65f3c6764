import { z } from 'zod';
import { procedure, SERVICES, type ServiceName } from './procedure.js';

/** A figure with its provenance: how many runs stand behind it, or why there is none. */
export const Measurement = z.object({
  value: z.number(),
  samples: z.number().int().min(0),
  measuredAt: z.iso.datetime().optional(),
  reason: z.string().optional().meta({ description: 'Why the value is 0 when there are no samples' }),
});
export type Measurement = z.infer<typeof Measurement>;

export const PingReply = z.object({
  service: z.enum(SERVICES),
  instanceId: z.string(),
  version: z.string(),
  uptimeSeconds: z.number(),
  /** Whether everything that the service needs, its database above all, is there. */
  ready: z.boolean().default(true),
  /** Figures that the service measured on its own work, by the name of the health field. */
  measurements: z.record(z.string(), Measurement),
});
export type PingReply = z.infer<typeof PingReply>;

/** A service as others see it: it answers on the bus, and says whether it is ready. */
export const pingProcedure = (service: ServiceName) =>
  procedure(service, 'ping', { request: z.object({}), reply: PingReply, timeoutMs: 1_000 });

export const ServiceState = z.object({
  name: z.enum(SERVICES),
  online: z.boolean().meta({ description: 'It answers' }),
  ready: z
    .boolean()
    .optional()
    .meta({ description: 'What it needs, its database above all, was there at its last answer' }),
  instanceId: z.string().optional(),
  lastSeenAt: z.iso.datetime().optional(),
});

/** Response of `GET /health`; the first seven fields are the spec's. */
export const HealthReport = z
  .object({
    status: z.enum(['OPERATIONAL', 'DEGRADED']),
    version: z.string(),
    domainsOnline: z.number().int().meta({ description: 'Services that answer and are ready' }),
    proverLatencyMs: z.number(),
    snnFramerateFps: z.number().int(),
    fepSurprisal: z.number(),
    timestamp: z.iso.datetime(),
    services: z.array(ServiceState),
    rails: z.array(z.string()).meta({ description: 'Payment rails that can settle now' }),
    measurements: z.record(z.string(), Measurement),
    measuredAt: z.iso.datetime(),
  })
  .meta({ id: 'HealthReport' });
export type HealthReport = z.infer<typeof HealthReport>;
