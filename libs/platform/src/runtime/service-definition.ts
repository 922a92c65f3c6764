import type { DynamicModule, Type } from '@nestjs/common';
import type { ServiceName } from '@svc/contracts';
import type { Logger } from 'pino';
import type { BusConfig } from '../messaging/bus.module.js';
import type { TableRights } from '../persistence/schema-migration.js';
import type { EntityClass, MigrationClass } from '../persistence/service-data-source.js';

/** Version of the API that every service of one release reports. */
export const API_VERSION = '2026.4.2';

/** What a service is: its name, its tables, and its Nest module. */
export interface ServiceDefinition {
  readonly name: ServiceName;
  /** Not empty: the service has a database, and its module can inject typeorm's DataSource. */
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  /** Tables that the service's role may not do everything with, and what it may. */
  readonly tableRights?: TableRights;
  /** Services that this one calls: where they run in one process, they close after it. */
  readonly calls?: readonly ServiceName[];
  /** Those of them without which it can close: what it had begun with them is given up before. */
  readonly closesWithout?: readonly ServiceName[];
  /** Provider of its module that gives up what runs without being asked for; see {@link RunningService.quiesce}. */
  readonly quiesces?: Type<Quiesces>;
  /** Provider of its module that is told when the service begins to close; see {@link Drains}. */
  readonly drains?: Type<Drains>;
  /** Figures of `GET /health` that this service measures, each with the reason while there is none. */
  readonly measurements?: Readonly<Record<string, string>>;
  /** Faults of what the service alone reads, one line each; asked before anything is connected. */
  configFaults?(
    environment: Pick<ServiceEnvironment, 'production' | 'secrets'>,
    variables: Variables,
  ): readonly string[];
  module(environment: ServiceEnvironment): DynamicModule | Type;
}

/** Work of a service's own, which goes on while nobody asks for anything. */
export interface Quiesces {
  /** Gives it up, for another process or the next start to go on with. Again, it does nothing. */
  quiesce(): Promise<void>;
}

/** Work that was asked for and may take longer than a close may. */
export interface Drains {
  /**
   * The service takes no new requests from now on, and closes when those that it took are answered: whoever has long ones
   * sees to it that they end in time. It must not throw.
   */
  drain(): void;
}

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where a service runs. Inject it with the token {@link SERVICE_ENVIRONMENT}. */
export interface ServiceEnvironment {
  readonly service: ServiceName;
  readonly version: typeof API_VERSION;
  readonly bus: BusConfig;
  /** Needed where the definition has migrations. */
  readonly databaseUrl?: string;
  /** Of the role that owns the schema; without it the service waits until somebody else has migrated it. */
  readonly migrationUrl?: string;
  /** Sandbox rails and generated secrets are refused. */
  readonly production: boolean;
  /** Secrets by the name of their environment variable, `PAYMENTS_SECRET` and the like. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What the service reads beside them; the process's environment where they are not given. */
  readonly variables?: Variables;
  /** How many times as often as in use a service looks for what nobody tells it. Default 1; tests do not wait for it. */
  readonly pace?: number;
  readonly logger: Logger;
}

/** An interval at the pace of where a service runs, milliseconds. */
export const paced = ({ pace = 1 }: Pick<ServiceEnvironment, 'pace'>, intervalMs: number): number =>
  intervalMs / pace;

export const SERVICE_ENVIRONMENT = Symbol('SERVICE_ENVIRONMENT');
/** Token of the function `() => Promise<Readiness>` that says whether the service is ready. */
export const SERVICE_READINESS = Symbol('SERVICE_READINESS');

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong, by the thing checked: `bus`, `postgres`, `lifecycle`. */
  readonly checks: Record<string, string>;
}

export interface RunningService {
  readonly name: ServiceName;
  readiness(): Promise<Readiness>;
  /**
   * Gives up what the service does of its own accord, where it does any; it still answers. Where several services close in
   * one process, this comes first, so that none of that work meets a service that is gone.
   */
  quiesce(): Promise<void>;
  /** Drains: not ready, no new requests, those taken are finished, then the pool and the bus close. */
  close(): Promise<void>;
}
