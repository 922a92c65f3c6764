import { Module } from '@nestjs/common';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { CallsNatsController } from './calls/calls.nats.controller.js';
import { ProgressBoard } from './calls/progress-board.js';
import { RunningCalls } from './calls/running-calls.js';
import { computeProviders } from './compute/compute.providers.js';
import { GraphNatsController } from './graph/graph.nats.controller.js';
import { GraphService } from './graph/graph.service.js';
import { InferenceNatsController } from './inference/inference.nats.controller.js';
import { InferenceService } from './inference/inference.service.js';
import { SelfCheck } from './self-check.js';
import { FrameRates } from './simulation/frame-rates.js';
import { SimulationNatsController } from './simulation/simulation.nats.controller.js';
import { SimulationService } from './simulation/simulation.service.js';
import { spikingEngineProviders } from './simulation/spiking-engines.js';
import { Attractor } from './tool/attractor.js';
import { ToolKeys } from './tool/tool-keys.js';
import { ToolNatsController } from './tool/tool.nats.controller.js';
import { ToolService } from './tool/tool.service.js';
import { SNN_LIMITS, snnLimitsOf } from './snn-config.js';

@Module({
  controllers: [
    SimulationNatsController,
    GraphNatsController,
    InferenceNatsController,
    CallsNatsController,
    ToolNatsController,
  ],
  providers: [
    {
      provide: SNN_LIMITS,
      useFactory: ({ variables }: ServiceEnvironment) => snnLimitsOf(variables),
      inject: [SERVICE_ENVIRONMENT],
    },
    ...computeProviders,
    ...spikingEngineProviders,
    ProgressBoard,
    RunningCalls,
    FrameRates,
    SimulationService,
    GraphService,
    InferenceService,
    Attractor,
    ToolKeys,
    ToolService,
    SelfCheck,
  ],
})
export class SnnModule {}
