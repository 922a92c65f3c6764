import {
  DefinitionError,
  definitionFacts,
  definitionLines,
  type OwnDefinition,
  readDefinition,
} from '@svc/stark-verifier';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin } from './operand.js';
import { columns } from './terminal.js';
import type { Verb, VerbContext } from './verb.js';

/** What no definition can say of itself. */
const SAYS =
  'A proof shows that a trace exists which fulfils these constraints, and not that they mean what their names say.';

/** What somebody who is to rely on a definition should look at. */
function remarks(definition: OwnDefinition): string[] {
  const { fixesNothing, showsNothing, zeroHolds, freeOfNext, given } = definitionFacts(definition);
  const list = (names: readonly string[]) => names.join(', ');
  return [
    ...(fixesNothing ? ['no cell is fixed: any trace that keeps the constraints will do'] : []),
    ...(showsNothing ? ['nothing is public but the number of rows'] : []),
    ...(zeroHolds ? ['a trace of zeros fulfils it'] : []),
    ...(freeOfNext.length > 0 ? [`each row may hold other values: ${list(freeOfNext)}`] : []),
    ...(given.length > 0 ? [`the prover chooses: ${list(given)}`] : []),
  ];
}

function rowsOf(definition: OwnDefinition): (readonly [string, string])[] {
  const { id, field, degree, publicInputs } = definition;
  const facts = definitionFacts(definition);
  const counts = `${facts.columns} columns, ${facts.nodes} nodes, ${facts.constraints} constraints`;
  return [
    ['id', id],
    ['field', `${field}, degree ${degree}: ${counts}`],
    ['public', ['rows', ...publicInputs].join(', ')],
    ...remarks(definition).map(remark => ['look', remark] as const),
  ];
}

async function run({ positionals, streams, terminal }: VerbContext): Promise<ExitCode> {
  const [verb, path] = positionals;
  if (verb !== 'check' && verb !== 'show')
    throw new UsageError(`svc air knows check and show, got ${verb.slice(0, 80)}`);
  const text = Buffer.from(await readFileOrStdin(path, streams)).toString('utf8');
  let definition: OwnDefinition;
  try {
    definition = readDefinition(text);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const { code, path: place, reason, bound } = error;
    const fault = { code, path: place, reason, ...bound };
    terminal.result({ valid: false, ...fault }, [`REFUSED  ${code}: ${error.message}`]);
    return ExitCode.failure;
  }
  const { id, canonical, field } = definition;
  const result = { valid: true, id, field, ...definitionFacts(definition) };
  const constraints = verb === 'show' ? ['', ...definitionLines(definition)] : [];
  terminal.result(
    verb === 'show' ? { ...result, air: canonical, constraints: definitionLines(definition) } : result,
    [...columns(rowsOf(definition)), ...constraints, '', SAYS],
  );
  return ExitCode.ok;
}

export const airVerb: Verb = {
  name: 'air',
  summary: 'read a statement that somebody has written as JSON, on this machine',
  operands: 'check|show FILE',
  positionalsMin: 2,
  positionalsMax: 2,
  options: {},
  notes: [
    'FILE holds a definition, air/1; - for stdin. check tells its id and what to look at; show its constraints, too.',
    '',
    'Examples:',
    '  svc air check ratio.air.json',
    '  svc air show - <ratio.air.json',
  ],
  run,
};
