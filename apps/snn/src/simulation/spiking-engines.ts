import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { openWebGpu, WasmSpiking, type WebGpuOpening } from '@svc/spiking/node';

/** Runs that end within moments, and runs that take the machine whole. */
export const RUN_SIZES = ['small', 'large'] as const;
export type RunSize = (typeof RUN_SIZES)[number];

/** The simulators of the service, one for each size of run: each has threads of its own. */
export type WasmSimulators = Readonly<Record<RunSize, Pick<WasmSpiking, 'simulate' | 'close'>>>;

export const WASM_SIMULATORS = Symbol('WASM_SIMULATORS');
/** The function that opens the machine's GPU. */
export const OPEN_GPU = Symbol('OPEN_GPU');

/** Long runs leave the cores to short ones, and both to whoever answers messages. */
export const NICENESS: Readonly<Record<RunSize, number>> = { small: 5, large: 10 };

/** The engines that simulations are run on; their threads end with the service. */
@Injectable()
export class SpikingEngines implements OnApplicationShutdown {
  private opening: Promise<WebGpuOpening> | undefined;

  constructor(
    @Inject(WASM_SIMULATORS) readonly wasm: WasmSimulators,
    @Inject(OPEN_GPU) private readonly openGpu: () => Promise<WebGpuOpening>,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  /** The machine's GPU, or why there is none; it is looked for once, when it is first asked for. */
  gpu(): Promise<WebGpuOpening> {
    this.opening ??= this.openGpu().then(opening => {
      const { logger } = this.environment;
      if (opening.available)
        logger.info({ adapter: opening.spiking.adapter }, 'Simulations may run on the GPU');
      else logger.info({ reason: opening.reason }, 'There is no GPU to simulate on');
      return opening;
    });
    return this.opening;
  }

  /** What was opened is gone: it is looked for again. */
  forgetGpu(): void {
    this.opening = undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(RUN_SIZES.map(size => this.wasm[size].close()));
    const opening = await this.opening;
    if (opening?.available) await opening.spiking.close();
  }
}

export const spikingEngineProviders: Provider[] = [
  {
    provide: WASM_SIMULATORS,
    useFactory: async (): Promise<WasmSimulators> => ({
      small: await WasmSpiking.open(),
      large: await WasmSpiking.open(),
    }),
  },
  { provide: OPEN_GPU, useValue: () => openWebGpu() },
  SpikingEngines,
];
