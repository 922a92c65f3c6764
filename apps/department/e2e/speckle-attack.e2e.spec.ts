import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeyHolder, speckleContract } from '@svc/contracts';
import { byTier } from '@svc/platform/testing';
import { reproduceKey } from '@svc/speckle';
import { SurfaceAttacker } from '@svc/speckle/testing';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { MINT, picture, speckleClient } from './speckle-fixture.js';

const SLAB = { slabId: 'slab-under-attack' };
/** By figures, a picture that matches takes 82, and the key 1,202. */
const [TRIES_TO_MATCH, TRIES_TO_KEY] = [120, 1_600];
const TRIES = byTier(TRIES_TO_MATCH, 5_000);
/** Each part is a test, which goes on where the last one ended. */
const partsOf = (tries: number, parts: number) =>
  Array.from({ length: parts }, (_, part) => (tries * (part + 1)) / parts);

let department: DepartmentFixture;
let enrolled: Awaited<ReturnType<ReturnType<typeof speckleClient>['enrol']>>;
beforeAll(async () => {
  department = await startDepartment(
    // No try is refused, and no answer waits.
    { variables: { SANDBOX_CARD_MARKET: 'off', SPECKLE_TRIES_PER_DAY: '1000000' } },
    { speckle: { answerEveryMs: 1 } },
  );
  enrolled = await speckleClient(department).enrol(await picture(1), SLAB.slabId);
}, 120_000);
afterAll(() => department?.close());

const ask = (image: Uint8Array, more: object, by?: KeyHolder) =>
  department.bus.call(speckleContract.verify, { request: { ...SLAB, ...more }, image, ...(by && { by }) });

/** Another caller each time: an account, or somebody without a key. Of addresses the department knows nothing. */
const callerOf = (tries: number): KeyHolder | undefined =>
  tries % 2 === 0
    ? undefined
    : { ...MINT, accountId: `acct_${tries.toString(36).padStart(20, 'z')}`, keyId: 'k'.repeat(16) };

const hasKey = (attacker: SurfaceAttacker) =>
  reproduceKey(
    attacker.bits(),
    Buffer.from(enrolled.helperData!, 'base64'),
    Buffer.from(enrolled.keyCommitment!.slice(2), 'hex'),
  ).ok;

describe('whoever asks about many pictures', () => {
  describe('and were told the figures, as the owner is', () => {
    it('would paint one that matches', async () => {
      const attacker = new SurfaceAttacker(image => ask(image, {}, MINT), 1);
      expect(await attacker.attack(TRIES_TO_MATCH)).toBe(true);
    });

    const attacker = new SurfaceAttacker(image => ask(image, {}, MINT), 2);
    for (const tries of byTier([], partsOf(TRIES_TO_KEY, 4)))
      it(`would go on, and have the key after ${TRIES_TO_KEY} tries: ${tries}`, async () => {
        while (attacker.tries < tries) await attacker.attack(tries);
        if (tries === TRIES_TO_KEY) expect(hasKey(attacker)).toBe(true);
      });
  });

  describe('and is told the verdict', () => {
    const attacker = new SurfaceAttacker(
      (image, tries) => ask(image, { verificationToken: enrolled.verificationToken }, callerOf(tries)),
      1,
    );
    it.each(partsOf(TRIES, byTier(1, 10)))('has neither a match nor the key after %i tries', async tries => {
      expect(await attacker.attack(tries)).toBe(false);
      expect(attacker.tries).toBeGreaterThanOrEqual(tries);
      expect(hasKey(attacker)).toBe(false);
    });
  });
});
