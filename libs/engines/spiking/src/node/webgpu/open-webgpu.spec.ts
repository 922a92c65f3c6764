import { driverVariables } from './adapter-look.js';
import { adapterName, isSoftware, openWebGpu, type WebGpuModule } from './open-webgpu.js';

const info = (fields: Partial<GPUAdapterInfo>): GPUAdapterInfo =>
  ({
    vendor: '',
    architecture: '',
    device: '',
    description: '',
    isFallbackAdapter: false,
    ...fields,
  }) as GPUAdapterInfo;

const nvidia = info({ vendor: 'nvidia', architecture: 'hopper', description: 'NVIDIA H100' });
const llvmpipe = info({ vendor: 'mesa', description: 'llvmpipe (LLVM 15.0.6)' });

function moduleWith(requestAdapter: () => Promise<unknown>): () => Promise<WebGpuModule> {
  return async () => ({ create: () => ({ requestAdapter }) as unknown as GPU });
}

function adapter(adapterInfo: GPUAdapterInfo, asked: unknown[] = []) {
  return {
    info: adapterInfo,
    limits: { maxBufferSize: 1e9, maxStorageBufferBindingSize: 5e8 },
    requestDevice: async (descriptor: unknown) => {
      asked.push(descriptor);
      return { lost: new Promise(() => undefined), limits: {}, destroy: () => undefined };
    },
  };
}

describe('a machine without a GPU', () => {
  it('is told that the package is absent', async () => {
    const opening = await openWebGpu({
      load: () => Promise.reject(new Error("Cannot find package 'webgpu'\nImported from …")),
    });
    expect(opening).toEqual({
      available: false,
      reason: "the package webgpu does not load: Cannot find package 'webgpu'",
    });
  });

  it('is told that no driver offers an adapter', async () => {
    const opening = await openWebGpu({ load: moduleWith(async () => null) });
    expect(opening).toEqual({ available: false, reason: 'no driver offers an adapter' });
  });

  it('is told what its driver said', async () => {
    const broken = { ...adapter(nvidia), requestDevice: () => Promise.reject(new Error('out of devices')) };
    const opening = await openWebGpu({ load: moduleWith(async () => broken) });
    expect(opening).toEqual({ available: false, reason: 'the driver gives no device: out of devices' });
  });
});

describe('looking in another process', () => {
  it('gives it what drivers read of the environment, and no secret', () => {
    const read = { PATH: '/bin', VK_ICD_FILENAMES: 'a.json', NVIDIA_VISIBLE_DEVICES: 'all' };
    const env = { ...read, ADMIN_KEY: 'a', NATS_URL: 'b', STRIPE_SECRET_KEY: 'c', MY_PATH: 'd', VK_: 'e' };
    expect(driverVariables(env)).toEqual(read);
  });

  const untouched = () => Promise.reject(new Error('nothing is loaded'));

  it.each([
    [{ fault: 'killed' }, 'no driver was asked: killed'],
    [{ info: null }, 'no driver offers an adapter'],
    [{ info: llvmpipe }, 'the only adapter is software: mesa · llvmpipe (LLVM 15.0.6)'],
  ])('loads nothing where it sees %j', async (look, reason) => {
    const opening = await openWebGpu({ look: async () => look, load: untouched });
    expect(opening).toEqual({ available: false, reason });
  });

  it('opens what it sees', async () => {
    const load = moduleWith(async () => adapter(nvidia));
    const opening = await openWebGpu({ look: async () => ({ info: nvidia }), load });
    expect(opening.available).toBe(true);
  });
});

describe('an adapter that is software', () => {
  it('is known by its flag or by its name', () => {
    expect(isSoftware(info({ isFallbackAdapter: true, vendor: 'nvidia' }))).toBe(true);
    for (const description of [
      'llvmpipe (LLVM 15)',
      'SwiftShader Device (LLVM 10)',
      'Microsoft Basic Render Driver',
    ]) {
      expect(isSoftware(info({ description }))).toBe(true);
    }
    expect(isSoftware(nvidia)).toBe(false);
    expect(isSoftware(info({ vendor: 'amd', architecture: 'rdna-3' }))).toBe(false);
  });

  it('is refused by name, and taken where a test asks for it', async () => {
    const load = moduleWith(async () => adapter(llvmpipe));
    expect(await openWebGpu({ load })).toEqual({
      available: false,
      reason: 'the only adapter is software: mesa · llvmpipe (LLVM 15.0.6)',
    });
    expect(await openWebGpu({ load, allowFallback: true })).toMatchObject({ available: true });
  });
});

describe('a GPU', () => {
  it('is opened with all the memory that it binds, under its own name', async () => {
    const asked: unknown[] = [];
    const opening = await openWebGpu({ load: moduleWith(async () => adapter(nvidia, asked)) });
    expect(opening.available && opening.spiking.adapter).toBe('nvidia · hopper · NVIDIA H100');
    expect(asked).toEqual([{ requiredLimits: { maxBufferSize: 1e9, maxStorageBufferBindingSize: 5e8 } }]);
  });

  it('has a name even when it tells none', () => {
    expect(adapterName(info({}))).toBe('unnamed adapter');
  });
});
