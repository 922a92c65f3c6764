import { proverContract, starkProveContract, type StarkProveReply } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import {
  bits,
  commandOf,
  entriesFrom,
  GALLERY,
  memberOf,
  ownStatementToJson,
  readDefinition,
  readingsAtLeast,
  samplesOf,
  scoreAtLeast,
  type Statement,
  statement,
} from '@svc/stark-air';
import { OWN_UNITS_MAX } from '@svc/stark-prover';

const FIELDS = [
  ['goldilocks', starkProveContract.proveGoldilocks, starkProveContract.admitGoldilocks],
  ['m31', starkProveContract.proveM31, starkProveContract.admitM31],
] as const;
type FieldName = (typeof FIELDS)[number][0];

function write(field: FieldName, words: (s: Statement) => void): string {
  const s = statement(field);
  words(s);
  return s.json();
}

/** x goes to 3·x + k in each row. */
const stepping = (field: FieldName) =>
  write(field, s => {
    const x = s.column('x');
    s.require('step', x.next.sub(x.mul(s.constant(3n)).add(s.public('k'))));
    s.first(x, s.public('start'));
    s.last(x, s.public('end'));
  });

/** Four-bit numbers, whose last is public. */
const nibbles = (field: FieldName) =>
  write(field, s => {
    const v = s.column('v');
    s.require('sum', v.sub(bits(s, 'bit', 4)));
    s.last(v, s.public('end'));
  });
const NIBBLES = [9, 0, 15, 6];
const HINTS = [{ bits: { of: 'v', into: ['bit_0', 'bit_1', 'bit_2', 'bit_3'] } }];

/** x goes to x² + 3, and so many columns are its inverse, by hints. */
function inverting(field: FieldName, count: number) {
  const names = Array.from({ length: count }, (_, i) => `y${i}`);
  const text = write(field, s => {
    const x = s.column('x');
    s.require('step', x.next.sub(x.mul(x).add(3n)));
    for (const name of names) s.require(`inverse_${name}`, s.column(name).mul(x).sub(1).mul(x));
  });
  return { text, start: { x: 2 }, hints: names.map(into => ({ inverse: { of: 'x', into } })) };
}

/** The same columns as `NIBBLES` and their bits, in little-endian elements. */
function nibbleBytes(field: FieldName): string {
  const elements = NIBBLES.map(BigInt);
  return Buffer.concat(
    elements.map(value => {
      const bytes = Buffer.alloc(field === 'm31' ? 4 : 8);
      bytes[0] = Number(value);
      return bytes;
    }),
  ).toString('base64');
}

/** A statement of each of the gallery, small ones, as requests have them. */
function galleryRequests(): [string, object][] {
  const [secret, context] = [
    [1n, 2n, 3n, 4n],
    [5n, 6n, 7n, 8n],
  ];
  const path = { siblings: [context, secret], isRight: [true, false] };
  const settings = { setpoint: 500n, proportional: 90n, integral: 7n };
  const statements = {
    mean: readingsAtLeast([20n, 22n, 21n], 60n, secret),
    balance: entriesFrom(10n, [5n, -15n, 8n], secret),
    score: scoreAtLeast(Array(16).fill(3n), Array(16).fill(2n), 90n, secret),
    member: memberOf(secret, context, path),
    controller: samplesOf(settings, [[480n, commandOf(settings, 480n, 0n)]], secret),
  };
  return Object.entries(statements).map(([name, made]) => {
    const definition = GALLERY[name]().definition();
    return [
      name,
      { air: definition.canonical, airId: definition.id, ...ownStatementToJson(definition, made) },
    ];
  });
}

export function describeOwnStatements(clientOf: () => BusClient): void {
  describe('a statement of the gallery', () => {
    it.each(galleryRequests())('is told, sold and verified: %s', async (_name, request) => {
      const { air: sent, ...named } = request as { air: string };
      const told = await clientOf().call(starkProveContract.checkAir, named as never);
      const call = { request: { statement: 'own', ...named } as never, receipt: 'r' };
      const { proof, publicInputs, airId, air } = await clientOf().call(
        starkProveContract.proveGoldilocks,
        call,
      );
      expect([told.holds, told.publicInputs, told.air, air]).toEqual([true, publicInputs, sent, sent]);
      await expect(
        clientOf().call(proverContract.verifyProof, {
          proof,
          publicInputs,
          airId,
          air,
          policy: { airIds: [airId] },
        }),
      ).resolves.toMatchObject({ valid: true, definitionExpected: true, zeroKnowledge: true });
    });
  });

  describe.each(FIELDS)('a statement of the buyer over %s', (field, proving, admitting) => {
    const procedure = proving as typeof starkProveContract.proveGoldilocks;
    const prove = (request: object): Promise<StarkProveReply> =>
      clientOf().call(procedure, { request: { statement: 'own', ...request } as never, receipt: 'r' });
    const admit = (request: object) =>
      clientOf().call(
        admitting as typeof starkProveContract.admitGoldilocks,
        { statement: 'own', ...request } as never,
      );
    const check = (request: object) => clientOf().call(starkProveContract.checkAir, request as never);
    const verdictOf = (reply: StarkProveReply, more: object = {}) => {
      const { proof, publicInputs, airId, air, contextDomain } = reply;
      return clientOf().call(proverContract.verifyProof, {
        ...{ proof, publicInputs, airId, air, contextDomain },
        ...more,
      });
    };
    const refusal = (code: string, path: string, more: object = {}, extensions?: object) => ({
      code,
      payload: { errors: [{ path, ...more }], ...(extensions && { extensions }) },
    });

    it('is proved from row 0, hidden, and verified with the definition beside it alone', async () => {
      const air = stepping(field);
      const { id, canonical } = readDefinition(air);
      const request = {
        air: JSON.parse(air) as object,
        airId: id,
        rows: 5,
        start: { x: 2 },
        public: { k: 1 },
      };
      const reply = await prove(request);
      expect(reply).toMatchObject({
        ...{ verified: true, statement: 'own', airId: id, air: canonical, formatVersion: 3 },
        ...{ zeroKnowledge: true, traceLength: field === 'm31' ? 4_096 : 2_048, proves: 'computation' },
        doesNotProve: expect.stringContaining('mean what their names say'),
        facts: { columns: 1, degree: 1, stepped: ['x'], given: [], fixesNothing: false },
      });
      // 2, 7, 22, 67, 202
      const digits = field === 'm31' ? 8 : 16;
      expect(reply.publicInputs).toMatchObject({
        rows: 5,
        end: `0x${(202).toString(16).padStart(digits, '0')}`,
      });
      await expect(verdictOf(reply)).resolves.toMatchObject({
        ...{ valid: true, definitionExpected: false, formatVersion: 3 },
        doesNotProve: expect.stringContaining('mean what their names say'),
      });
      await expect(
        verdictOf(reply, { air: JSON.parse(air) as object, policy: { airIds: [id] } }),
      ).resolves.toMatchObject({
        ...{ valid: true, definitionExpected: true },
      });
      for (const [change, reason] of [
        [{ air: undefined }, 'definition-missing'],
        [{ air: nibbles(field) }, 'definition-mismatch'],
        [{ policy: { airIds: ['binding/v2'] } }, 'air-not-expected'],
        [{ publicInputs: { ...reply.publicInputs, rows: 4 } }, 'constraints-unsatisfied'],
      ] as const)
        await expect(verdictOf(reply, change)).resolves.toMatchObject({
          valid: false,
          reason: expect.stringContaining(reason),
        });
    });

    it('is told the same before it is bought: its id, what it takes, and what it comes to', async () => {
      const air = stepping(field);
      const wish = { air, rows: 100, start: { x: 2 }, public: { k: 1 } };
      const told = await check(wish);
      const bought = await prove({ ...wish, zeroKnowledge: true });
      expect(told).toMatchObject({
        ...{ airId: bought.airId, field, air: bought.air, facts: bought.facts, trace: [], holds: true },
        ...{ publicInputs: bought.publicInputs },
        cost: { rows: 100, traceLength: bought.traceLength, units: bought.units, unitsMax: OWN_UNITS_MAX },
      });
      expect(told.cost!.security).toContainEqual({
        parameterSet: bought.parameterSet,
        securityBits: bought.securityLevelBits,
        conjecturedSecurityBits: bought.conjecturedSecurityBits,
      });
      // Of a definition alone there is nothing to prove yet.
      const { cost, holds } = await check({ air });
      expect([cost, holds]).toEqual([undefined, undefined]);
    });

    it('is proved from its given columns, in either form, by themselves or with hints', async () => {
      const air = nibbles(field);
      const columns = [0, 1, 2, 3].map(bit => NIBBLES.map(value => String((value >> bit) & 1)));
      await expect(check({ air })).resolves.toMatchObject({ trace: ['bit_0', 'bit_1', 'bit_2', 'bit_3'] });
      await expect(check({ air, hints: HINTS, trace: [NIBBLES] })).resolves.toMatchObject({
        trace: ['v'],
        holds: true,
      });
      const open = { air, zeroKnowledge: false };
      const replies = [
        await prove({ ...open, trace: columns }),
        await prove({ ...open, trace: [NIBBLES], hints: HINTS }),
        await prove({ ...open, traceBytes: nibbleBytes(field), hints: HINTS, rows: 4, filler: { v: 3 } }),
      ];
      expect(replies[1].proof).toEqual(replies[0].proof);
      expect(replies[2].publicInputs).toEqual(replies[0].publicInputs);
      for (const reply of replies) await expect(verdictOf(reply)).resolves.toMatchObject({ valid: true });
    });

    it('that does not hold names row, constraint and operands, bought or looked at', async () => {
      const air = nibbles(field);
      const columns = [0, 1, 2, 3].map(() => [0, 1, 0]);
      columns[2][1] = 2;
      const broken = { row: 1, constraint: 'bit_2', operands: ['2', '1'] };
      await expect(check({ air, trace: columns })).resolves.toMatchObject({ holds: false, broken });
      await expect(prove({ air, trace: columns })).rejects.toMatchObject(
        refusal(
          'UNPROCESSABLE',
          'trace',
          { bound: 'bit_2 holds', got: 'row 1' },
          { reason: 'constraint-violated', ...broken },
        ),
      );
      await expect(prove({ air, trace: [NIBBLES], hints: HINTS, public: { end: 7 } })).rejects.toMatchObject(
        refusal(
          'UNPROCESSABLE',
          'trace',
          { bound: 'v holds', got: 'row 3' },
          { row: 3, column: 'v', operands: ['6', '7'] },
        ),
      );
    });

    it('of which more is asked than the price covers is refused before it is paid, with the rows that would fit', async () => {
      const air = stepping(field);
      const wish = { air, start: { x: 2 }, public: { k: 1 }, friBlowup: 32 };
      const fault = await admit({ ...wish, rows: 65_536 }).catch((error: unknown) => error);
      const { units, rowsThatFit } = (fault as { payload: { extensions: Record<string, number> } }).payload
        .extensions;
      expect(fault).toMatchObject(
        refusal('UNPROCESSABLE', 'rows', { bound: OWN_UNITS_MAX, got: units }, { reason: 'over-budget' }),
      );
      await expect(admit({ ...wish, rows: rowsThatFit })).resolves.toMatchObject({
        traceLength: expect.any(Number),
      });
      await expect(admit({ ...wish, rows: rowsThatFit + 1 })).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });
      // Looking at it costs no more than its reading.
      const told = await check({ ...wish, rows: 65_536 });
      expect([told.cost!.units, told.cost!.rowsThatFit, told.holds]).toEqual([units, rowsThatFit, undefined]);
    });

    it('whose trace takes long for its hints is priced by them: an inverse of what follows takes as long as a thousand products', async () => {
      const { text, start, hints } = inverting(field, 40);
      const wish = { air: text, start, hints, rows: 1_500, friBlowup: 2 };
      await expect(admit(wish)).rejects.toMatchObject(
        refusal('UNPROCESSABLE', 'rows', { bound: OWN_UNITS_MAX }, { reason: 'over-budget' }),
      );
      const { cost, holds } = await check(wish);
      expect([cost!.units > OWN_UNITS_MAX, holds]).toEqual([true, undefined]);
      await expect(admit({ ...wish, rows: 60, zeroKnowledge: false })).resolves.toMatchObject({
        traceLength: expect.any(Number),
      });
    });

    it('brings no more rows and elements as bytes than as JSON', async () => {
      const columns = field === 'goldilocks' ? 8 : 4;
      const traceBytes = Buffer.alloc(columns * 65_537).toString('base64');
      await expect(check({ air: nibbles(field), hints: HINTS, traceBytes })).rejects.toMatchObject(
        refusal('UNPROCESSABLE', 'rows', { bound: 65_536, got: 65_537 }),
      );
    });

    const json = (
      change: (air: { nodes: unknown[]; boundary: unknown[]; [name: string]: unknown }) => void,
    ) => {
      const air = JSON.parse(stepping(field)) as Parameters<typeof change>[0];
      change(air);
      return air;
    };
    it.each<[string, () => object, string, string, string?]>([
      ['no definition', () => ({ air: undefined }), 'VALIDATION_FAILED', 'air'],
      ['text that is no JSON', () => ({ air: '{"format"' }), 'VALIDATION_FAILED', 'air', 'malformed-json'],
      [
        'equal members',
        () => ({ air: stepping(field).replace('{', '{"format":"air/1",') }),
        'VALIDATION_FAILED',
        'air',
        'malformed-json',
      ],
      [
        'a node that nothing needs',
        () => ({ air: json(air => air.nodes.push(['const', '77'])) }),
        'UNPROCESSABLE',
        'air.nodes[7]',
        'node-unused',
      ],
      [
        'a public input that is bound to nothing',
        () => ({ air: json(air => air.boundary.pop()) }),
        'UNPROCESSABLE',
        'air.public[2]',
        'public-input-unbound',
      ],
      [
        'the id of another',
        () => ({ airId: `air/sha256:${'0'.repeat(64)}` }),
        'UNPROCESSABLE',
        'airId',
        'air-id-mismatch',
      ],
      [
        'an id that the gallery has not',
        () => ({ air: undefined, airId: `air/sha256:${'1'.repeat(64)}` }),
        'UNPROCESSABLE',
        'air',
        'definition-unknown',
      ],
      ['an id of ours', () => ({ airId: 'raw/fibonacci/v1' }), 'VALIDATION_FAILED', 'airId'],
      [
        'the other field',
        () => ({ air: stepping(field === 'm31' ? 'goldilocks' : 'm31') }),
        'UNPROCESSABLE',
        'air.field',
      ],
      [
        'a public input that a constraint needs missing',
        () => ({ public: {} }),
        'UNPROCESSABLE',
        'public.k',
        'missing-input',
      ],
      ['row 0 missing', () => ({ start: {} }), 'UNPROCESSABLE', 'start.x', 'missing-input'],
      ['a name that no column has', () => ({ start: { x: 1, y: 1 } }), 'VALIDATION_FAILED', 'start.y'],
      ['a column that is stepped', () => ({ trace: [[1, 2]] }), 'VALIDATION_FAILED', 'trace'],
      ['members of a binding', () => ({ publicInputs: ['1'] }), 'VALIDATION_FAILED', 'publicInputs'],
      [
        'fewer rows than it speaks of',
        () => ({ degree: 64, rows: 64, zeroKnowledge: false }),
        'UNPROCESSABLE',
        'degree',
      ],
    ])('of %s is refused, and names it', async (_name, change, code, path, ...[reason]) => {
      const request = { air: stepping(field), rows: 5, start: { x: 2 }, public: { k: 1 }, ...change() };
      // Before anything is paid.
      await expect(admit(request)).rejects.toMatchObject({ code });
      await expect(prove(request)).rejects.toMatchObject({
        code,
        payload: {
          errors: [
            { path: expect.stringMatching(new RegExp(`^(request\\.)?${path.replace(/[.[\]]/g, '\\$&')}$`)) },
          ],
          ...(reason && { extensions: { reason } }),
        },
      });
    });
  });
}
