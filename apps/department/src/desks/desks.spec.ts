import { expect, it } from '@jest/globals';
import { DEPARTMENT_IDS } from '@svc/contracts';
import { findPrice } from '@svc/protocols';
import { paidByOf } from './capability.js';
import { capabilityOf, deskOf, DESKS } from './desks.js';

const capabilities = DESKS.flatMap(desk => desk.capabilities);

it('has one desk for each id that the contract publishes, in its order', () => {
  expect(DESKS.map(({ deptId }) => deptId)).toEqual([...DEPARTMENT_IDS]);
});

it('has a price for each capability, and each capability once', () => {
  for (const { operationId } of capabilities) expect(findPrice(operationId)).toBeDefined();
  expect(new Set(capabilities.map(({ name }) => name)).size).toBe(capabilities.length);
});

it('sells on a claim only what is charged whenever it is called', () => {
  for (const capability of capabilities.filter(({ engine }) => engine))
    expect([capability.name, findPrice(capability.operationId)?.charged]).toEqual([
      capability.name,
      'always',
    ]);
});

it('has the licence contract alone paid by a ticket', () => {
  expect(capabilities.filter(one => paidByOf(one) === 'ticket').map(({ name }) => name)).toEqual([
    'm2m_license_contract',
  ]);
});

it('takes the first capability that can be done where none is named', () => {
  expect(capabilityOf(deskOf('proofs'), undefined)?.name).toBe('zk.prove');
  expect(capabilityOf(deskOf('parcels'), undefined)?.name).toBe('evaluate_spatial_parcel_fep');
  expect(capabilityOf(deskOf('proofs'), 'coi.verify')).toBeUndefined();
});
