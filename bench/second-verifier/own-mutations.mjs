// Ways to change a claim under a definition: the text, its id, and what stands beside them.
import { createHash } from 'node:crypto';
import { draw, pick, times } from './draw.mjs';
import { spelledOtherwise } from './own-statements.mjs';

/** The greatest length of a text, whatever its canonical form has. */
const TEXT_MOST = 2 ** 20;

/** RFC 8785 of what JSON.parse makes of a text. */
function canonical(json) {
  if (Array.isArray(json)) return `[${json.map(canonical).join(',')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const members = Object.keys(json)
    .sort()
    .map(name => `${JSON.stringify(name)}:${canonical(json[name])}`);
  return `{${members.join(',')}}`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The id that a text would have, were it a definition; that of the claim where it is no JSON. */
function idOf(text, { airId }) {
  const json = parsed(text);
  if (json === undefined) return airId;
  return `air/sha256:${createHash('sha256').update(canonical(json)).digest('hex')}`;
}

/** A claim with another text, under the id of the claim or under that of the text. */
const withText = ({ proof, claim }, air) => ({
  proof,
  claim: { ...claim, air, airId: draw(2) ? idOf(air, claim) : claim.airId },
});

/** A mutation that changes the definition in place; where it finds nothing to change, it leaves the claim as it is. */
const edited = edit => original => {
  const json = parsed(original.claim.air);
  if (typeof json?.nodes?.length !== 'number') return original;
  const before = canonical(json);
  try {
    edit(json);
  } catch (error) {
    // A part that an earlier change took away.
    if (error instanceof TypeError) return original;
    throw error;
  }
  return canonical(json) === before ? original : withText(original, JSON.stringify(json));
};

/** A mutation that replaces a text, at its first place, by another. */
const replaced = (pattern, replacement) => original =>
  withText(original, original.claim.air.replace(pattern, replacement));

/** Another of the values of a list. */
const another = (list, value) => pick(list.filter(each => each !== value));

function changeNode({ nodes, columns }) {
  const at = draw(nodes.length);
  const node = nodes[at];
  const names = ['cur', 'next'].includes(node[0]) ? columns : undefined;
  if (node.length === 3 && draw(2)) node[0] = another(['add', 'sub', 'mul'], node[0]);
  else if (node.length === 3) node[1 + draw(2)] = draw(at + 1);
  else if (names && draw(2)) node[0] = another(['cur', 'next'], node[0]);
  else if (names) node[1] = pick(names);
  else node[1] = String(draw(1_000));
}

function changeConstant({ nodes, boundary }) {
  const constants = [...nodes, ...boundary.map(cell => cell.value)].filter(([kind]) => kind === 'const');
  if (constants.length > 0) pick(constants)[1] = pick([String(draw(1_000)), '18446744069414584321', '01']);
}

function changeCell({ boundary, columns, public: shown }) {
  if (boundary.length === 0) return;
  const cell = pick(boundary);
  const changes = [
    () => (cell.row = pick([0, 1, 62, 63, 64, 'last', 'first', '0'])),
    () => (cell.column = pick(columns)),
    () => (cell.value = ['const', String(draw(100))]),
    () => (cell.value = ['public', pick([...shown, 'rows'])]),
    () => boundary.push({ ...cell }),
    () => boundary.reverse(),
    () => boundary.pop(),
  ];
  pick(changes)();
}

function changeCycle({ periodic }) {
  if (periodic.length === 0) return;
  const { values } = pick(periodic);
  const changes = [
    () => (values[draw(values.length)] = String(draw(1_000))),
    () => values.push(...values),
    () => values.pop(),
    () => periodic.pop(),
    () => periodic.reverse(),
  ];
  pick(changes)();
}

function changeName(json) {
  const named = [...json.constraints, ...json.periodic];
  const name = pick(['x', 'rows', 'x'.repeat(33), 'X', '_x', 'x_1', json.constraints[0].name, '']);
  if (draw(2)) pick(named).name = name;
  else json[pick(['columns', 'public'])].push(name);
}

function changeMember(json) {
  const owners = [json, ...json.constraints, ...json.boundary, ...json.periodic];
  const owner = pick(owners);
  if (draw(2)) owner[pick(['more', 'zeroKnowledge', '__proto', 'note'])] = pick([1, '', []]);
  else delete owner[pick(Object.keys(owner))];
}

/** One character becomes another, goes or comes. */
function changeCharacter(original) {
  const { air } = original.claim;
  const at = draw(air.length);
  const other = pick(['0', '1', 'a', '"', ',', ' ', '\n', '\\', '\u0000', '\u007f', 'é', '\ufeff', ']', '-']);
  return withText(original, air.slice(0, at) + pick([other, '']) + air.slice(at + draw(2)));
}

const ROW = /"row":\s*(\d+)/;
const NODE = /"node":\s*(\d+)/;

/** Every way to change a text. */
const TEXT_MUTATIONS = {
  'definition: node': edited(changeNode),
  'definition: constant': edited(changeConstant),
  'definition: cell': edited(changeCell),
  'definition: cycle': edited(changeCycle),
  'definition: name': edited(changeName),
  'definition: member': edited(changeMember),
  'definition: order of constraints': edited(({ constraints }) => constraints.reverse()),
  'definition: another constraint': edited(({ constraints, nodes }) =>
    constraints.push({ name: 'more', node: draw(nodes.length + 1) }),
  ),
  'definition: field': edited(json => (json.field = another(['goldilocks', 'm31'], json.field))),
  'definition: unused part': edited(json =>
    pick([
      () => json.nodes.push(['const', '77']),
      () => json.columns.push('unused'),
      () => json.public.push('unused'),
      () => json.periodic.push({ name: 'unused', values: ['0', '1'] }),
    ])(),
  ),
  'definition: repeated node': edited(({ nodes }) => nodes.push(pick(nodes))),
  'definition: character': changeCharacter,
  'definition: equal members': replaced(/"(format|field|name|node|row)":\s*("[^"]*"|\d+)/, '$&,$&'),
  'definition: -0': replaced(ROW, '"row":-0'),
  'definition: exponent': replaced(NODE, '"node":$1e0'),
  'definition: fraction': replaced(NODE, '"node":$1.0'),
  'definition: zero before': replaced(NODE, '"node":0$1'),
  'definition: escape': replaced('"format"', '"f\\u006frmat"'),
  'definition: null': replaced(NODE, '"node":null'),
  'definition: deeper': original => withText(original, `[${original.claim.air}]`),
  'definition: longer': original =>
    withText(original, original.claim.air.padEnd(TEXT_MOST + pick([-1, 0, 1, 2]), ' ')),
  'definition: truncated': original =>
    withText(original, original.claim.air.slice(0, draw(original.claim.air.length))),
};

/** Every way to change a claim under a definition. One holds: another spelling of the same definition. */
export const OWN_MUTATIONS = {
  ...TEXT_MUTATIONS,
  'other spelling': ({ proof, claim }) => ({
    proof,
    claim: { ...claim, air: spelledOtherwise(claim.air) },
    holds: true,
  }),
  'definition: several changes': original =>
    times(2 + draw(3), () => pick(Object.values(TEXT_MUTATIONS))).reduce(
      (changed, mutation) => mutation(changed),
      original,
    ),
  'definition: none': ({ proof, claim: { air: _, ...claim } }) => ({ proof, claim }),
  'definition: no text': ({ proof, claim }) => ({
    proof,
    claim: { ...claim, air: pick([null, '', JSON.parse(claim.air), 1, true]) },
  }),
  'definition: other spelling of its id': ({ proof, claim }) => {
    const [prefix, hash] = claim.airId.split(':');
    const airId = pick([
      `${prefix}:${hash.toUpperCase()}`,
      `${prefix}:${hash.slice(1)}`,
      `air/sha512:${hash}`,
      hash,
      `${prefix}:0x${hash}`,
    ]);
    return { proof, claim: { ...claim, airId } };
  },
  'definition: version 2': ({ proof, claim }) => {
    const older = proof.slice();
    older[8] = 2;
    return { proof: older, claim };
  },
  'definition: rows': ({ proof, claim }) => {
    const { rows } = claim.publicInputs;
    const other = pick([
      0,
      1,
      2,
      rows - 1,
      rows + 1,
      rows + 0.5,
      63,
      64,
      2 ** proof[11],
      -rows,
      `${rows}`,
      null,
    ]);
    return { proof, claim: { ...claim, publicInputs: { ...claim.publicInputs, rows: other } } };
  },
};

/** Ways to change a claim of the format's own that only definitions have. @param {string} air a definition */
export const BESIDE_MUTATIONS = {
  'definition beside': ({ proof, claim }, air) => ({ proof, claim: { ...claim, air } }),
  'nothing beside': ({ proof, claim }) => ({ proof, claim: { ...claim, air: pick([null, '']) } }),
};
