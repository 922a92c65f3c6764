import type { RunningService, ServiceDefinition } from '@svc/platform';

type Caller = Pick<ServiceDefinition, 'name' | 'calls' | 'closesWithout'>;

/**
 * Services in the order in which they close, those of one wave at once: callers before whom they call, so that what a
 * caller finishes while it drains finds an answer. A call that a service can close without counts for nothing. Services
 * that call one another in a ring close together.
 *
 * @example closingWaves([{ name: 'payments' }, { name: 'prover', calls: ['payments'] }]) // [[prover], [payments]]
 */
export function closingWaves<S extends Caller>(services: readonly S[]): S[][] {
  const waves: S[][] = [];
  let open = [...services];
  while (open.length > 0) {
    const isCalled = ({ name }: S) => open.some(other => other.name !== name && needs(other, name));
    const uncalled = open.filter(service => !isCalled(service));
    const wave = uncalled.length > 0 ? uncalled : open;
    waves.push(wave);
    open = open.filter(service => !wave.includes(service));
  }
  return waves;
}

const needs = ({ calls, closesWithout }: Caller, name: Caller['name']) =>
  calls?.includes(name) === true && closesWithout?.includes(name) !== true;

/**
 * Closes running services wave by wave, once each has given up what it does of its own accord; one that fails keeps none of
 * the others from closing.
 * @throws the first failure, after all are closed
 */
export async function closeInOrder(
  definitions: readonly Caller[],
  running: readonly Pick<RunningService, 'name' | 'quiesce' | 'close'>[],
): Promise<void> {
  const failures: unknown[] = [];
  const all = async (work: Promise<void>[]) => {
    for (const outcome of await Promise.allSettled(work))
      if (outcome.status === 'rejected') failures.push(outcome.reason);
  };
  await all(running.map(service => service.quiesce()));
  for (const wave of closingWaves(definitions)) {
    const names = wave.map(({ name }) => name);
    await all(running.filter(({ name }) => names.includes(name)).map(service => service.close()));
  }
  if (failures.length > 0) throw failures[0];
}
