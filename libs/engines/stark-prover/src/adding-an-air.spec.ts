import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { CountingField } from '@svc/kernels';
import { type Air, checkTrace, fieldOf } from '@svc/stark-air';
import ts from 'typescript';

// The worked example of docs/adding-an-air.md, as its readers would write it into a file.
const ROOT = new URL('../../../../', import.meta.url);
const FOLDER = new URL('../out-tsc/adding-an-air/', import.meta.url);
const file = fileURLToPath(new URL('geometric.air.ts', FOLDER));
const [, source] =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(new URL('docs/adding-an-air.md', ROOT), 'utf8')) ?? [];
mkdirSync(FOLDER, { recursive: true });
writeFileSync(file, source);
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Imports what is known only now, or must not be loaded before the mock stands. */
const load = (name: string): Promise<unknown> => import(name);
const { geometricAir } = (await load(file)) as { geometricAir: Air };
/** Imports of the package lead here, to the file that defines the names. */
const registry = fileURLToPath(new URL('libs/engines/stark-air/src/registry.ts', ROOT));
const actual = (await load(registry)) as typeof import('@svc/stark-air');
// The line in registry.ts.
jest.unstable_mockModule(registry, () => ({
  ...actual,
  airIds: () => [...actual.airIds(), geometricAir.id],
  findAir: (...[id, field]: Parameters<typeof actual.findAir>) =>
    id === geometricAir.id && field === geometricAir.field ? geometricAir : actual.findAir(id, field),
}));
const { traceLengthFor, verify } = (await load(
  '@svc/stark-verifier',
)) as typeof import('@svc/stark-verifier');
const { prove } = await import('./prove.js');

const witness = { rows: 40, start: 3n, ratio: 5n };

it('compiles as it stands in the documentation', () => {
  const base = ts.readConfigFile(fileURLToPath(new URL('tsconfig.base.json', ROOT)), path =>
    ts.sys.readFile(path),
  );
  const { options } = ts.convertCompilerOptionsFromJson(
    (base.config as { compilerOptions: object }).compilerOptions,
    fileURLToPath(ROOT),
  );
  const program = ts.createProgram([file], {
    ...options,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    composite: false,
    incremental: false,
    noEmit: true,
  });
  const faults = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  expect(faults.map(({ messageText }) => messageText)).toEqual([]);
});

it('costs what it says, and its trace satisfies it', () => {
  const counting = new CountingField(fieldOf(geometricAir));
  const { columns, publicInputs } = geometricAir.execute(counting, witness, 50);
  expect(publicInputs).toEqual({
    rows: 40,
    start: 3n,
    end: (3n * 5n ** 39n) % fieldOf(geometricAir).modulus,
  });
  expect(checkTrace(geometricAir, columns, publicInputs, 50)).toBeUndefined();
  const { additions, multiplications } = counting;
  expect(geometricAir.executionOperations(50, publicInputs)).toEqual({ additions, multiplications });
});

it.each([false, true])('is proved and verified, zero knowledge: %s', async zeroKnowledge => {
  const shape = { profile: 'gl3', queryCount: 2, zeroKnowledge } as const;
  const traceLength = traceLengthFor(shape, geometricAir.rowsNeeded(witness), geometricAir.traceLengthMin);
  const parameters = { ...shape, traceLength, blowupFactor: 2, grindingBits: 0 };
  const { proof, publicInputs } = await prove({ air: geometricAir, witness, parameters });
  const policy = {
    parameterSets: [{ id: 'test', profile: shape.profile, grindingBits: 0, queryCounts: { 2: 2 } }],
    securityBitsMin: 0,
  };
  const json = geometricAir.publicInputsToJson(publicInputs);
  const claim = { airId: geometricAir.id, proof, publicInputs: json };
  expect(verify(claim, policy)).toMatchObject({ valid: true });
  expect(verify({ ...claim, publicInputs: { ...json, end: '0x4' } }, policy)).toMatchObject({ valid: false });
  expect(verify({ ...claim, publicInputs: { ...json, rows: 39 } }, policy)).toMatchObject({ valid: false });
});
