import { Controller, Inject, Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { pingProcedure, procedure } from '@svc/contracts';
import { z } from 'zod';
import { BusClient } from '../src/messaging/bus-client.js';
import { openBusLink } from '../src/messaging/bus.module.js';
import { Handle } from '../src/messaging/handle.js';
import { MemoryBus } from '../src/messaging/memory-bus.js';
import { createLogger } from '../src/observability/logger.js';
import { MeasurementRegistry } from '../src/observability/measurement-registry.js';
import { HealthServer } from '../src/runtime/health-server.js';
import {
  API_VERSION,
  type ServiceDefinition,
  type ServiceEnvironment,
} from '../src/runtime/service-definition.js';
import { ServiceRuntime, StartAborted, startService } from '../src/runtime/service-runtime.js';

const slow = procedure('snn', 'slow', {
  request: z.object({}),
  reply: z.object({ done: z.boolean() }),
  timeoutMs: 5_000,
});
let openGate: () => void;
let began: Promise<void>;

function definition(): ServiceDefinition {
  let begin: () => void;
  const gate = new Promise<void>(resolve => (openGate = resolve));
  began = new Promise<void>(resolve => (begin = resolve));
  @Controller()
  class SlowController {
    constructor(@Inject(MeasurementRegistry) private readonly measurements: MeasurementRegistry) {}
    @Handle(slow)
    async slow(_request: Record<string, never>) {
      begin();
      await gate;
      this.measurements.record('snnFramerateFps', 42);
      return { done: true };
    }
  }
  @Module({ controllers: [SlowController] })
  class SnnModule {}
  return {
    name: 'snn',
    migrations: [],
    measurements: { snnFramerateFps: 'nothing yet' },
    module: () => SnnModule,
  };
}

const environment = (bus = new MemoryBus()): ServiceEnvironment => ({
  service: 'snn',
  version: API_VERSION,
  bus: { kind: 'memory', bus },
  production: false,
  secrets: {},
  logger: createLogger('snn', { level: 'silent' }),
});

async function clientOn(bus: MemoryBus): Promise<BusClient> {
  const link = openBusLink({ kind: 'memory', bus }, 'gateway');
  await link.connect();
  return new BusClient(link);
}

describe('a running service', () => {
  it('answers its ping with the figures that it measured on its own work', async () => {
    const bus = new MemoryBus();
    const service = await startService(definition(), environment(bus));
    const client = await clientOn(bus);
    const before = await client.call(pingProcedure('snn'), {});
    expect(before).toMatchObject({
      service: 'snn',
      version: API_VERSION,
      measurements: { snnFramerateFps: { value: 0, reason: 'nothing yet' } },
    });
    openGate();
    await client.call(slow, {});
    const after = await client.call(pingProcedure('snn'), {});
    expect(after.instanceId).toBe(before.instanceId);
    expect(after.measurements.snnFramerateFps).toMatchObject({ value: 42, samples: 1 });
    await service.close();
  });

  it('finishes what it has taken before it closes, takes nothing new, and is not ready meanwhile', async () => {
    const bus = new MemoryBus();
    const service = await startService(definition(), environment(bus));
    expect(await service.readiness()).toEqual({ ready: true, checks: { lifecycle: 'ok', bus: 'ok' } });
    const client = await clientOn(bus);
    const taken = client.call(slow, {});
    await began;
    const closing = service.close();
    expect(await service.readiness()).toMatchObject({ ready: false, checks: { lifecycle: 'draining' } });
    await expect(client.call(slow, {})).rejects.toMatchObject({ payload: { code: 'SERVICE_UNAVAILABLE' } });
    openGate();
    expect(await taken).toEqual({ done: true });
    await closing;
    expect(await service.readiness()).toMatchObject({ ready: false, checks: { lifecycle: 'closed' } });
  });

  it('waits for a NATS that is away, says so, and ends the wait when it is closed', async () => {
    const service = new ServiceRuntime(definition(), {
      ...environment(),
      bus: { kind: 'nats', url: 'nats://127.0.0.1:1' },
    });
    const starting = service.start();
    expect(await service.readiness()).toEqual({
      ready: false,
      checks: { lifecycle: 'starting', bus: 'away' },
    });
    await service.close();
    await expect(starting).rejects.toThrow(StartAborted);
  });

  it('waits for a Postgres that is away, says so, and ends the wait when it is closed', async () => {
    class Never1767225600000 {
      async up() {}
      async down() {}
    }
    const service = new ServiceRuntime(
      { ...definition(), migrations: [Never1767225600000] },
      { ...environment(), databaseUrl: 'postgres://snn:x@127.0.0.1:1/svc' },
    );
    const starting = service.start();
    expect(await service.readiness()).toEqual({
      ready: false,
      checks: { lifecycle: 'starting', bus: 'ok', postgres: 'away' },
    });
    await service.close();
    await expect(starting).rejects.toThrow(StartAborted);
  });

  it('rejects a start that follows its close', async () => {
    const service = new ServiceRuntime(definition(), environment());
    await service.close();
    await expect(service.start()).rejects.toThrow(StartAborted);
  });
});

describe('HealthServer', () => {
  it('is alive whatever fails, and ready when every check is', async () => {
    let checks: Record<string, string> = { bus: 'away' };
    const server = new HealthServer(async () => ({ ready: checks.bus === 'ok', checks }));
    const port = await server.listen(0, '127.0.0.1');
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return { status: response.status, body: method === 'HEAD' ? undefined : await response.json() };
    };
    expect(await get('/livez')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await get('/readyz')).toEqual({
      status: 503,
      body: { status: 'unavailable', checks: { bus: 'away' } },
    });
    checks = { bus: 'ok' };
    expect(await get('/readyz')).toEqual({ status: 200, body: { status: 'ok', checks: { bus: 'ok' } } });
    expect((await get('/readyz', 'POST')).status).toBe(405);
    expect((await get('/other')).status).toBe(404);
    await server.close();
    await expect(get('/livez')).rejects.toThrow();
  });
});
