import { goldilocks } from '@svc/kernels';
import { SeededRandom } from '@svc/kernels/testing';
import { type OwnDefinition } from './definition.js';
import { commitmentOf } from './gadgets.js';
import * as gallery from './gallery.js';
import * as inputs from './gallery-inputs.js';
import { type MerklePath, merkleRoot } from './merkle-path.js';
import {
  checkOwnTrace,
  columnSources,
  makeOwnTrace,
  type OwnStatement,
  sentColumns,
  type StatementError,
} from './own-trace.js';

const P = goldilocks.modulus;
const IS_LONG = process.env.SUITE_TIER === 'long';
/** True statements, and false ones of each kind. */
const DRAWN = IS_LONG ? 250 : 3;
/** Of the constraints of each, one in so many is taken away. */
const SPARED_EVERY = IS_LONG ? 1 : 12;

const random = new SeededRandom(2_026);
const whole = (below: number) => Math.floor(random.uniform(0, below));
const many = <T>(count: number, draw: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => draw(i));
const elements = (count: number) => many(count, () => BigInt(whole(2 ** 32)) * BigInt(whole(2 ** 31)));
const rowsOf = ({ rows }: OwnStatement) => rows + 1 + whole(70);

/** One drawn statement: what it should make public, or why it should break, as a plain program finds it. */
interface Drawn {
  readonly statement: OwnStatement;
  readonly shows?: Readonly<Record<string, bigint>>;
  /** Names of constraints or columns that may be what breaks. */
  readonly breaks?: RegExp;
}
interface Exhibit {
  readonly definition: OwnDefinition;
  readonly truth: () => Drawn;
  readonly lies: Readonly<Record<string, () => Drawn>>;
}
const numbered = (name: string, values: readonly bigint[]) =>
  Object.fromEntries(values.map((value, i) => [`${name}_${i}`, value]));
const claiming = (drawn: Drawn, claim: Record<string, bigint>, breaks: RegExp): Drawn => ({
  statement: { ...drawn.statement, publicInputs: { ...drawn.statement.publicInputs, ...claim } },
  breaks,
});
const otherDigest = (truth: () => Drawn) => (): Drawn => {
  const drawn = truth();
  return claiming(drawn, { seal_2: (drawn.shows!['seal_2'] + 1n) % P }, /^seal_s2$/);
};

function drawReadings(change: (list: bigint[], sum: bigint) => bigint): Drawn {
  const readings = many(1 + whole(5), () => BigInt(whole(65_536)));
  const salt = elements(4);
  const least = change(
    readings,
    readings.reduce((sum, each) => sum + each, 0n),
  );
  const seal = numbered(
    'seal',
    commitmentOf(
      'goldilocks',
      salt,
      readings.map(each => [each]),
    ),
  );
  return {
    statement: inputs.readingsAtLeast(readings, least, salt),
    shows: { least: (least + P) % P, ...seal },
  };
}
const readings = () => drawReadings((_, sum) => sum - BigInt(whole(Number(sum / 2n) + 1) % 65_536));

function drawEntries(lastOf: (balance: bigint) => bigint): Drawn {
  const opening = BigInt(whole(1_000));
  let balance = opening;
  const entries = many(1 + whole(5), () => {
    const entry = BigInt(whole(2_000)) - (balance > 1_000n ? 1_000n : balance);
    balance += entry;
    return entry;
  });
  const last = lastOf(balance);
  const salt = elements(4);
  const all = [...entries, last].map(entry => (entry + P) % P);
  const seal = numbered(
    'seal',
    commitmentOf(
      'goldilocks',
      salt,
      all.map(each => [each]),
    ),
  );
  return {
    statement: inputs.entriesFrom(opening, all, salt),
    shows: { opening, closing: (balance + last + P) % P, ...seal },
  };
}
const entries = () => drawEntries(balance => -balance);

function drawScore(
  leastOf: (score: bigint) => bigint,
  change: (weights: bigint[]) => void = () => undefined,
): Drawn {
  const weights = many(16, () => BigInt(whole(2 ** 32)));
  const features = many(16, () => BigInt(whole(2 ** 20)));
  const salt = elements(4);
  const least = leastOf(weights.reduce((sum, weight, i) => sum + weight * features[i], 0n));
  const blocks = many(4, block => weights.slice(4 * block, 4 * block + 4));
  const seal = numbered('seal', commitmentOf('goldilocks', salt, blocks));
  change(weights);
  return {
    statement: inputs.scoreAtLeast(weights, features, least, salt),
    shows: { ...numbered('feature', features), least, ...seal },
  };
}
const score = () => drawScore(whole_ => whole_ - BigInt(whole(2 ** 40)));

function drawMember(): Drawn & {
  readonly path: MerklePath;
  readonly secret: bigint[];
  readonly context: bigint[];
} {
  const [secret, context] = [elements(4), elements(4)];
  const depth = 1 + whole(4);
  const path = { siblings: many(depth, () => elements(4)), isRight: many(depth, () => random.chance(0.5)) };
  return {
    ...{ path, secret, context },
    statement: inputs.memberOf(secret, context, path),
    shows: {
      ...numbered('context', context),
      ...numbered('nullifier', gallery.memberNullifier(secret, context)),
      ...numbered('root', merkleRoot(gallery.memberLeaf(secret), path)),
    },
  };
}

function drawSamples(change: (samples: [bigint, bigint][]) => void = () => undefined): Drawn {
  const settings = {
    setpoint: BigInt(20_000 + whole(1_000)),
    proportional: BigInt(whole(500)),
    integral: BigInt(whole(50)),
  };
  let errors = 0n;
  const samples = many(1 + whole(5), (): [bigint, bigint] => {
    const y = settings.setpoint + BigInt(whole(1_000) - 500);
    const u = inputs.commandOf(settings, y, errors);
    errors += settings.setpoint - y;
    return [y, u];
  });
  change(samples);
  const salt = elements(4);
  const seal = numbered(
    'seal',
    commitmentOf(
      'goldilocks',
      salt,
      samples.map(([y, u]) => [y, (u + P) % P]),
    ),
  );
  return { statement: inputs.samplesOf(settings, samples, salt), shows: { ...settings, ...seal } };
}

const EXHIBITS: Readonly<Record<string, Exhibit>> = {
  'a mean of readings': {
    definition: gallery.meanOfReadings().definition(),
    truth: readings,
    lies: {
      'claims one more': () => ({ ...drawReadings((_, sum) => sum + 1n), breaks: /^total$/ }),
      'claims a sum that wraps': () => ({
        ...drawReadings((_, sum) => sum - (P - 5n)),
        breaks: /^total$/,
      }),
      'has a reading out of range': () => ({
        ...drawReadings((list, sum) => ((list[0] += 65_536n), sum)),
        breaks: /^reading$/,
      }),
      'is of other readings than were committed to': otherDigest(readings),
    },
  },
  'a balance that never went negative': {
    definition: gallery.balanceNeverNegative().definition(),
    truth: entries,
    lies: {
      'goes below zero once': () => ({ ...drawEntries(balance => -balance - 1n), breaks: /^balance$/ }),
      'goes above 32 bits': () => ({ ...drawEntries(balance => 2n ** 32n - balance), breaks: /^balance$/ }),
      'closes elsewhere': () => {
        const drawn = entries();
        return claiming(drawn, { closing: drawn.shows!['closing'] + 1n }, /^balance$/);
      },
      'is of other entries than were committed to': otherDigest(entries),
    },
  },
  'a score by hidden weights': {
    definition: gallery.scoreOfFeatures().definition(),
    truth: score,
    lies: {
      'claims one more': () => ({ ...drawScore(sum => sum + 1n), breaks: /^total$/ }),
      'has other weights': () => {
        const { statement, shows } = drawScore(
          sum => sum - 2n ** 59n,
          weights => (weights[whole(16)] ^= 1n),
        );
        const { seal_0, seal_1, seal_2, seal_3 } = shows!;
        return claiming({ statement }, { seal_0, seal_1, seal_2, seal_3 }, /^(seal_s\d|total)$/);
      },
      'is of other features': () => {
        const drawn = drawScore(sum => sum);
        return claiming(drawn, { feature_7: drawn.shows!['feature_7'] + 1n }, /^total$/);
      },
    },
  },
  'a member with a nullifier': {
    definition: gallery.memberWithNullifier().definition(),
    truth: drawMember,
    lies: {
      'is under another root': () => {
        const drawn = drawMember();
        return claiming(drawn, { root_1: (drawn.shows!['root_1'] + 1n) % P }, /^node_1$/);
      },
      'shows the nullifier of another context': () => {
        const drawn = drawMember();
        const other = gallery.memberNullifier(drawn.secret, elements(4));
        return claiming(drawn, numbered('nullifier', other), /^hash_s\d$/);
      },
      'shows the nullifier of another secret': () => {
        const drawn = drawMember();
        return claiming(
          drawn,
          numbered('nullifier', gallery.memberNullifier(elements(4), drawn.context)),
          /^hash_s\d$/,
        );
      },
      'begins with another secret than its leaf': () => {
        const { statement } = drawMember();
        return {
          statement: { ...statement, start: { ...statement.start, hash_s1: 5n } },
          breaks: /^begun_1$/,
        };
      },
    },
  },
  'a controller': {
    definition: gallery.controllerKeptItsLaw().definition(),
    truth: () => drawSamples(),
    lies: {
      'gave a command one too high': () => ({
        ...drawSamples(list => (list[whole(list.length)][1] += 1n)),
        breaks: /^law$/,
      }),
      'gave a command one too low': () => ({
        ...drawSamples(list => (list[whole(list.length)][1] -= 1n)),
        breaks: /^law$/,
      }),
      'committed to a plant out of bounds': () => {
        const { statement, shows } = drawSamples(list => (list[0][0] += 65_536n));
        const seal = Object.entries(shows!).filter(([name]) => name.startsWith('seal'));
        return claiming({ statement }, Object.fromEntries(seal), /^(seal_s\d|range|law)$/);
      },
      'is of other samples than were committed to': otherDigest(() => drawSamples()),
    },
  },
};

describe.each(Object.entries(EXHIBITS))('%s', (_name, { definition, truth, lies }) => {
  it('holds where a plain program says so, and shows what that computes', () => {
    for (let i = 0; i < DRAWN; i++) {
      const { statement, shows } = truth();
      expect(makeOwnTrace(definition, statement, rowsOf(statement)).publicInputs).toEqual(shows);
    }
  });

  it.each(Object.entries(lies))('does not hold where it %s', (_lie, draw) => {
    for (let i = 0; i < DRAWN; i++) {
      const { statement, breaks } = draw();
      let fault: StatementError | undefined;
      try {
        makeOwnTrace(definition, statement, rowsOf(statement));
      } catch (error) {
        fault = error as StatementError;
      }
      expect(`${fault?.broken?.constraint ?? fault?.broken?.column}`).toMatch(breaks!);
    }
  });

  it('has no constraint to spare: without any one of them a trace passes that breaks it', () => {
    const { statement } = truth();
    const looked = definition.constraints.filter((_, at) => at % SPARED_EVERY === 0);
    const spared = looked.filter(({ name }) => !cheatWithout(name, definition, statement));
    expect(spared.map(({ name }) => name)).toEqual([]);
  });
});

/**
 * Whether there is a trace that keeps all but one constraint: what the one gives, or else what it speaks of, is changed in one cell, and all else
 * follows from it.
 */
function cheatWithout(name: string, definition: OwnDefinition, statement: OwnStatement): boolean {
  const rowCount = statement.rows + 1;
  const { rows } = statement;
  const honest = makeOwnTrace(definition, statement, rowCount).columns;
  const rest = { ...definition, constraints: definition.constraints.filter(each => each.name !== name) };
  const cellsOf = (column: string) => honest[definition.columns.indexOf(column)];
  const stepped = [...columnSources(rest).stepped.keys()].map(at => definition.columns[at]);
  const used = definition.nodes.flatMap(node =>
    node.op === 'public' ? [definition.publicInputs[node.at]] : [],
  );
  const named = Object.entries(statement.publicInputs ?? {}).filter(([input]) => used.includes(input));
  const isCheat = (changed: OwnStatement): boolean => {
    try {
      const { columns, publicInputs } = makeOwnTrace(rest, changed, rowCount);
      return checkOwnTrace(definition, columns, publicInputs, rows, rowCount)?.constraint === name;
    } catch {
      // Something else notices this change; another may pass.
      return false;
    }
  };
  // With what is sent as it is, and once with the bits of a number that is changed following it.
  return [[], statement.hints ?? []].some(hints => {
    const sent = sentColumns(rest, hints);
    const wasSent = sentColumns(definition, hints);
    const base = {
      ...{ rows, hints, publicInputs: Object.fromEntries(named) },
      start: Object.fromEntries(stepped.map(column => [column, cellsOf(column)[0]])),
      given: Object.fromEntries(sent.map(column => [column, cellsOf(column).slice(0, rows)])),
      filler: Object.fromEntries(sent.map(column => [column, cellsOf(column)[rows]])),
    };
    const changedBy = (row: number, changes: Record<string, bigint>) => {
      const given = { ...base.given };
      for (const [column, change] of Object.entries(changes)) {
        given[column] = given[column].slice();
        given[column][row] = (given[column][row] + change + P) % P;
      }
      return { ...base, given };
    };
    const freed = sent.filter(column => !wasSent.includes(column));
    const spoken = columnsOf(definition, name).filter(column => sent.includes(column));
    const cheats = (freed.length > 0 ? freed : spoken).flatMap(column =>
      [31, 1, 0, rows - 32, rows - 20, 40]
        .filter(row => row < rows)
        .flatMap(row => [1n, 2n, -1n].map(change => changedBy(row, { [column]: change }))),
    );
    return [
      ...cheats,
      ...neighbours(name, sent).flatMap(pair => [1, rows - 20].map(row => changedBy(row, pair))),
      ...stepped.map(column => ({
        ...base,
        start: { ...base.start, [column]: (base.start[column] + 1n) % P },
      })),
    ].some(isCheat);
  });
}

/** Two bits of one number, of which the one is no bit any more and the other makes up for it. */
function neighbours(name: string, sent: readonly string[]): Record<string, bigint>[] {
  const at = Number(/^bit_(\d+)$/.exec(name)?.[1] ?? NaN);
  const [other, factor] = at === 0 ? ['bit_1', 2n] : [`bit_${at - 1}`, goldilocks.inverse(2n)];
  if (!sent.includes(name) || !sent.includes(other)) return [];
  return [1n, -1n].map(change => ({ [other]: change, [name]: -change * factor }));
}

/** The columns that a constraint speaks of. */
function columnsOf({ nodes, constraints, columns }: OwnDefinition, name: string): string[] {
  const open = [constraints.find(each => each.name === name)!.node];
  const seen = new Set<number>();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const found = nodes[node];
    if (!seen.has(node) && 'left' in found) open.push(found.left, found.right);
    seen.add(node);
  }
  return [
    ...new Set(
      [...seen].flatMap(at => {
        const node = nodes[at];
        return node.op === 'cur' || node.op === 'next' ? [columns[node.at]] : [];
      }),
    ),
  ];
}
