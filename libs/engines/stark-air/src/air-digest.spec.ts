import type { Field } from '@svc/kernels';
import type { Air, TransitionFrame } from './air.js';
import { airDigest } from './air-digest.js';
import { hashChainAir } from './hash-chain.air.js';
import { airIds, findAir } from './registry.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

// Proofs bind these: a change is a new version of the AIR.
it.each([
  ['hash-chain/v1', '7941572f1a8579a64ab36cb7a7097fbb7a35deb0c7cc7ef4f780bf62460fd89b'],
  ['raw/cubic8/v1', '3439d39f8639722930d326821deb5160707a78f683622978d7bd1f48e3646aa3'],
  ['raw/fibonacci/v1', '384cf1af6b146da5de5854e2dc1a69644a6435a026c31891daa431e232bf884e'],
])('%s has the published digest', (id, digest) => {
  expect(hex(airDigest(findAir(id) as Air))).toBe(digest);
});

it('knows its AIRs by id alone', () => {
  expect(airIds()).toEqual(['hash-chain/v1', 'raw/fibonacci/v1', 'raw/cubic8/v1']);
  expect(findAir('hash-chain/v2')).toBeUndefined();
  expect(findAir('constructor')).toBeUndefined();
});

it.each(Array.from({ length: 25 }, (_, i) => i))(
  'changes when constraint %i is dropped or altered',
  index => {
    const alter = (change: <E>(field: Field<E>, values: E[]) => void): Air => ({
      ...(hashChainAir as Air),
      evaluateTransition<E>(field: Field<E>, frame: TransitionFrame<E>): E[] {
        const values = hashChainAir.evaluateTransition(field, frame);
        change(field, values);
        return values;
      },
    });
    const original = hex(airDigest(hashChainAir));
    expect(hex(airDigest(alter((field, values) => (values[index] = field.zero))))).not.toBe(original);
    expect(
      hex(airDigest(alter((field, values) => (values[index] = field.scale(values[index], 2n))))),
    ).not.toBe(original);
  },
);

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
