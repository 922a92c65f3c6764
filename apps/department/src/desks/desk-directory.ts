import { Inject, Injectable } from '@nestjs/common';
import { type Department, type DepartmentList, publishedSchema } from '@svc/contracts';
import { priceOf } from '@svc/protocols';
import type { z } from 'zod';
import { TaskBacklog } from '../tasks/task-backlog.js';
import { TASK_SETTINGS, type TaskSettings } from '../tasks/task-settings.js';
import type { Capability } from './capability.js';
import { type Desk, DESKS } from './desks.js';
import { ServicePresence } from './service-presence.js';

type JsonSchema = Record<string, unknown>;
type Sla = z.output<typeof Department>['sla'];

/** For how long measured figures are told again, milliseconds. */
const FIGURES_MS = 5_000;

const record = <Value>(capabilities: readonly Capability[], valueOf: (one: Capability) => Value) =>
  Object.fromEntries(capabilities.map(one => [one.name, valueOf(one)]));

/** Does not change while the process runs. */
const inputSchemas = new Map(
  DESKS.map(({ deptId, capabilities }) => [
    deptId,
    record(capabilities, ({ input }) => {
      const { $schema: _dialect, ...schema } = publishedSchema(input, {
        io: 'input',
        unrepresentable: 'any',
      });
      return schema as JsonSchema;
    }),
  ]),
);

/** The desks as they stand now. */
@Injectable()
export class DeskDirectory {
  private figures: { readonly atMs: number; readonly slas: Promise<ReadonlyMap<string, Sla>> } | undefined;

  constructor(
    private readonly presence: ServicePresence,
    private readonly backlog: TaskBacklog,
    @Inject(TASK_SETTINGS) private readonly settings: TaskSettings,
  ) {}

  async list(): Promise<z.output<typeof DepartmentList>> {
    const slas = await this.slas();
    return { departments: DESKS.map(desk => this.shown(desk, slas.get(desk.deptId)!)) };
  }

  private shown(desk: Desk, sla: Sla): z.output<typeof Department> {
    const { deptId, name, description, capabilities } = desk;
    const works = capabilities.some(({ service }) => this.presence.isOnline(service));
    return {
      ...{ deptId, name, description, sla },
      capabilities: capabilities.map(one => one.name),
      inputSchemas: inputSchemas.get(deptId)!,
      priceUsd: record(capabilities, ({ operationId }) => priceOf(operationId).priceUsd),
      status: works ? 'ONLINE' : 'OFFLINE',
    };
  }

  private slas(): Promise<ReadonlyMap<string, Sla>> {
    if (!this.figures || performance.now() - this.figures.atMs > FIGURES_MS) {
      const slas = this.measure();
      const figures = { atMs: performance.now(), slas };
      this.figures = figures;
      // What failed is asked for again by whoever comes next.
      slas.catch(() => {
        if (this.figures === figures) this.figures = undefined;
      });
    }
    return this.figures.slas;
  }

  private async measure(): Promise<ReadonlyMap<string, Sla>> {
    const entries = DESKS.map(async ({ deptId }): Promise<[string, Sla]> => {
      const { p95Ms, samples } = await this.backlog.latency(deptId);
      const reason = samples === 0 ? { reason: 'No task of this desk has been done yet' } : {};
      return [deptId, { latencyMsP95: p95Ms, samples, ...reason, queueMax: this.settings.queueMax }];
    });
    return new Map(await Promise.all(entries));
  }
}
