import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createLogger } from '../observability/logger.js';
import { DatabasePulse } from './database-pulse.js';
import { openDataSource, type PersistenceOptions } from './service-data-source.js';

/** Gives every provider of a service its typeorm {@link DataSource}, open and migrated, and its {@link DatabasePulse}. */
@Module({})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** The application starts when Postgres is there: a service without its tables takes no calls. */
  static forService(
    options: Omit<PersistenceOptions, 'logger'> & Partial<PersistenceOptions>,
  ): DynamicModule {
    const logger = options.logger ?? createLogger(options.service);
    return {
      module: PersistenceModule,
      global: true,
      providers: [
        { provide: DataSource, useFactory: () => openDataSource({ ...options, logger }) },
        {
          provide: DatabasePulse,
          useFactory: (dataSource: DataSource) => new DatabasePulse(dataSource),
          inject: [DataSource],
        },
      ],
      exports: [DataSource, DatabasePulse],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
