import { describe, expect, it } from '@jest/globals';
import type { ServiceName } from '@svc/contracts';
import fc from 'fast-check';
import { closeInOrder, closingWaves } from './closing-order.js';
import { SERVICES } from './start-allinone.js';

const { TOPOLOGY } = (await import(new URL('../../../tools/deploy/topology.mjs', import.meta.url).href)) as {
  TOPOLOGY: Record<string, { calls: string[] }>;
};

const NAMES = ['prover', 'snn', 'acoustic', 'mesh-signalling', 'payments', 'department'] as const;

/** Services that call whom the pairs say. */
const servicesOf = (calls: readonly (readonly [number, number])[]) =>
  NAMES.map((name, i) => ({
    name,
    calls: calls.filter(([caller]) => caller === i).map(([, called]) => NAMES[called]),
  }));
const index = fc.nat(NAMES.length - 1);

describe('the order in which services close', () => {
  it('is of the calls that the deployment permits, and no others', () => {
    for (const { name, calls = [] } of SERVICES) {
      const permitted = new Set(TOPOLOGY[name].calls.map(subject => subject.split('.')[0]));
      // What a service asks itself over the bus, at an address of its own, is nothing to close after.
      permitted.delete(name);
      expect([name, [...calls]]).toEqual([name, [...permitted]]);
    }
  });

  it('has payments after the prover, which settles its jobs while it drains, though they call one another', () => {
    const waves = closingWaves(SERVICES).map(wave => wave.map(({ name }) => name));
    const waveOf = (name: ServiceName) => waves.findIndex(wave => wave.includes(name));
    expect(SERVICES.find(({ name }) => name === 'payments')!.calls).toContain('prover');
    expect(SERVICES.find(({ name }) => name === 'prover')!.calls).toContain('payments');
    expect(waveOf('payments')).toBeGreaterThan(waveOf('prover'));
    expect(waves.flat().sort()).toEqual([...NAMES].sort());
  });

  it('closes every service once, and none before who calls it, whatever calls whom without a ring', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(index, index)), pairs => {
        const services = servicesOf(pairs.filter(([caller, called]) => caller < called));
        const waves = closingWaves(services);
        expect(waves.flat()).toHaveLength(NAMES.length);
        const waveOf = (name: string) => waves.findIndex(wave => wave.some(one => one.name === name));
        for (const { name, calls } of services) {
          for (const called of calls) expect(waveOf(called)).toBeGreaterThan(waveOf(name));
        }
      }),
    ));

  it('closes every service once, also in rings', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(index, index)), pairs => {
        const closed = closingWaves(servicesOf(pairs)).flat();
        expect(closed.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
      }),
    ));

  it('counts a call that a service can close without for nothing, so that no ring is left', () => {
    const ring = servicesOf([
      [0, 4],
      [4, 0],
    ]);
    const names = (services: Parameters<typeof closingWaves>[0]) =>
      closingWaves(services).map(wave => wave.map(({ name }) => name).filter(name => name !== 'snn'));
    expect(names(ring).at(-1)).toEqual(['prover', 'payments']);
    const broken = ring.map(service =>
      service.name === 'payments' ? { ...service, closesWithout: ['prover' as const] } : service,
    );
    expect(names(broken).at(-1)).toEqual(['payments']);
  });

  it('closes none before all have given up what they do of their own accord, also where one cannot', async () => {
    const seen: string[] = [];
    const running = NAMES.map(name => ({
      name,
      quiesce: async () => {
        await new Promise(setImmediate);
        seen.push('quiesced');
        if (name === 'payments') throw new Error('the sagas broke');
      },
      close: async () => void seen.push('closed'),
    }));
    await expect(closeInOrder(servicesOf([]), running)).rejects.toThrow('the sagas broke');
    expect(seen).toEqual([...NAMES.map(() => 'quiesced'), ...NAMES.map(() => 'closed')]);
  });

  it('waits for each wave, and goes on past one that fails', async () => {
    const seen: string[] = [];
    const running = NAMES.map(name => ({
      name,
      quiesce: async () => undefined,
      close: async () => {
        await new Promise(setImmediate);
        seen.push(name);
        if (name === 'prover') throw new Error('the prover broke');
      },
    }));
    await expect(closeInOrder(servicesOf([[0, 4]]), running)).rejects.toThrow('the prover broke');
    expect(seen).toHaveLength(NAMES.length);
    expect(seen.at(-1)).toBe('payments');
  });
});
