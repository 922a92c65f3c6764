import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Controller, Injectable } from '@nestjs/common';
import { HealthReport, paymentsContract, proverContract, type ServiceName } from '@svc/contracts';
import {
  freePort,
  Handle,
  MeasurementRegistry,
  MemoryBus,
  problem,
  type RunningService,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { connect } from 'node:net';
import { type RunningGateway, startGateway } from '../src/start-gateway.js';
import { ASKED, environmentOn, startGatewayOn, startServiceOn } from './gateway-under-test.js';

@Controller()
class RailsUnderTest {
  @Handle(paymentsContract.rails)
  rails() {
    return { rails: ['l402', 'mpp-lightning'], sandbox: true };
  }
}

/** Measures as the prover does: on its own work. */
@Injectable()
@Controller()
class MeasuredWork {
  constructor(measurements: MeasurementRegistry) {
    for (const valueMs of [40, 90, 50]) measurements.record('proverLatencyMs', valueMs);
  }
}

/** A prover that answers only when it is told to. */
function slowProver() {
  let noticeAsked = () => {};
  let answer = () => {};
  const asked = new Promise<void>(resolve => (noticeAsked = resolve));
  const told = new Promise<void>(resolve => (answer = resolve));
  @Controller()
  class SlowProver {
    @Handle(proverContract.fetchProof)
    async fetchProof(): Promise<never> {
      noticeAsked();
      await told;
      throw problem('NOT_FOUND', 'No such proof is stored');
    }
  }
  return { controllers: [SlowProver], asked, answer };
}

const running: (RunningService | RunningGateway)[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});
async function start<T extends RunningService>(starting: Promise<T>): Promise<T> {
  const one = await starting;
  running.push(one);
  return one;
}
const startAll = (bus: MemoryBus, names: readonly ServiceName[]) =>
  Promise.all(
    names.map(name =>
      start(
        startServiceOn(bus, name, {
          controllers: name === 'payments' ? [RailsUnderTest] : name === 'prover' ? [MeasuredWork] : [],
          measurements: name === 'snn' ? { snnFramerateFps: 'no solve of a million neurons yet' } : undefined,
        }),
      ),
    ),
  );
const reportOf = async (gateway: RunningGateway) => {
  const response = await fetch(`${gateway.address}/health`);
  expect(response.status).toBe(200);
  return HealthReport.parse(await response.json());
};

describe('GET /health', () => {
  test('is OPERATIONAL when every service answers, with figures of real work', async () => {
    const bus = new MemoryBus();
    await startAll(bus, ASKED);
    const report = await reportOf(await start(startGatewayOn(bus)));
    expect(report).toMatchObject({
      status: 'OPERATIONAL',
      version: '2026.4.2',
      domainsOnline: 6,
      proverLatencyMs: 50,
      snnFramerateFps: 0,
      fepSurprisal: 0,
      rails: ['l402', 'mpp-lightning'],
    });
    expect(report.measurements.proverLatencyMs).toMatchObject({ value: 50, samples: 3 });
    expect(report.measurements.snnFramerateFps).toEqual({
      value: 0,
      samples: 0,
      reason: 'no solve of a million neurons yet',
    });
    expect(Date.parse(report.measuredAt)).toBeLessThanOrEqual(Date.parse(report.timestamp));
  });

  test('stays 200 and is DEGRADED when a service is away, and says which', async () => {
    const bus = new MemoryBus();
    await startAll(
      bus,
      ASKED.filter(name => name !== 'acoustic' && name !== 'payments' && name !== 'prover'),
    );
    const report = await reportOf(await start(startGatewayOn(bus)));
    expect(report).toMatchObject({ status: 'DEGRADED', domainsOnline: 3, rails: [], proverLatencyMs: 0 });
    expect(report.services.filter(service => !service.online).map(service => service.name)).toEqual([
      'prover',
      'acoustic',
      'payments',
    ]);
    expect(report.measurements.proverLatencyMs.reason).toBe('the prover service does not answer');
  });
});

describe('a service whose database went away', () => {
  test('is online and not ready, and the report is DEGRADED', async () => {
    class Table1767225600000 {
      async up() {}
      async down() {}
    }
    class Empty {}
    const bus = new MemoryBus();
    await startAll(
      bus,
      ASKED.filter(name => name !== 'prover'),
    );
    // It is removed with all who are connected, as one that is lost.
    const postgres = await startTemporaryPostgres();
    try {
      const environment = { ...environmentOn(bus, 'prover'), ...postgres.urlsFor('prover') };
      await start(
        startService({ name: 'prover', migrations: [Table1767225600000], module: () => Empty }, environment),
      );
      const gateway = await start(startGatewayOn(bus, { pace: 20 }));
      expect(await reportOf(gateway)).toMatchObject({ status: 'OPERATIONAL', domainsOnline: 6 });
      await postgres.stop();
      let report = await reportOf(gateway);
      while (report.status === 'OPERATIONAL') {
        await new Promise(resolve => setTimeout(resolve, 20));
        report = await reportOf(gateway);
      }
      expect(report.domainsOnline).toBe(5);
      expect(report.services.filter(service => !service.ready)).toMatchObject([
        { name: 'prover', online: true, ready: false },
      ]);
    } finally {
      await postgres.stop();
    }
  });
});

describe('a service that stops answering', () => {
  afterEach(() => void jest.useRealTimers());

  test('is online for ten seconds more, then the report is DEGRADED and still 200', async () => {
    // Sockets and the bus go on as they do; the round of pings and the date are the test's.
    jest.useFakeTimers({
      doNotFake: [
        'nextTick',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setTimeout',
        'clearTimeout',
        'performance',
        'hrtime',
      ],
    });
    const bus = new MemoryBus();
    await startAll(
      bus,
      ASKED.filter(name => name !== 'snn'),
    );
    const snn = await start(startServiceOn(bus, 'snn'));
    const gateway = await start(startGatewayOn(bus));
    /** The first report of a round of pings that ends now, after that much time has gone by. */
    const reportAfter = async (elapsedMs: number) => {
      jest.advanceTimersByTime(elapsedMs);
      let report = await reportOf(gateway);
      while (Date.parse(report.measuredAt) < Date.now()) report = await reportOf(gateway);
      return report;
    };
    expect(await reportAfter(0)).toMatchObject({ status: 'OPERATIONAL', domainsOnline: 6 });
    await snn.close();
    expect(await reportAfter(9_000)).toMatchObject({ status: 'OPERATIONAL', domainsOnline: 6 });
    const late = await reportAfter(3_000);
    expect(late).toMatchObject({ status: 'DEGRADED', domainsOnline: 5 });
    expect(late.services.filter(service => !service.online)).toMatchObject([
      { name: 'snn', instanceId: expect.any(String), lastSeenAt: expect.any(String) },
    ]);
  });
});

describe('probes', () => {
  test('readiness is true while the gateway runs and liveness asks nothing', async () => {
    const gateway = await start(startGatewayOn(new MemoryBus()));
    expect(await (await fetch(`${gateway.address}/readyz`)).json()).toEqual({
      status: 'ok',
      checks: { lifecycle: 'ok', bus: 'ok' },
    });
    expect(await (await fetch(`${gateway.address}/livez`)).json()).toEqual({ status: 'ok' });
    expect(await gateway.readiness()).toMatchObject({ ready: true });
  });

  test('a gateway whose bus is away is alive, not ready, and says 503 of what needs it', async () => {
    const gateway = await start(
      startGateway({
        ...environmentOn(new MemoryBus(), 'gateway'),
        bus: { kind: 'nats', url: `nats://127.0.0.1:${await freePort()}` },
        port: 0,
        host: '127.0.0.1',
      }),
    );
    expect((await fetch(`${gateway.address}/livez`)).status).toBe(200);
    const ready = await fetch(`${gateway.address}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ status: 'unavailable', checks: { bus: 'away' } });
    expect((await fetch(`${gateway.address}/v1/stark/proofs/prf_AAAAAAAAAAAAAAAAAAAAAA`)).status).toBe(503);
    expect((await reportOf(gateway)).domainsOnline).toBe(0);
  });

  test('a port that is taken rejects the start and leaves nothing open', async () => {
    const first = await start(startGatewayOn(new MemoryBus()));
    await expect(startGatewayOn(new MemoryBus(), { port: first.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

describe('closing', () => {
  test('finishes the request that was taken and waits for no connection that never finishes one', async () => {
    const bus = new MemoryBus();
    const { controllers, asked, answer: answerNow } = slowProver();
    const slow = await start(startServiceOn(bus, 'prover', { controllers }));
    const gateway = await start(startGatewayOn(bus));
    const half = connect(gateway.port, '127.0.0.1', () =>
      half.write('POST /v1/stark/verify-proof HTTP/1.1\r\nHost: x\r\n'),
    );
    half.on('error', () => undefined);
    const answer = fetch(`${gateway.address}/v1/stark/proofs/prf_AAAAAAAAAAAAAAAAAAAAAA`);
    await asked;
    const closing = gateway.close();
    answerNow();
    expect((await answer).status).toBe(404);
    await closing;
    await expect(fetch(`${gateway.address}/livez`)).rejects.toThrow();
    await slow.close();
  });

  test('does not wait for requests sent ahead on a connection that is gone', async () => {
    const bus = new MemoryBus();
    const { controllers, asked, answer: answerNow } = slowProver();
    await start(startServiceOn(bus, 'prover', { controllers }));
    // Longer than a suite may take: one that waits for it never ends.
    const gateway = await start(startGatewayOn(bus, { drainTimeoutMs: 3_600_000 }));
    const ahead = connect(gateway.port, '127.0.0.1');
    ahead.write('GET /v1/stark/proofs/prf_AAAAAAAAAAAAAAAAAAAAAA HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await asked;
    ahead.resetAndDestroy();
    // The gateway has seen the reset by the time it answers another.
    await fetch(`${gateway.address}/livez`);
    answerNow();
    await gateway.close();
  });

  test('cuts off a request that outlasts the drain, and not before', async () => {
    const bus = new MemoryBus();
    const { controllers, asked, answer: answerNow } = slowProver();
    await start(startServiceOn(bus, 'prover', { controllers }));
    const gateway = await start(startGatewayOn(bus, { drainTimeoutMs: 50 }));
    const answer = fetch(`${gateway.address}/v1/stark/proofs/prf_AAAAAAAAAAAAAAAAAAAAAA`).catch(
      () => 'cut off',
    );
    await asked;
    await gateway.close();
    answerNow();
    expect(await answer).toBe('cut off');
  });
});

describe('the sandbox wallet', () => {
  test('is mounted in the sandbox and nowhere in production', async () => {
    const sandbox = await start(startGatewayOn(new MemoryBus()));
    const production = await start(startGatewayOn(new MemoryBus(), { production: true }));
    const pay = (gateway: RunningGateway) =>
      fetch(`${gateway.address}/dev/lightning/pay`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"invoice":"lnbcrt1"}',
      });
    expect((await pay(sandbox)).status).toBe(503);
    expect((await pay(production)).status).toBe(404);
  });
});
