// Known answers of definitions, as the first verifier's engines make them: what a third one can be held against.
// Writes them anew: node bench/second-verifier/write-own-vectors.mjs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { airDigest, DefinitionError, ownAir, readDefinition } from '@svc/stark-air';
import { FIBONACCI, RATIO, UP_AND_SQUARE } from '@svc/stark-air/testing';
import { prove } from '@svc/stark-prover';
import { createWasmBackend } from '@svc/stark-prover/node';
import { PARAMETER_SETS, parametersOf, startTranscript } from '@svc/stark-verifier';

const TRACE_LENGTH = 64;
const BLOWUP_FACTOR = 32;

/** The three examples, each with a statement under it. */
const EXAMPLES = [
  {
    name: 'fibonacci',
    text: FIBONACCI,
    parameterSet: 'conjectured96',
    known: {},
    witness: { rows: 40, start: { a: 1n, b: 1n } },
  },
  {
    name: 'a hidden ratio',
    text: RATIO,
    parameterSet: 'conjectured96',
    known: {},
    witness: { rows: 4, start: { term: 7n, ratio: 3n } },
  },
  {
    name: 'up and square by turns',
    text: UP_AND_SQUARE,
    parameterSet: 'm31-fast',
    known: { k: 5n },
    witness: { rows: 3 },
  },
];

/** Texts that are no definition, each an example changed in one place. */
const REFUSED = {
  'two equal members': FIBONACCI.replace('"field"', '"field":"goldilocks","field"'),
  'a member that the format does not have': FIBONACCI.replace('"field"', '"note":"","field"'),
  'a member is missing': FIBONACCI.replace('"periodic":[],', ''),
  'a negative zero': FIBONACCI.replace('"row":0', '"row":-0'),
  'an exponent': FIBONACCI.replace('"node":2', '"node":2e0'),
  'a fraction': FIBONACCI.replace('"node":2', '"node":2.0'),
  'a zero before a number': FIBONACCI.replace('"node":2', '"node":02'),
  'a number of 10^9': FIBONACCI.replace('"node":2', '"node":1000000000'),
  'an escape': FIBONACCI.replace('"format"', '"f\\u006frmat"'),
  'an escaped solidus': FIBONACCI.replace('air/1', 'air\\/1'),
  null: FIBONACCI.replace('"row":0', '"row":null'),
  true: FIBONACCI.replace('"row":0', '"row":true'),
  'a tab within a string': FIBONACCI.replace('"shift"', '"shi\tft"'),
  'a delete within a string': FIBONACCI.replace('"shift"', '"shi\u007fft"'),
  'a letter beyond ASCII': FIBONACCI.replace('"shift"', '"schübe"'),
  'a byte order mark': `\ufeff${FIBONACCI}`,
  'a form feed between tokens': `\f${FIBONACCI}`,
  'something after its end': `${FIBONACCI}{}`,
  'a comma too many': FIBONACCI.replace('"result"]', '"result",]'),
  'another format': FIBONACCI.replace('air/1', 'air/2'),
  'another field': FIBONACCI.replace('goldilocks', 'babybear'),
  'a capital letter in a name': FIBONACCI.replace('"shift"', '"Shift"'),
  'a public input named rows': FIBONACCI.replaceAll('"first"', '"rows"'),
  'a name twice in its list': FIBONACCI.replace('"sum"', '"shift"'),
  'an unknown column': FIBONACCI.replace('["next","a"]', '["next","c"]'),
  'an element of p': UP_AND_SQUARE.replace('["const","1"]', '["const","2147483647"]'),
  'an element with a zero before': UP_AND_SQUARE.replace('["const","1"]', '["const","01"]'),
  'an element as a number': UP_AND_SQUARE.replace('["const","1"]', '["const",1]'),
  'a period of three': UP_AND_SQUARE.replace('["1","0"]', '["1","0","0"]'),
  'a period of one': UP_AND_SQUARE.replace('["1","0"]', '["1"]'),
  'an operand that is no earlier node': FIBONACCI.replace('["sub",0,1]', '["sub",0,2]'),
  'a node that stands twice': FIBONACCI.replace('["cur","a"]', '["cur","b"]'),
  'a node that nothing needs': FIBONACCI.replace('["sub",3,5]]', '["sub",3,5],["const","1"]]'),
  'a node of degree 4': UP_AND_SQUARE.replace('["mul",7,8]', '["mul",8,8]'),
  'a constraint without a column': UP_AND_SQUARE.replace('"node":11}', '"node":11},{"name":"turn","node":7}'),
  'two constraints of one node': FIBONACCI.replace('"node":6}', '"node":6},{"name":"again","node":2}'),
  'a constraint that is zero whatever stands in the rows': FIBONACCI.replace('["sub",0,1]', '["sub",0,0]'),
  'a column that nothing names': FIBONACCI.replace('["a","b"]', '["a","b","c"]'),
  'a public input that nothing names': FIBONACCI.replace('["first",', '["zeroth","first",'),
  'a row of 64': FIBONACCI.replace('"row":0', '"row":64'),
  'a cell that is fixed twice': FIBONACCI.replace('"column":"b","row":0', '"column":"a","row":0'),
  'a value of a cell that is a column': FIBONACCI.replace('["public","first"]', '["cur","a"]'),
};

const hex = bytes => Buffer.from(bytes).toString('hex');

async function answersOf({ name, text, parameterSet, known, witness }, backend) {
  const definition = readDefinition(text);
  const air = ownAir(definition, known);
  const parameters = parametersOf(PARAMETER_SETS[parameterSet], TRACE_LENGTH, BLOWUP_FACTOR, false);
  const { proof, publicInputs } = await prove({ air, witness, parameters, contextDomain: name, backend });
  return {
    ...{ name, text, canonical: definition.canonical, id: definition.id, airDigest: hex(airDigest(air)) },
    ...{ contextDomain: name, publicInputs: air.publicInputsToJson(publicInputs), parameterSet },
    stateAfterStatement: hex(startTranscript(air, publicInputs, parameters, name).digest()),
    proof: Buffer.from(proof).toString('base64'),
  };
}

/** The code for which a text is refused. @throws where it is read */
function codeOf(text) {
  try {
    readDefinition(text);
  } catch (error) {
    if (error instanceof DefinitionError) return error.code;
    throw error;
  }
  throw new Error(`a text that must be refused is read: ${text}`);
}

/** Everything that own-vectors.json holds. @throws where a text that must be refused is read */
export async function ownAnswers() {
  const backend = await createWasmBackend({ threads: 1 });
  try {
    const definitions = [];
    for (const example of EXAMPLES) definitions.push(await answersOf(example, backend));
    const refused = Object.entries(REFUSED).map(([why, text]) => ({ why, code: codeOf(text), text }));
    return { definitions, refused };
  } finally {
    await backend.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { format } = await import('prettier');
  const text = await format(JSON.stringify(await ownAnswers()), { parser: 'json' });
  writeFileSync(join(import.meta.dirname, 'own-vectors.json'), text);
}
