import { type AdapterInfo, type AdapterLook, lookForAdapter } from './adapter-look.js';
import { WebGpuSpiking } from './webgpu-spiking.js';

/** The package `webgpu`: Dawn for Node. */
export interface WebGpuModule {
  readonly create: (options: string[]) => GPU;
}

/** How a GPU is looked for. */
export interface WebGpuOptions {
  /** Take an adapter that is software too: for tests. The WASM backend is faster than any of them. */
  readonly allowFallback?: boolean;
  /** Loads the package; absent: it is imported when it is first needed. */
  readonly load?: () => Promise<WebGpuModule>;
  /** Asks what the driver offers before anything is loaded; absent: another process is asked, where the package itself is used. */
  readonly look?: () => Promise<AdapterLook>;
}

/** A GPU, or why there is none. */
export type WebGpuOpening =
  | { readonly available: true; readonly spiking: WebGpuSpiking }
  | { readonly available: false; readonly reason: string };

// What create() returns must stay referenced as long as the process lives: once it is collected, memory
// under devices that are still in use is gone.
const instances: GPU[] = [];
let ownInstance: Promise<GPU> | undefined;

// Not a literal, so that neither the compiler nor a bundler needs the optional package.
const PACKAGE: string = 'webgpu';

async function instanceOf(load: () => Promise<WebGpuModule>): Promise<GPU> {
  const { create } = await load();
  const instance = create([]);
  instances.push(instance);
  return instance;
}

function instance(load: WebGpuOptions['load']): Promise<GPU> {
  if (load) return instanceOf(load);
  ownInstance ??= instanceOf(() => import(PACKAGE) as Promise<WebGpuModule>);
  return ownInstance;
}

/** Whether an adapter computes on the host's own cores. */
export function isSoftware(info: AdapterInfo): boolean {
  const text = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter || /llvmpipe|lavapipe|swiftshader|softpipe|basic render|software/i.test(text);
}

/** What an adapter calls itself, in a line. */
export function adapterName(info: AdapterInfo): string {
  const parts = [info.vendor, info.architecture, info.device, info.description].filter(part => part !== '');
  return parts.join(' · ') || 'unnamed adapter';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const unavailable = (reason: string): WebGpuOpening => ({ available: false, reason });
const NO_ADAPTER = 'no driver offers an adapter';
const softwareAlone = (info: AdapterInfo) => `the only adapter is software: ${adapterName(info)}`;

/** Why what was seen is no GPU; undefined where it is one. */
function whyNone(look: AdapterLook): string | undefined {
  if ('fault' in look) return `no driver was asked: ${look.fault}`;
  if (!look.info) return NO_ADAPTER;
  return isSoftware(look.info) ? softwareAlone(look.info) : undefined;
}

/**
 * Opens the machine's GPU, if it has one that is no software: then the network runs there. Nothing is
 * thrown for a machine without one: the answer says why.
 *
 * @example
 * const gpu = await openWebGpu();
 * const backend = gpu.available ? gpu.spiking : wasm;
 */
export async function openWebGpu({
  allowFallback = false,
  load,
  look = load ? undefined : lookForAdapter,
}: WebGpuOptions = {}): Promise<WebGpuOpening> {
  const reason = look && !allowFallback ? whyNone(await look()) : undefined;
  if (reason !== undefined) return unavailable(reason);
  let gpu: GPU;
  try {
    gpu = await instance(load);
  } catch (error) {
    return unavailable(`the package webgpu does not load: ${messageOf(error).split('\n')[0]}`);
  }
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) return unavailable(NO_ADAPTER);
    const name = adapterName(adapter.info);
    if (isSoftware(adapter.info) && !allowFallback) return unavailable(softwareAlone(adapter.info));
    const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
    const device = await adapter.requestDevice({
      requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
    });
    return { available: true, spiking: new WebGpuSpiking(device, name) };
  } catch (error) {
    return unavailable(`the driver gives no device: ${messageOf(error).split('\n')[0]}`);
  }
}
