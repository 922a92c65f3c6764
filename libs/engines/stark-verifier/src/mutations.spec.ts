import { jest } from '@jest/globals';
import { Transcript } from '@svc/kernels';
import { type Air, airDigest, airIds, findAir } from '@svc/stark-air';
import { claimOf, laxPolicy, proofVectors } from './testing/node/proof-vectors.js';
import { TranscriptTag } from './statement.js';
import { verify } from './verify.js';

// Deletes one absorbed message, one drawn challenge or one constraint at a time. Each must be missed: a protocol in which
// honest proofs pass without it would not bind it.
afterEach(() => jest.restoreAllMocks());

const honest = proofVectors.map(vector => [vector.name, vector] as const);

describe.each(Object.entries(TranscriptTag))('without the message %s', (name, tag) => {
  it.each(honest)('no honest proof verifies (%s)', (_, vector) => {
    const claim = claimOf(vector);
    const policy = laxPolicy(vector.parameters);
    expect(verify(claim, policy).valid).toBe(true);
    let dropped = 0;
    const absorb = Transcript.prototype.absorb;
    jest.spyOn(Transcript.prototype, 'absorb').mockImplementation(function (this: Transcript, own, data) {
      if (own === tag) dropped++;
      else absorb.call(this, own, data);
    });
    const verdict = verify(claim, policy);
    // Short traces have one layer, which is committed nowhere.
    if (name === 'layerCap' && dropped === 0) expect(verdict.valid).toBe(true);
    else expect(verdict.valid).toBe(false);
  });
});

it('commits to a layer in some pinned proof, so that its message is missed too', () => {
  let layers = 0;
  const absorb = Transcript.prototype.absorb;
  jest.spyOn(Transcript.prototype, 'absorb').mockImplementation(function (this: Transcript, tag, data) {
    if (tag === TranscriptTag.layerCap) layers++;
    absorb.call(this, tag, data);
  });
  for (const vector of proofVectors) verify(claimOf(vector), laxPolicy(vector.parameters));
  expect(layers).toBeGreaterThan(0);
});

/** The ways to draw a challenge, and another one than was drawn. */
const DRAWS = {
  drawExtension: (drawn: readonly bigint[]) => drawn.map((c, i) => (i === 0 ? c ^ 1n : c)),
  drawOutsideBase: (drawn: readonly bigint[]) => drawn.map((c, i) => (i === 0 ? c ^ 1n : c)),
  drawPositions: (drawn: readonly number[]) => drawn.map(position => position ^ 1),
} as const;

describe.each(Object.keys(DRAWS) as (keyof typeof DRAWS)[])('with another challenge than %s gives', name => {
  it.each(honest)('no honest proof verifies, whichever it is (%s)', (_, vector) => {
    const claim = claimOf(vector);
    const policy = laxPolicy(vector.parameters);
    const draw = Transcript.prototype[name] as (...args: unknown[]) => never;
    let count = 1;
    for (let index = 0; index < count; index++) {
      let drawn = 0;
      jest.spyOn(Transcript.prototype, name).mockImplementation(function (
        this: Transcript,
        ...args: unknown[]
      ) {
        const challenge = draw.apply(this, args);
        return (drawn++ === index ? DRAWS[name](challenge) : challenge) as never;
      });
      const { valid } = verify(claim, policy);
      count = Math.max(count, drawn);
      // On the circle the point is drawn as any element is.
      if (drawn > 0) expect([index, valid]).toEqual([index, false]);
      else expect([vector.parameters.profile, name]).toEqual(['m31', 'drawOutsideBase']);
      jest.restoreAllMocks();
    }
  });
});

it.each(honest)(
  'a bit at either end and in the midst of every message moves the challenges (%s)',
  (_, vector) => {
    const claim = claimOf(vector);
    const policy = laxPolicy(vector.parameters);
    const absorb = Transcript.prototype.absorb;
    const places = [0, 0.5, 1].flatMap(part => Object.values(TranscriptTag).map(tag => [tag, part] as const));
    for (const [tag, part] of places) {
      let found = false;
      jest.spyOn(Transcript.prototype, 'absorb').mockImplementation(function (this: Transcript, own, data) {
        const altered = data.slice();
        if (own === tag && data.length > 0) {
          found = true;
          altered[Math.floor(part * (altered.length - 1))] ^= part === 0 ? 1 : 128;
        }
        absorb.call(this, own, altered);
      });
      expect(verify(claim, policy).valid).toBe(!found);
      jest.restoreAllMocks();
    }
  },
);

const airs = airIds().flatMap(id =>
  (['goldilocks', 'm31'] as const).flatMap(field => {
    const air = findAir(id, field);
    return air ? [[id, field, air] as const] : [];
  }),
);

it.each(airs)('the digest of %s over %s misses each constraint and each periodic column', (_, __, air) => {
  const digest = Buffer.from(airDigest(air)).toString('hex');
  const changed = (change: Partial<Air>) => Buffer.from(airDigest({ ...air, ...change })).toString('hex');
  air.transitionNames.forEach((_name, i) => {
    const without = changed({
      evaluateTransition: (field, frame) =>
        air.evaluateTransition(field, frame).map((value, j) => (i === j ? field.zero : value)),
    });
    expect(without).not.toBe(digest);
  });
  air.periodicColumns.forEach((_values, i) => {
    const periodicColumns = air.periodicColumns.map((values, j) =>
      i === j ? values.map((value, k) => (k === values.length - 1 ? value ^ 1n : value)) : values,
    );
    expect(changed({ periodicColumns })).not.toBe(digest);
  });
});
