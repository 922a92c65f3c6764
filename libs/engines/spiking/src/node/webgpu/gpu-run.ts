import { initialPotentialMv } from '../../connectivity.js';
import { WEIGHT_UNITS } from '../../model-constants.js';
import { rasterNeuronIds } from '../../run-summary.js';
import { type BufferPlan, BATCH_STEPS_MAX, rasterBegin, STEP_STRIDE_BYTES } from './buffers.js';
import { type BindingName, BINDINGS, bindingsOf, type ShaderVariant, UPDATE_LANES } from './kernel-layout.js';
import { deliverShader, updateShader, wireShader } from './shaders.js';
import {
  deliveryGroups,
  networkUniform,
  sectorUniform,
  stepUniforms,
  type UniformSource,
} from './uniforms.js';

/** The GPU went away, or its driver gave up. A new one is opened by `openWebGpu`. */
export class WebGpuLostError extends Error {
  override readonly name = 'WebGpuLostError';
  readonly code = 'WEBGPU_LOST';
}

/** The device refused what it was given: a fault of the driver, or too little memory. */
export class WebGpuDeviceError extends Error {
  override readonly name = 'WebGpuDeviceError';
  readonly code = 'WEBGPU_DEVICE';
}

// Node has no globals of WebGPU; these are the numbers of the standard.
const MAP_READ = 0x1;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const UNIFORM = 0x40;
const STORAGE = 0x80;
const COMPUTE_STAGE = 0x4;
const READ = 0x1;

const UNIFORM_BINDINGS: readonly string[] = ['network', 'step', 'sectors'];

/** Neurons whose first potentials are computed before the event loop has its turn. */
const POTENTIALS_AT_ONCE = 2 ** 17;

function usageOf(name: string): number {
  if (name === 'staging') return MAP_READ | COPY_DST;
  if (name === 'filling') return COPY_SRC | COPY_DST;
  return UNIFORM_BINDINGS.includes(name) ? UNIFORM | COPY_DST : STORAGE | COPY_SRC | COPY_DST;
}

/** A kernel and what it is bound to. */
interface BoundKernel {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

type BufferName = keyof BufferPlan;

/**
 * A network on the device: its buffers, its kernels, and how far it is. All that a step reads lies on the
 * device; the host hands over batches of steps and waits.
 */
export class GpuRun {
  private readonly buffers: Partial<Record<BufferName, GPUBuffer>>;
  private update!: BoundKernel;
  private deliver!: BoundKernel;

  private constructor(
    private readonly device: GPUDevice,
    private readonly source: UniformSource,
    private readonly variant: ShaderVariant,
    private readonly plan: BufferPlan,
  ) {
    this.buffers = {};
    for (const [name, size] of Object.entries(plan) as [BufferName, number][]) {
      if (size > 0) this.buffers[name] = device.createBuffer({ label: name, size, usage: usageOf(name) });
    }
  }

  /**
   * Allocates the buffers, compiles the kernels and writes the network's first state.
   *
   * @throws {WebGpuDeviceError} without enough memory
   */
  static async create(
    device: GPUDevice,
    source: UniformSource,
    variant: ShaderVariant,
    plan: BufferPlan,
  ): Promise<GpuRun> {
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    const run = new GpuRun(device, source, variant, plan);
    const faults = [device.popErrorScope(), device.popErrorScope()];
    try {
      const fault = (await Promise.all(faults)).find(error => error !== null);
      if (fault) throw new WebGpuDeviceError(`no memory on the GPU: ${fault.message}`);
      run.update = await run.kernel('update', updateShader(variant));
      run.deliver = await run.kernel('deliver', deliverShader(variant));
      await run.writeFirstState();
      if (variant.stored) await run.wire();
      await device.queue.onSubmittedWorkDone();
      return run;
    } catch (error) {
      run.destroy();
      throw error;
    }
  }

  /** Hands over the steps `first` … `first + count − 1`, and waits until they are done. */
  async steps(first: number, count: number): Promise<void> {
    await Promise.all([
      this.checked(() => this.submit(first, count)),
      this.device.queue.onSubmittedWorkDone(),
    ]);
  }

  private submit(first: number, count: number): void {
    if (count > BATCH_STEPS_MAX) throw new RangeError(`a batch has at most ${BATCH_STEPS_MAX} steps`);
    const { device, source, update, deliver } = this;
    const { network } = source;
    device.queue.writeBuffer(this.buffer('step'), 0, stepUniforms(source, first, count));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const updateGroups = Math.ceil(network.neuronCount / UPDATE_LANES);
    const deliverGroups = deliveryGroups(network);
    for (let k = 0; k < count; k++) {
      const offset = [k * STEP_STRIDE_BYTES];
      pass.setPipeline(deliver.pipeline);
      pass.setBindGroup(0, deliver.group, offset);
      pass.dispatchWorkgroups(deliverGroups);
      pass.setPipeline(update.pipeline);
      pass.setBindGroup(0, update.group, offset);
      pass.dispatchWorkgroups(updateGroups);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  /** Hands a buffer to `take` chunk by chunk, in order; a chunk is gone when `take` returns. */
  async read(name: BindingName, take: (chunk: ArrayBuffer, beginBytes: number) => void): Promise<void> {
    const { device, plan } = this;
    const staging = this.buffer('staging');
    const total = plan[name] ?? 0;
    for (let begin = 0; begin < total; begin += plan.staging) {
      const size = Math.min(plan.staging, total - begin);
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(this.buffer(name), begin, staging, 0, size);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(READ, 0, size);
      try {
        take(staging.getMappedRange(0, size), begin);
      } finally {
        staging.unmap();
      }
    }
  }

  /** A whole buffer as words. */
  async words(name: BindingName): Promise<Uint32Array<ArrayBuffer>> {
    const words = new Uint32Array((this.plan[name] ?? 0) / 4);
    await this.read(name, (chunk, begin) => words.set(new Uint32Array(chunk), begin / 4));
    return words;
  }

  destroy(): void {
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }

  /** Runs `work`, which must not wait, and throws what the device finds wrong with it. */
  private async checked<T>(work: () => T): Promise<T> {
    this.device.pushErrorScope('validation');
    let fault: Promise<GPUError | null>;
    let value: T;
    try {
      value = work();
    } finally {
      // Before anything waits: another run on the device must not find this scope open.
      fault = this.device.popErrorScope();
    }
    const error = await fault;
    if (error) throw new WebGpuDeviceError(`the GPU refused a command: ${error.message}`);
    return value;
  }

  private buffer(name: BufferName): GPUBuffer {
    const buffer = this.buffers[name];
    if (!buffer) throw new Error(`the run has no buffer ${name}`);
    return buffer;
  }

  private async kernel(name: 'update' | 'deliver' | 'wire', code: string): Promise<BoundKernel> {
    const { device, variant } = this;
    const names = bindingsOf(name, variant);
    const typeOf = (binding: BindingName): GPUBufferBindingType => {
      if (UNIFORM_BINDINGS.includes(binding)) return 'uniform';
      return binding === 'tables' ? 'read-only-storage' : 'storage';
    };
    const layout = device.createBindGroupLayout({
      entries: names.map(binding => ({
        binding: BINDINGS[binding],
        visibility: COMPUTE_STAGE,
        buffer: { type: typeOf(binding), hasDynamicOffset: binding === 'step' },
      })),
    });
    const group = await this.checked(() =>
      device.createBindGroup({
        layout,
        entries: names.map(binding => ({
          binding: BINDINGS[binding],
          resource: {
            buffer: this.buffer(binding),
            ...(binding === 'step' && { size: STEP_STRIDE_BYTES }),
          },
        })),
      }),
    );
    return { pipeline: await this.compile(name, code, layout), group };
  }

  private async compile(name: string, code: string, layout: GPUBindGroupLayout): Promise<GPUComputePipeline> {
    const { device } = this;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label: name, code });
    const scope = device.popErrorScope();
    const { messages } = await module.getCompilationInfo();
    await scope;
    const fault = messages.find(({ type }) => type === 'error');
    if (fault) {
      throw new WebGpuDeviceError(`the kernel ${name} does not compile: ${fault.lineNum}: ${fault.message}`);
    }
    try {
      return await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: name },
      });
    } catch (cause) {
      throw new WebGpuDeviceError(`the driver refuses the kernel ${name}`, { cause });
    }
  }

  private async writeFirstState(): Promise<void> {
    const { device, source, plan } = this;
    const { network, run, wiring, constants, tables } = source;
    const { queue } = device;
    queue.writeBuffer(this.buffer('network'), 0, networkUniform(source));
    queue.writeBuffer(this.buffer('sectors'), 0, sectorUniform(wiring));
    for (let begin = 0; begin < network.neuronCount; begin += POTENTIALS_AT_ONCE) {
      const length = Math.min(POTENTIALS_AT_ONCE, network.neuronCount - begin);
      const potentials = Float32Array.from({ length }, (_, k) => initialPotentialMv(wiring, begin + k));
      queue.writeBuffer(this.buffer('potentials'), 4 * begin, potentials);
      await new Promise(resolve => setImmediate(resolve));
    }
    const mask = new Uint32Array(rasterBegin(network.neuronCount));
    for (const id of rasterNeuronIds(network.neuronCount, run.recording.rasterNeurons)) {
      mask[1 + (id >>> 5)] |= 1 << (id & 31);
    }
    queue.writeBuffer(this.buffer('raster'), 0, mask);
    if (!tables || !plan.weights) return;
    queue.writeBuffer(this.buffer('tables'), 0, source.tableWords!);
    const initial = constants.initialWeight * (WEIGHT_UNITS + 2);
    queue.writeBuffer(this.buffer('filling'), 0, new Uint32Array(plan.filling / 4).fill(initial));
    const encoder = device.createCommandEncoder();
    for (let begin = 0; begin < plan.weights; begin += plan.filling) {
      const size = Math.min(plan.filling, plan.weights - begin);
      encoder.copyBufferToBuffer(this.buffer('filling'), 0, this.buffer('weights'), begin, size);
    }
    queue.submit([encoder.finish()]);
  }

  /** Writes the table of targets. */
  private async wire(): Promise<void> {
    const { pipeline, group } = await this.kernel('wire', wireShader(this.variant));
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(this.source.network.neuronCount / UPDATE_LANES));
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }
}
