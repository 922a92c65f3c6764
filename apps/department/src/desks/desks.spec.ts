import { expect, it } from '@jest/globals';
import { DEPARTMENT_IDS, SNN_RUN_MS_MAX } from '@svc/contracts';
import { findPrice } from '@svc/protocols';
import { paidByOf, patienceMsOf } from './capability.js';
import { capabilityOf, deskOf, DESKS } from './desks.js';

const WITHIN_QUOTA: ReadonlySet<string> = new Set([...['compute', 'surface', 'sound', 'rendezvous']]);
const capabilities = DESKS.flatMap(desk => desk.capabilities);

it('has one desk for each id that the contract publishes, in its order', () => {
  expect(DESKS.map(({ deptId }) => deptId)).toEqual([...DEPARTMENT_IDS]);
});

it('has a price for each capability, and each capability once', () => {
  for (const { operationId } of capabilities) expect(findPrice(operationId)).toBeDefined();
  expect(new Set(capabilities.map(({ name }) => name)).size).toBe(capabilities.length);
});

it('has within a quota the computations, the readings of surfaces, the sounds and the rendezvous alone; the rest is charged whenever it is called', () => {
  for (const { name, operationId, engine } of capabilities)
    expect([name, findPrice(operationId)?.charged]).toEqual([
      name,
      WITHIN_QUOTA.has(engine.kind) ? 'over-quota' : 'always',
    ]);
});

it('waits for room for a computation as long as one ahead of it may run', () => {
  for (const { engine } of capabilities)
    expect(patienceMsOf(engine) >= SNN_RUN_MS_MAX).toBe(engine.kind === 'compute');
});

it('has the licence contract alone paid by a ticket', () => {
  expect(capabilities.filter(one => paidByOf(one) === 'ticket').map(({ name }) => name)).toEqual([
    'm2m_license_contract',
  ]);
});

it('takes the first capability where none is named', () => {
  expect(capabilityOf(deskOf('proofs'), undefined)?.name).toBe('zk.prove');
  expect(capabilityOf(deskOf('parcels'), undefined)?.name).toBe('evaluate_spatial_parcel_fep');
  expect(capabilityOf(deskOf('proofs'), 'coi.verify')).toBeUndefined();
});
