import { type BaseFieldName, type Field, goldilocks } from '@svc/kernels';
import fc from 'fast-check';
import type { Air } from './air.js';
import { airDigest, evaluatedAirDigest } from './air-digest.js';
import { counterAir } from './counter.air.js';
import { defineAir } from './define-air.js';
import { hashChainAir } from './hash-chain.air.js';
import { airIds, findAir } from './registry.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const FIELDS: readonly BaseFieldName[] = ['goldilocks', 'm31'];

/** An AIR of one column and one constraint: all of them have one id and one shape. */
function stepAir(step: <E>(field: Field<E>, current: E) => E): Air {
  return defineAir<unknown, unknown>({
    ...(counterAir as Air),
    id: 'raw/step/v1',
    columnCount: 1,
    constraintDegree: 2,
    transitionNames: ['step'],
    evaluateTransition: (field, { current, next }) => [field.sub(next[0], step(field, current[0]))],
  });
}

const squares = stepAir((field, x) => field.mul(x, x));

it('tells a square from the addition of a constant that gives the same at the point of version 2', () => {
  // The point follows from the shape alone: whoever makes an AIR knows it, and reads it off as the AIR is evaluated there.
  let point = 0n;
  evaluatedAirDigest(stepAir((field, x) => remember(x, field.mul(x, x))));
  function remember<E>(x: E, square: E): E {
    point = x as bigint;
    return square;
  }
  const constant = goldilocks.sub(goldilocks.mul(point, point), point);
  const adds = stepAir((field, x) => field.add(x, field.fromBase(constant)));
  expect(hex(evaluatedAirDigest(adds))).toBe(hex(evaluatedAirDigest(squares)));
  expect(hex(airDigest(adds))).not.toBe(hex(airDigest(squares)));
});

describe('polynomials of degree 3 in the columns', () => {
  /** A sum of products of variables, of which there are three columns in two rows. */
  const terms = fc.array(
    fc.tuple(
      fc.oneof(
        fc.bigInt({ min: 0n, max: goldilocks.modulus - 1n }),
        fc.constantFrom(0n, 1n, goldilocks.modulus - 1n),
      ),
      fc.array(fc.nat(5), { maxLength: 3 }),
    ),
    { maxLength: 6 },
  );
  type Terms = readonly (readonly [coefficient: bigint, variables: readonly number[]])[];
  const airOf = (evaluate: Air['evaluateTransition']): Air => ({
    ...(counterAir as Air),
    columnCount: 3,
    constraintDegree: 3,
    transitionNames: ['sum'],
    evaluateTransition: evaluate,
  });
  const sumOf = (list: Terms) =>
    airOf((field, { current, next }) => [
      list.reduce((sum, [coefficient, variables]) => {
        const factors = variables.map(i => [...current, ...next][i]);
        return field.add(
          sum,
          field.scale(
            factors.reduce((x, y) => field.mul(x, y), field.one),
            coefficient,
          ),
        );
      }, field.zero),
    ]);
  /** The coefficient of each monomial, by its sorted variables. */
  const normalForm = (list: Terms) => {
    const sums = new Map<string, bigint>();
    for (const [coefficient, variables] of list) {
      const name = [...variables].sort().join();
      sums.set(name, goldilocks.add(sums.get(name) ?? 0n, coefficient));
    }
    return JSON.stringify(
      [...sums]
        .filter(([, sum]) => sum !== 0n)
        .map(([name, sum]) => [name, `${sum}`])
        .sort(),
    );
  };

  it('have one digest if and only if they are the same polynomial', () => {
    fc.assert(
      fc.property(terms, terms, (a, b) => {
        const same = normalForm(a) === normalForm(b);
        expect(hex(airDigest(sumOf(a))) === hex(airDigest(sumOf(b)))).toBe(same);
        const shuffled = [...a].reverse().map(([c, variables]) => [c, [...variables].reverse()] as const);
        const cancelled = [...shuffled, ...b, ...b.map(([c, v]) => [goldilocks.sub(0n, c), v] as const)];
        expect(hex(airDigest(sumOf(cancelled)))).toBe(hex(airDigest(sumOf(a))));
      }),
    );
  });

  it('have one digest however they are computed', () => {
    const factored = airOf((field, { current: [x, y, z] }) => [
      field.mul(field.sub(x, y), field.add(field.mul(x, z), field.one)),
    ]);
    const expanded = airOf((field, { current: [x, y, z] }) => [
      field.sub(field.add(field.mul(field.mul(x, x), z), x), field.add(field.mul(field.mul(z, y), x), y)),
    ]);
    expect(hex(airDigest(factored))).toBe(hex(airDigest(expanded)));
  });

  it('have no digest where they are none', () => {
    const inverse = airOf((field, { current }) => [field.inverse(current[0])]);
    expect(() => airDigest(inverse)).toThrow(TypeError);
  });
});

// Proofs of version 2 bind these: a change is a new version of the AIR.
const PUBLISHED_OF_VERSION_2 = {
  'binding/v1 goldilocks': '24ed0b650f1a2db38a1ef4449de5dd6e31f0c746be892f8b948905e81c109922',
  'binding/v1 m31': '767bb504e4ee59a95d7d7f09bef6b0498bb9690b54be9fd4285d0b1be8ac1c36',
  'binding/v2 goldilocks': '63787281873264a0f505d1d06e9408be882a8a07184ae1242fd37a27d396694c',
  'binding/v2 m31': 'e3bbaafa6d857de1c53e995b6ada2b9e6020d123fd9a203e4dc5d79fe2486ab3',
  'hash-chain/v1 goldilocks': 'f8a02fc6978599047bcc1b1521a1f245249230fd5cae8e818e285330702e7d23',
  'hash-chain/v1 m31': '427dd399e791c085ab3999ca4103d1a292d0de2d8c8e8d2bdfbb4b92ca0b5cde',
  'preimage/v1 goldilocks': 'ffe3ac3a5aea2a7a26e3ae587febb8df6cd9159e66ad40a0cc1463cb4f81ef64',
  'preimage/v1 m31': '744311cf806257f8727ce46320efd102244751d4429ea65dc83e48ae405f927b',
  'preimage/v2 goldilocks': 'f79cb950997248cce7ea843348bad967611d4327ee243364b9b328cf490d1a73',
  'preimage/v2 m31': 'a6d050c738022a372a023fdc1218746b3a6c0b75c605617ad375c5aceb5bd339',
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

// Proofs of version 3 bind these.
const PUBLISHED = {
  'binding/v1 goldilocks': 'bb92785a2f575e09bd7a0dc4672cba7d902e744a36d4543dc330950454c43875',
  'binding/v1 m31': 'b89544a2eb36484b017d0183c5f225045b68a22d91a643564bf36d6e17d87ee4',
  'binding/v2 goldilocks': '28abda66a886224b4ed869a4c908196ee568df047de9fa5240a50b21616fd779',
  'binding/v2 m31': '795b26db719966631030845f721552a71049363dfa2bec586585cbe10b2def40',
  'hash-chain/v1 goldilocks': 'a58e52b8bc232d37c31d1b48f6bb2c74336ef468cb6401810ae411333c46361a',
  'hash-chain/v1 m31': 'e28348ad6d7d6bdc7b55e808c9c904467267a004385c1edb4401a50ff4d1f93d',
  'preimage/v1 goldilocks': '607741e09c00b3399be23674c967c0879ccef0b3883c237efa183484ef7da273',
  'preimage/v1 m31': 'ff438466d1a1d0777ba1a2f9d3cf87722675623cb93aff5f9cae858cee201679',
  'preimage/v2 goldilocks': '920f4a199ab276de9c19e93182aae8a700b592f60167c460bc629279a9e9d1ae',
  'preimage/v2 m31': '9872f4243df067003c6385ebc6a59a63f57969b6d7cc10fb57c92cfafc576f3f',
  'raw/counter/v1 goldilocks': '4d00cf632f458792cd8db4fe71fa814090b8a59016e07ba8b49823d5d6f82e18',
  'raw/counter/v1 m31': '199799105abdce79c1bf04c8769f0ecb10b683ebb0c8a3f3c28986e31f7b7fec',
  'raw/cubic8/v1 goldilocks': '621aa37fb30ddfe803ee18bbea76913533a2ea962aa12f9831980fce85c2033a',
  'raw/cubic8/v1 m31': '519a347b96d96af80b2e336533e766eec297fb07f29d4007a22a98733ec38e2e',
  'raw/fibonacci/v1 goldilocks': '591b94cd23549b53c683613abe5f7c8f0d2a21d5c5b5623c9292eaafd6fbc0f8',
  'raw/fibonacci/v1 m31': 'f11ee9e281bccf536bb54a2a593b9bdba7a4bd3d06bd92f13c66a52c5e2464d6',
  'raw/lif-step/v1 goldilocks': '3a17a5981b72a00e85262de5fb81902d63dbf509a794389c7212015bad6d5fad',
  'raw/lif-step/v1 m31': '23a10d5b020cfdcd11438c8a8bee49a021422594a090fc89bebd869792fcddad',
  'rules/v1 goldilocks': '2a8218dd3bc13ec214e2b05c71c7b55edf0c698f969c6739c0cf8f927ba549d1',
  'spatial-box/v1 goldilocks': '769a610ce72fedd32eba33b649e1c4d4636442a9f9612585915371a05b28d158',
};

it.each([
  [2, evaluatedAirDigest, PUBLISHED_OF_VERSION_2],
  [3, airDigest, PUBLISHED],
] as const)(
  'has the published digest for version %i of every AIR over every field',
  (_, digest, published) => {
    const known = airIds().flatMap(id =>
      FIELDS.flatMap(field => {
        const air = findAir(id, field);
        return air ? [[`${id} ${field}`, hex(digest(air))] as const] : [];
      }),
    );
    expect(Object.fromEntries(known)).toEqual(published);
  },
);

it('knows its AIRs by id and field alone', () => {
  expect(airIds()).toEqual([
    'hash-chain/v1',
    'binding/v2',
    'preimage/v2',
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

it.each([airDigest, evaluatedAirDigest])(
  'changes with the id, the shape and every periodic column: %p',
  digest => {
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
    const digests = [base, ...variants].map(air => hex(digest(air)));
    expect(new Set(digests).size).toBe(digests.length);
  },
);
