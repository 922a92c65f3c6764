import { SeededRandom } from '@svc/kernels/testing';
import { readFileSync } from 'node:fs';
import {
  type Claimed,
  elementOf,
  otherBalance,
  otherController,
  otherMean,
  otherMember,
  otherScore,
  sealOf,
} from '../testing/other-gallery.js';
import { type OwnDefinition, readDefinition } from './definition.js';
import * as gallery from './gallery.js';
import * as inputs from './gallery-inputs.js';
import { type MerklePath, merkleRoot } from './merkle-path.js';
import { makeOwnTrace, type OwnStatement, StatementError } from './own-trace.js';

/** The same five statements as somebody wrote them who had not seen ours. */
const OTHERS = JSON.parse(
  readFileSync(new URL('../testing/other-gallery.json', import.meta.url), 'utf8'),
) as Record<string, string>;

/** Statements that are true, and as many that are false, of each kind. */
const DRAWN = process.env.SUITE_TIER === 'long' ? 200 : 3;
const random = new SeededRandom(31);
const whole = (below: number) => BigInt(Math.floor(random.uniform(0, below)));
const pick = <T>(list: readonly T[]): T => random.pick(list);
const many = <T>(count: number | bigint, draw: (i: number) => T): T[] =>
  Array.from({ length: Number(count) }, (_, i) => draw(i));
const element = () => whole(2 ** 32) * whole(2 ** 31);
const four = () => many(4, element);
/** Near an end of a range, or anywhere in it. */
const edgy = (most: number) => pick([whole(3), BigInt(most) - whole(3), whole(most), whole(most)]);
const numbered = (name: string, values: readonly bigint[]) =>
  Object.fromEntries(values.map((value, i) => [`${name}_${i}`, value]));
const sumOf = (list: readonly bigint[]) => list.reduce((sum, each) => sum + each, 0n);

/** The same hidden and public values, as either definition takes them. */
interface Drawn {
  readonly house: OwnStatement;
  readonly other: OwnStatement;
}
interface Kind {
  readonly definition: () => OwnDefinition;
  readonly truth: () => Drawn;
  readonly lies: readonly (() => Drawn)[];
}
const claiming = (house: OwnStatement, claimed: Claimed): OwnStatement => ({
  ...house,
  publicInputs: { ...house.publicInputs, ...claimed },
});

function mean(readings: readonly bigint[], least: bigint, claimed: Claimed = {}): Drawn {
  const salt = four();
  const said =
    Object.keys(claimed).length > 0
      ? claimed
      : sealOf(
          salt,
          readings.map(each => [each]),
        );
  return {
    house: claiming(inputs.readingsAtLeast(readings, least, salt), said),
    other: otherMean(readings, least, salt, said),
  };
}
const readings = () => many(1n + whole(4), () => edgy(65_535));

function balance(opening: bigint, entries: readonly bigint[], claimed: Claimed = {}): Drawn {
  const salt = four();
  const closing = elementOf(opening + sumOf(entries));
  const said = {
    closing,
    ...sealOf(
      salt,
      entries.map(each => [each]),
    ),
    ...claimed,
  };
  const house = inputs.entriesFrom(elementOf(opening), entries.map(elementOf), salt);
  return { house: claiming(house, said), other: otherBalance(opening, entries.map(elementOf), salt, said) };
}
/** An opening, entries that keep the balance in its range, and what it comes to. */
function account() {
  const opening = edgy(2 ** 32 - 1);
  let now = opening;
  const entries = many(whole(4), () => {
    const after = edgy(2 ** 32 - 1);
    const entry = after - now;
    now = after;
    return entry;
  });
  return { opening, entries, now };
}

function score(
  change: (drawn: { weights: bigint[]; features: bigint[]; least: bigint }) => Claimed | void,
): Drawn {
  const [salt, weights] = [four(), many(16, () => edgy(2 ** 32 - 1))];
  const features = many(16, () => edgy(2 ** 20 - 1));
  const drawn = { weights, features, least: sumOf(weights.map((weight, i) => weight * features[i])) };
  const claimed = change(drawn) ?? {};
  const blocks = [0, 4, 8, 12].map(k => drawn.weights.slice(k, k + 4));
  const said = { ...sealOf(salt, blocks), ...claimed };
  const { least } = drawn;
  return {
    house: claiming(inputs.scoreAtLeast(drawn.weights, drawn.features, least, salt), said),
    other: otherScore(drawn.weights, drawn.features, least, salt, said),
  };
}

function member(
  claim: (of: { secret: bigint[]; context: bigint[]; path: MerklePath; leaf: bigint[] }) => Claimed,
): Drawn {
  const [secret, context, depth] = [four(), four(), Number(whole(5))];
  const path = { siblings: many(depth, four), isRight: many(depth, () => random.chance(0.5)) };
  const leaf = gallery.memberLeaf(secret);
  const said = {
    ...numbered('root', merkleRoot(leaf, path)),
    ...numbered('nullifier', gallery.memberNullifier(secret, context)),
    ...claim({ secret, context, path, leaf }),
  };
  return {
    house: claiming(inputs.memberOf(secret, context, path), said),
    other: otherMember(secret, context, path, said),
  };
}

function controller(change: (samples: [bigint, bigint][]) => Claimed | void): Drawn {
  const [salt, setpoint] = [four(), 1_000n + whole(60_000)];
  // A tie needs an odd multiple of 512: gains that are multiples of it have them often.
  const settings = { setpoint, proportional: pick([512n * whole(4), whole(2_000)]), integral: whole(50) };
  let errors = 0n;
  const samples = many(1n + whole(3), (): [bigint, bigint] => {
    const y = setpoint + whole(60) - 30n;
    const u = inputs.commandOf(settings, y, errors);
    errors += setpoint - y;
    return [y, u];
  });
  const claimed = change(samples) ?? {};
  const said = { ...sealOf(salt, samples), ...claimed };
  return {
    house: claiming(inputs.samplesOf(settings, samples, salt), said),
    other: otherController(settings, samples, salt, said),
  };
}

const KINDS: Readonly<Record<string, Kind>> = {
  mean: {
    definition: () => gallery.meanOfReadings().definition(),
    truth: () => {
      const list = readings();
      const sum = sumOf(list);
      return mean(list, pick([sum, sum - whole(Math.min(Number(sum) + 1, 65_535)), sum]));
    },
    lies: [
      () => ((list: bigint[]) => mean(list, sumOf(list) + 1n + whole(3)))(readings()),
      () => mean([...readings(), pick([65_536n, 65_536n + whole(2 ** 20), 2n ** 32n])], whole(3)),
      () => mean(readings(), 0n, sealOf(four(), [[1n]])),
    ],
  },
  balance: {
    definition: () => gallery.balanceNeverNegative().definition(),
    truth: () => (({ opening, entries }) => balance(opening, entries))(account()),
    lies: [
      () => (({ opening, entries, now }) => balance(opening, [...entries, -now - 1n - whole(2)]))(account()),
      () => (({ opening, entries, now }) => balance(opening, [...entries, -now - 1n, now + 1n]))(account()),
      () =>
        (({ opening, entries, now }) => balance(opening, [...entries, 2n ** 32n - now + whole(9)]))(
          account(),
        ),
      () => (({ opening, entries, now }) => balance(opening, entries, { closing: now + 1n }))(account()),
      () => (({ opening, entries }) => balance(opening, entries, { seal_1: element() }))(account()),
    ],
  },
  score: {
    definition: () => gallery.scoreOfFeatures().definition(),
    truth: () => score(drawn => void (drawn.least -= pick([0n, whole(2 ** 30), drawn.least]))),
    lies: [
      () => score(drawn => void (drawn.least += 1n + whole(3))),
      () =>
        score(drawn => {
          drawn.weights[Number(whole(16))] = 2n ** 32n + whole(2 ** 31);
          drawn.least = whole(2);
        }),
      () => score(drawn => ((drawn.least = 0n), sealOf(four(), [drawn.weights.slice(0, 4)]))),
    ],
  },
  member: {
    definition: () => gallery.memberWithNullifier().definition(),
    truth: () => member(() => ({})),
    lies: [
      () => member(() => ({ [`root_${whole(4)}`]: element() })),
      () => member(() => ({ [`nullifier_${whole(4)}`]: element() })),
      () => member(({ secret, path }) => numbered('root', merkleRoot(secret, path))),
      () => member(({ secret, context }) => numbered('nullifier', gallery.memberNullifier(context, secret))),
      () =>
        member(({ path: { siblings, isRight }, leaf }) => {
          const longer = { siblings: [...siblings, four()], isRight: [...isRight, false] };
          return numbered('root', merkleRoot(leaf, longer));
        }),
    ],
  },
  controller: {
    definition: () => gallery.controllerKeptItsLaw().definition(),
    truth: () => controller(() => undefined),
    lies: [
      () => controller(samples => void (pick(samples)[1] += pick([1n, -1n, 1_024n]))),
      () => controller(samples => void (samples[0][0] = pick([65_536n, 70_000n]))),
      () => controller(samples => sealOf(four(), samples)),
    ],
  },
};

/** Whether a trace keeps a definition and comes to all that is said to be public. */
function holds(definition: OwnDefinition, statement: OwnStatement): boolean {
  try {
    const { publicInputs } = makeOwnTrace(definition, statement, statement.rows + 1 + Number(whole(70)));
    return Object.entries(statement.publicInputs ?? {}).every(
      ([name, value]) => publicInputs[name] === elementOf(value),
    );
  } catch (error) {
    if (error instanceof StatementError) return false;
    throw error;
  }
}

describe.each(Object.entries(KINDS))('%s, as somebody else wrote it', (name, { definition, truth, lies }) => {
  const house = definition();
  const other = readDefinition(OTHERS[name]);
  const verdicts = (drawn: Drawn) => [holds(house, drawn.house), holds(other, drawn.other)];

  it('is another definition, and holds of the same values', () => {
    expect(other.id).not.toBe(house.id);
    for (let i = 0; i < DRAWN; i++) expect([i, ...verdicts(truth())]).toEqual([i, true, true]);
  });

  it('does not hold of the same values', () => {
    for (let i = 0; i < DRAWN; i++) {
      const lie = lies[i % lies.length];
      expect([i, ...verdicts(lie())]).toEqual([i, false, false]);
    }
  });
});
