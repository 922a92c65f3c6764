import type { LoggerService } from '@nestjs/common';
import type { ServiceName } from '@svc/contracts';
import { pino, type DestinationStream, type Logger } from 'pino';
import { activeHop } from './trace-context.js';

/** Members of a logged object that never reach a log line, whatever their depth up to two. */
const SECRET_MEMBERS = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  '["set-cookie"]',
  '["x-svc-key"]',
  '["X-SVC-KEY"]',
  '["payment-authorization"]',
  '["Payment-Authorization"]',
  '["payment-credential"]',
  '["Payment-Credential"]',
  '["payment-signature"]',
  '["payment-receipt"]',
  '["x-payment"]',
  '["x-402-challenge"]',
  '["x-execution-ticket"]',
  '["X-Execution-Ticket"]',
  'executionTicket',
  'ticket',
  'accountKey',
  'creditKey',
  'credential',
  'opening',
  'licenseKey',
  'preimage',
  'macaroon',
  'password',
  'token',
  'secret',
  // Of a query that failed: whatever was to be stored, of any size.
  'parameters',
];

const within = (parent: string, member: string) =>
  member.startsWith('[') ? `${parent}${member}` : `${parent}.${member}`;

/** pino redaction paths: each secret member at the top, one level down and two levels down. */
export const REDACTED_PATHS = SECRET_MEMBERS.flatMap(member => [
  member,
  within('*', member),
  within('*.*', member),
]);

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * A JSON logger: every line names the service, and the trace it belongs to. The level is
 * `LOG_LEVEL`, `info` where it is not set.
 */
export function createLogger(
  service: ServiceName | 'allinone',
  options: { level?: LogLevel; destination?: DestinationStream } = {},
): Logger {
  const settings = {
    name: service,
    level: options.level ?? levelFromEnvironment(),
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    mixin: () => {
      const hop = activeHop();
      return hop ? { traceId: hop.traceId, spanId: hop.spanId } : {};
    },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

function levelFromEnvironment(): LogLevel {
  const level = process.env.LOG_LEVEL as LogLevel | undefined;
  return level && LOG_LEVELS.includes(level) ? level : 'info';
}

/** Lets Nest write its own messages through pino; its start-up chatter is debug. */
export class NestPinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...context: unknown[]): void {
    this.logger.debug(contextOf(context), text(message));
  }
  error(message: unknown, ...context: unknown[]): void {
    const error = message instanceof Error ? { err: message } : {};
    this.logger.error({ ...contextOf(context), ...error }, text(message));
  }
  warn(message: unknown, ...context: unknown[]): void {
    this.logger.warn(contextOf(context), text(message));
  }
  debug(message: unknown, ...context: unknown[]): void {
    this.logger.debug(contextOf(context), text(message));
  }
  verbose(message: unknown, ...context: unknown[]): void {
    this.logger.trace(contextOf(context), text(message));
  }
  fatal(message: unknown, ...context: unknown[]): void {
    this.logger.fatal(contextOf(context), text(message));
  }
}

function contextOf(parameters: unknown[]): { context?: string } {
  const last = parameters.at(-1);
  return typeof last === 'string' ? { context: last } : {};
}

function text(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : JSON.stringify(message);
}
