import { ConfigError, loadConfig, type Variables } from '@svc/platform';
import { z } from 'zod';

/** Variables of tickets and of the sagas that they begin. */
export const ticketConfig = z.object({
  /** How long a ticket can be used, seconds. */
  TICKET_TTL_SECONDS: z.coerce.number().int().min(1).max(86_400).default(900),
  /** How long a saga is its process's without a word of it, seconds: what a crash costs before another takes over. */
  SAGA_LEASE_SECONDS: z.coerce.number().int().min(2).max(300).default(10),
});

/** Tickets and sagas of this deployment. */
export interface TicketSettings {
  readonly ticketTtlSeconds: number;
  readonly sagaLeaseSeconds: number;
}

/** Injection token of the {@link TicketSettings}. */
export const TICKET_SETTINGS = Symbol('TICKET_SETTINGS');

/** @throws ConfigError naming every variable that is not as it must be */
export function ticketSettingsOf(variables: Variables = process.env): TicketSettings {
  const { TICKET_TTL_SECONDS, SAGA_LEASE_SECONDS } = loadConfig(ticketConfig, variables);
  return { ticketTtlSeconds: TICKET_TTL_SECONDS, sagaLeaseSeconds: SAGA_LEASE_SECONDS };
}

/** Faults of the variables of tickets and sagas. */
export function ticketFaults(variables: Variables): string[] {
  try {
    ticketSettingsOf(variables);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...error.faults];
  }
}
