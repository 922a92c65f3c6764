import type { Provider } from '@nestjs/common';
import { eventOutboxProviders, Retention, type ServiceEnvironment, workQueueProvider } from '@svc/platform';
import { DataSource } from 'typeorm';
import { AgentDesk } from '../desks/agent-desk.js';
import { CapabilityRunner } from '../desks/capability-runner.js';
import { DeskDirectory } from '../desks/desk-directory.js';
import { ComputeDesk } from '../desks/compute-desk.js';
import { ProofDesk } from '../desks/proof-desk.js';
import { RendezvousDesk } from '../desks/rendezvous-desk.js';
import { SagaDesk } from '../desks/saga-desk.js';
import { SoundDesk } from '../desks/sound-desk.js';
import { SurfaceDesk } from '../desks/surface-desk.js';
import { ServicePresence } from '../desks/service-presence.js';
import { ToolDesk } from '../desks/tool-desk.js';
import { DeskQueues } from './desk-queues.js';
import { TaskBacklog } from './task-backlog.js';
import { TaskSeal } from './task-order.js';
import { TaskPublisher } from './task-publisher.js';
import { TASK_SETTINGS, type TaskSettings, taskSettingsOf } from './task-settings.js';
import { TaskSettlement } from './task-settlement.js';
import { purgeTasks } from './task-retention.js';
import { TaskStore } from './task-store.js';
import { TaskUpkeep } from './task-upkeep.js';
import { TaskWorker } from './task-worker.js';
import { TaskService } from './task.service.js';
import { TasksNatsController } from './tasks.nats.controller.js';

const TASK_RETENTION = Symbol('TASK_RETENTION');
/** Between two rounds that delete what is past its retention, milliseconds. */
const PURGE_INTERVAL_MS = 600_000;

export const TASK_CONTROLLERS = [TasksNatsController];

/** The desks and their tasks. @param settings in place of what the environment sets */
export const taskProviders = (
  environment: ServiceEnvironment,
  settings: Partial<TaskSettings> = {},
): Provider[] => [
  workQueueProvider,
  ...eventOutboxProviders(environment),
  {
    provide: TASK_SETTINGS,
    useValue: { ...taskSettingsOf(environment.variables ?? process.env), ...settings },
  },
  ...[TaskStore, TaskBacklog, TaskSeal, TaskPublisher, TaskSettlement, TaskWorker, TaskUpkeep],
  ...[DeskQueues, TaskService, DeskDirectory, ServicePresence],
  ...[CapabilityRunner, ProofDesk, ToolDesk, ComputeDesk, SagaDesk, SurfaceDesk, SoundDesk],
  ...[RendezvousDesk, AgentDesk],
  {
    provide: TASK_RETENTION,
    inject: [DataSource],
    useFactory: (dataSource: DataSource) =>
      new Retention(PURGE_INTERVAL_MS, { tasks: () => purgeTasks(dataSource) }, environment.logger),
  },
];
