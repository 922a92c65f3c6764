import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeyHolder, speckleContract } from '@svc/contracts';
import { fractionalHammingDistance, reproduceKey } from '@svc/speckle';
import { SurfaceAttacker, type Told } from '@svc/speckle/testing';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { MINT, picture, speckleClient } from './speckle-fixture.js';

const SLAB = { slabId: 'slab-under-attack' };
/** By figures, a picture that matches takes 121. */
const TRIES_TO_MATCH = 170;
/** Enough for figures to tell of the bits, which by chance agree to 0.5 ± 0.0125. */
const TRIES_SAMPLED = 30;
const SEED = 2;

let department: DepartmentFixture;
let enrolled: Awaited<ReturnType<ReturnType<typeof speckleClient>['enrol']>>;
async function startAttacked(): Promise<void> {
  department = await startDepartment(
    // No try is refused, and no answer waits.
    { variables: { SANDBOX_CARD_MARKET: 'off', SPECKLE_TRIES_PER_DAY: '1000000' } },
    { speckle: { answerEveryMs: 1 } },
  );
  enrolled = await speckleClient(department).enrol(await picture(1), SLAB.slabId);
}

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

/** Of the usable bits, how many the attacker has right. */
function agreement(attacker: SurfaceAttacker): number {
  const [bits, mask] = [enrolled.fingerprintHex, enrolled.maskHex].map(hex =>
    Buffer.from(hex.slice(2), 'hex'),
  );
  return 1 - fractionalHammingDistance({ bits: attacker.bits(), mask }, { bits, mask }).fhd;
}

/** @param more tests of so many tries, each going on where the last one ended, after which most bits are out */
export function describeToldFigures(more: readonly number[] = []): void {
  describe('whoever asks about many pictures, and were told the figures, as the owner is', () => {
    const attacker = new SurfaceAttacker(image => ask(image, {}, MINT), SEED);
    beforeAll(startAttacked);
    afterAll(() => department?.close());

    it('would know of the bits', async () => {
      await attacker.attack(TRIES_SAMPLED);
      expect(agreement(attacker)).toBeGreaterThan(0.55);
    });

    if (more.length > 0)
      it('would paint one that matches', async () => {
        expect(await attacker.attack(TRIES_TO_MATCH)).toBe(true);
      });

    for (const tries of more)
      it(`would go on, and know three quarters of the bits after ${more.at(-1)} tries: ${tries}`, async () => {
        while (attacker.tries < tries) await attacker.attack(attacker.tries + 50);
        if (tries === more.at(-1)) expect(agreement(attacker)).toBeGreaterThan(0.7);
      });
  });
}

/** What the department answers as long as the tests hold: nothing but that the picture shows something else. */
const MISMATCH: Told = { verdict: 'mismatch' };

/**
 * @param parts a test each, of so many tries in all, which goes on where the last one ended
 * @param from so many tries are another suite's, whose tests hold what each of them is told: the attacker makes them, is told that
 *   without the department, and goes on with the picture that comes next
 */
export function describeToldVerdict(parts: readonly number[] = [TRIES_SAMPLED], from = 0): void {
  describe('whoever asks about many pictures, and is told the verdict', () => {
    let goesOn = false;
    const attacker = new SurfaceAttacker(async (image, tries) => {
      if (!goesOn) return MISMATCH;
      return ask(image, { verificationToken: enrolled.verificationToken }, callerOf(tries));
    }, SEED);
    beforeAll(async () => {
      await startAttacked();
      await attacker.attack(from);
      goesOn = true;
    });
    afterAll(() => department?.close());

    it.each(parts)('has neither a match nor the key after %i tries', async tries => {
      expect(await attacker.attack(tries)).toBe(false);
      expect(attacker.tries).toBeGreaterThanOrEqual(tries);
      expect(agreement(attacker)).toBeLessThan(0.55);
      expect(hasKey(attacker)).toBe(false);
    });
  });
}
