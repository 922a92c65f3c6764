import type { BaseFieldName } from '@svc/kernels';
import type { Air } from './air.js';
import { airDigest } from './air-digest.js';
import { hashChainAir } from './hash-chain.air.js';
import { airIds, findAir } from './registry.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const FIELDS: readonly BaseFieldName[] = ['goldilocks', 'm31'];

// Proofs bind these: a change is a new version of the AIR.
const PUBLISHED = {
  'binding/v1 goldilocks': '24ed0b650f1a2db38a1ef4449de5dd6e31f0c746be892f8b948905e81c109922',
  'binding/v1 m31': '767bb504e4ee59a95d7d7f09bef6b0498bb9690b54be9fd4285d0b1be8ac1c36',
  'hash-chain/v1 goldilocks': 'f8a02fc6978599047bcc1b1521a1f245249230fd5cae8e818e285330702e7d23',
  'hash-chain/v1 m31': '427dd399e791c085ab3999ca4103d1a292d0de2d8c8e8d2bdfbb4b92ca0b5cde',
  'preimage/v1 goldilocks': 'ffe3ac3a5aea2a7a26e3ae587febb8df6cd9159e66ad40a0cc1463cb4f81ef64',
  'preimage/v1 m31': '744311cf806257f8727ce46320efd102244751d4429ea65dc83e48ae405f927b',
  'raw/counter/v1 goldilocks': '6518aa25f01547ae24eddef935f73db201611446aa3075e11393763e1b21a7c7',
  'raw/counter/v1 m31': '96c8ccf9ee59702543d3fcb3fd2afa827f7df22af2498165330614719f17019a',
  'raw/cubic8/v1 goldilocks': 'b5f2a2485e0bb17d83d781697cfad604b131c515d81b64a310016f9f15ef0176',
  'raw/cubic8/v1 m31': 'aec28b7afa4501b8bfb09fdeacbc0fe7fab52a91dae1a0d6f085eade66782655',
  'raw/fibonacci/v1 goldilocks': '0cdfa710b723d8ac35c1b99a4c78e3118ae243aae044635a5652d79591b96d94',
  'raw/fibonacci/v1 m31': 'cc7ba569a9d62681e491e5c23444f4f0617e55ccc41e10bb757005320af49ddc',
  'raw/lif-step/v1 goldilocks': '29c1feae1adf0bb208980894f942777872d97c43f43d1c456179ae2caee95780',
  'raw/lif-step/v1 m31': '5607afa055834eec796896a2271b2f773165c6f803929acdd969be8954e064fe',
  'rules/v1 goldilocks': 'dd48e78adae2e2be5223ac874dc930120d14c84bf4d2fd724638944db18e2915',
  'spatial-box/v1 goldilocks': 'c83151afdf4dd6fe522036019608d2c3e6a94b4dbd9a555c223fa7d6ccf1e415',
};

it('has the published digest of every AIR over every field', () => {
  const known = airIds().flatMap(id =>
    FIELDS.flatMap(field => {
      const air = findAir(id, field);
      return air ? [[`${id} ${field}`, hex(airDigest(air))] as const] : [];
    }),
  );
  expect(Object.fromEntries(known)).toEqual(PUBLISHED);
});

it('knows its AIRs by id and field alone', () => {
  expect(airIds()).toEqual([
    'hash-chain/v1',
    'binding/v1',
    'preimage/v1',
    'spatial-box/v1',
    'raw/fibonacci/v1',
    'raw/counter/v1',
    'raw/lif-step/v1',
    'raw/cubic8/v1',
    'rules/v1',
  ]);
  expect(findAir('hash-chain/v2')).toBeUndefined();
  expect(findAir('constructor')).toBeUndefined();
  expect(findAir('spatial-box/v1', 'm31')).toBeUndefined();
  for (const id of airIds()) expect(findAir(id)).toMatchObject({ id, field: 'goldilocks' });
});

it('changes with the id, the shape and every periodic column', () => {
  const base = hashChainAir as Air;
  const variants: Air[] = [
    { ...base, id: 'hash-chain/v2' },
    { ...base, constraintDegree: 2 },
    ...base.periodicColumns.map((_, changed) => ({
      ...base,
      periodicColumns: base.periodicColumns.map((values, i) =>
        i === changed ? values.map((value, row) => (row === 17 ? value ^ 1n : value)) : values,
      ),
    })),
  ];
  const digests = [base, ...variants].map(air => hex(airDigest(air)));
  expect(new Set(digests).size).toBe(digests.length);
});
