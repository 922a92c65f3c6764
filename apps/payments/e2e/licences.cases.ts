import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { licencesContract } from '@svc/contracts';
import { type SigningSeed, signingSeedsOf } from '@svc/platform';
import { checkLicenceKey, parseLicenceKey } from '@svc/protocols';
import { DataSource } from 'typeorm';
import { Accounts } from '../src/account/accounts.js';
import { LicenceIssuer, type NewLicence } from '../src/licence/licence-issuer.js';
import {
  LICENCE_SIGNING_SEEDS,
  LicenceKeys,
  licenceKeysOf,
  verifyEd25519,
} from '../src/licence/licence-keys.js';
import { type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';

const DAY_MS = 86_400_000;
const OLD = SECRETS.LICENCE_SIGNING_SEEDS;
const NEW = 'a-new-licence-seed-of-32-characters-or-more';
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const keysOf = (text: string) => licenceKeysOf({ secrets: { [LICENCE_SIGNING_SEEDS]: text } });

let fixture: PaymentsFixture;
let issuer: LicenceIssuer;

const check = (licenseKey: string) => fixture.bus.call(licencesContract.check, { licenseKey });
const codeOf = async (licenceKey: string) => (await check(licenceKey)).code;
const work = <T>(run: (manager: DataSource['manager']) => Promise<T>) => fixture.database.transaction(run);
const account = () =>
  work(manager => new Accounts().create(manager, { kind: 'purchased', plan: 'enterprise' }));

async function issue(changes: Partial<NewLicence> = {}, by = issuer) {
  const accountId = changes.accountId ?? (await account());
  const expiresAt = new Date(Date.now() + 30 * DAY_MS);
  const licence = {
    accountId,
    tier: 'enterprise',
    features: ['sdk', 'audit'],
    seats: 5,
    expiresAt,
    ...changes,
  };
  return { accountId, expiresAt: licence.expiresAt, ...(await work(manager => by.issue(manager, licence))) };
}

export function describeLicences(): void {
  describe('licences', () => {
    beforeAll(async () => {
      fixture = await startPayments();
      issuer = new LicenceIssuer(keysOf(OLD));
    });
    afterAll(() => fixture.close());

    it('says of a licence key that was issued what it grants and until when', async () => {
      const { licenceKey, licenceId, expiresAt } = await issue();
      const verdict = await check(licenceKey);
      expect(verdict).toEqual({
        valid: true,
        code: 'VALID',
        tier: 'enterprise',
        features: ['sdk', 'audit'],
        expiresAt: new Date(Math.floor(expiresAt.getTime() / 1_000) * 1_000).toISOString(),
        licenseId: licenceId,
        keyId: keysOf(OLD).currentKid(Date.now()),
        checkedAt: expect.any(String),
      });
      expect(Math.abs(Date.parse(verdict.checkedAt) - Date.now())).toBeLessThan(10_000);
    });

    it('publishes the keys that licence keys verify against without asking', async () => {
      const { licenceKey } = await issue();
      const { keys } = await fixture.bus.call(licencesContract.keys, {});
      expect(keys).toEqual([
        expect.objectContaining({ alg: 'Ed25519', use: 'licence-key', revokedAt: null }),
      ]);
      expect(JSON.stringify(keys)).not.toContain(OLD);
      expect(await checkLicenceKey(licenceKey, keys, Date.now(), verifyEd25519)).toMatchObject({
        code: 'VALID',
      });
    });

    it('says nothing that a key claims before it is known to be signed here', async () => {
      const { accountId, licenceKey } = await issue();
      const forged = await issue({ accountId }, new LicenceIssuer(keysOf(NEW)));
      const nothing = {
        valid: false,
        tier: null,
        features: [],
        expiresAt: null,
        licenseId: null,
        keyId: null,
      };
      expect(await check(forged.licenceKey)).toMatchObject({ ...nothing, code: 'BAD_SIGNATURE' });
      expect(await check('sam1.x.y')).toMatchObject({ ...nothing, code: 'MALFORMED' });
      const [prefix, payload, signature] = licenceKey.split('.');
      expect(await codeOf(`${prefix}.${payload}.${signature.split('').reverse().join('')}`)).not.toBe(
        'VALID',
      );
    });

    it('knows no licence that it has not in its book, though its own key signed it', async () => {
      const { licenceKey } = await issue();
      const { licence } = parseLicenceKey(licenceKey)!;
      const keys = keysOf(OLD);
      for (const changed of [
        { ...licence, id: 'lic_AAAAAAAAAAAAAAAAAAAAAA' },
        { ...licence, tier: 'developer' },
        { ...licence, seats: 1_000 },
        { ...licence, features: ['everything'] },
        { ...licence, acct: 'acct_00000000000000000000' },
      ]) {
        const verdict = await check(keys.sign(changed));
        expect(verdict).toMatchObject({ code: 'UNKNOWN', valid: false, tier: null, licenseId: null });
      }
    });

    it('is suspended, restored and revoked with its account, and what was revoked stays revoked', async () => {
      const { accountId, licenceKey, licenceId } = await issue();
      const elsewhere = await issue();
      const set = (state: 'active' | 'suspended' | 'revoked') =>
        work(manager => issuer.setState(manager, accountId, state));
      expect(await set('suspended')).toBe(1);
      expect(await set('suspended')).toBe(0);
      expect(await check(licenceKey)).toMatchObject({
        valid: false,
        code: 'SUSPENDED',
        licenseId: licenceId,
      });
      expect(await set('active')).toBe(1);
      expect(await codeOf(licenceKey)).toBe('VALID');
      expect(await set('revoked')).toBe(1);
      expect(await codeOf(licenceKey)).toBe('REVOKED');
      expect(await set('active')).toBe(0);
      expect(await codeOf(licenceKey)).toBe('REVOKED');
      await expect(fixture.database.query(`UPDATE licence SET state = 'active'`)).rejects.toThrow(
        'was revoked',
      );
      expect(await codeOf(elsewhere.licenceKey)).toBe('VALID');
    });

    it('expires, and says so rather than that it is suspended only where it is neither suspended nor revoked', async () => {
      const { accountId, licenceKey, licenceId } = await issue();
      await fixture.database.query(
        `UPDATE licence SET issued_at = now() - interval '2 days', expires_at = now() - interval '1 day'
      WHERE licence_id = $1`,
        [licenceId],
      );
      expect(await check(licenceKey)).toMatchObject({ valid: false, code: 'EXPIRED', licenseId: licenceId });
      await work(manager => issuer.setState(manager, accountId, 'suspended'));
      expect(await codeOf(licenceKey)).toBe('SUSPENDED');
    });

    it('comes out the same whenever it is asked for again, and as a new text where it was renewed', async () => {
      const { licenceKey, licenceId, expiresAt } = await issue();
      const keyOf = () => work(manager => issuer.keyOf(manager, licenceId));
      expect([await keyOf(), await keyOf()]).toEqual([licenceKey, licenceKey]);
      const later = new Date(expiresAt.getTime() + 30 * DAY_MS);
      const renewed = await work(manager => issuer.renew(manager, licenceId, later));
      expect(renewed).not.toBe(licenceKey);
      expect(await keyOf()).toBe(renewed);
      expect((await check(renewed)).expiresAt!.slice(0, 10)).toBe(later.toISOString().slice(0, 10));
      // The text from before holds to the end that it names.
      expect((await check(licenceKey)).expiresAt!.slice(0, 10)).toBe(expiresAt.toISOString().slice(0, 10));
      await expect(work(manager => issuer.keyOf(manager, 'lic_unknown'))).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('of a licence that was shortened ends for whoever asks when the licence does', async () => {
      const { licenceKey, licenceId } = await issue();
      const sooner = new Date(Date.now() + DAY_MS);
      await work(manager => issuer.renew(manager, licenceId, sooner));
      expect((await check(licenceKey)).expiresAt!.slice(0, 10)).toBe(sooner.toISOString().slice(0, 10));
    });

    it('survives the rotation of its signing key, and is signed anew only once that key is given up', async () => {
      const { licenceKey, licenceId } = await issue();
      const keyBy = (seeds: string) =>
        work(manager => new LicenceIssuer(keysOf(seeds)).keyOf(manager, licenceId));
      const verdictBy = async (text: string, seeds: string) =>
        (await checkLicenceKey(text, keysOf(seeds).published(), Date.now(), verifyEd25519)).code;
      const rotated = `${OLD}:2026-01-01:${dayFromNow(1)},${NEW}:${dayFromNow(-1)}`;
      expect(await keyBy(rotated)).toBe(licenceKey);
      expect(await verdictBy(licenceKey, rotated)).toBe('VALID');
      expect((await issue({}, new LicenceIssuer(keysOf(rotated)))).licenceKey).toMatch(/^sam1\./);
      expect(keysOf(rotated).currentKid(Date.now())).toBe(keysOf(NEW).currentKid(Date.now()));

      const givenUp = `${OLD}:revoked=${dayFromNow(-1)},${NEW}`;
      expect(await verdictBy(licenceKey, givenUp)).toBe('BAD_SIGNATURE');
      const anew = await keyBy(givenUp);
      expect(anew).not.toBe(licenceKey);
      expect(await verdictBy(anew, givenUp)).toBe('VALID');
      expect(parseLicenceKey(anew)!.licence.id).toBe(licenceId);
    });

    it('is not issued while no key may sign, nor for what no key can hold, and then leaves nothing behind', async () => {
      const accountId = await account();
      const later: SigningSeed = { ...signingSeedsOf('S', { S: NEW })[0], notBeforeMs: Date.now() + DAY_MS };
      const none = new LicenceIssuer(new LicenceKeys([later]));
      await expect(issue({ accountId }, none)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await expect(issue({ accountId, seats: 0 })).rejects.toThrow(RangeError);
      await expect(issue({ accountId, expiresAt: new Date(0) })).rejects.toThrow(RangeError);
      await expect(issue({ accountId: 'acct_00000000000000000000' })).rejects.toThrow(/foreign key/);
      expect(await work(manager => issuer.ofAccount(manager, accountId))).toEqual([]);
    });
  });
}
