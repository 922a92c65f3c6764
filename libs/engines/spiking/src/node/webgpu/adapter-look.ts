import { fork } from 'node:child_process';

/** The same file from the sources and from the built package. */
const ENTRY = new URL('../../../worker/adapter-look.mjs', import.meta.url);
/** A driver that says nothing for so long is not waited for, milliseconds. */
const LOOK_MS_MAX = 30_000;
/** What loaders of drivers and the drivers themselves read; nothing else of the environment, which holds secrets. */
const DRIVER_VARIABLES =
  /^(PATH|HOME|SystemRoot|DISPLAY|WAYLAND_DISPLAY|LD_LIBRARY_PATH|(VK|XDG|MESA|LIBGL|GALLIUM|DRI|EGL|NVIDIA|CUDA|AMD|DAWN)_\w+)$/;

/** What the driver offers first: an adapter, none (null), or a fault where it cannot be asked. */
export type AdapterLook = { readonly info: AdapterInfo | null } | { readonly fault: string };

/** How an adapter calls itself. */
export type AdapterInfo = Pick<
  GPUAdapterInfo,
  'vendor' | 'architecture' | 'device' | 'description' | 'isFallbackAdapter'
>;

/** The variables that a driver is given. */
export const driverVariables = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => DRIVER_VARIABLES.test(name)));

/**
 * Asks the driver for its adapter in a process of its own. Loading WebGPU where it only finds a software driver would keep 60 MB
 * of a compiler in this process for good, and a driver that crashes would end it.
 */
export function lookForAdapter(): Promise<AdapterLook> {
  const child = fork(ENTRY, [], {
    env: driverVariables(process.env),
    execArgv: [],
    timeout: LOOK_MS_MAX,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise(resolve => {
    child.once('message', look => resolve(look as AdapterLook));
    child.once('error', error => resolve({ fault: error.message }));
    child.once('exit', (code, signal) =>
      resolve({ fault: `the process that asks the driver ended with ${signal ?? code}` }),
    );
  });
}
