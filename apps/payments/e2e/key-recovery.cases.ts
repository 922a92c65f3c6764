import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type PaymentCredential, RECOVERY_PAUSE_SECONDS, RECOVERY_SECONDS } from '@svc/contracts';
import {
  attenuate,
  decodeBase64,
  decodeMacaroon,
  encodeBase64,
  encodeMacaroon,
  priceOf,
} from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { KEYS_A_DAY_MAX } from '../src/account/api-keys.js';
import { DerivedCredit } from '../src/account/derived-credit.js';
import { HolderKeys } from '../src/account/holder-keys.js';
import { KeyRecovery } from '../src/account/key-recovery.js';
import { PayerAccounts } from '../src/account/payer-accounts.js';
import { LightningRail } from '../src/lightning/lightning-rail.js';
import { SandboxLightning } from '../src/lightning/sandbox-lightning.js';
import { paymentKeysOf } from '../src/payments-config.js';
import type { Rail, RailFamily } from '../src/rail/rail.js';
import { type AccountsFixture, startAccounts, tally } from './account-fixture.js';
import { SECRETS } from './payments-fixture.js';

const keys = paymentKeysOf({ production: false, secrets: SECRETS });
const node = new SandboxLightning('a secret of the sandbox of at least 32 characters');
const BASE = 'https://svc.example';
type Wallet = ReturnType<typeof freshWallet>;
const freshWallet = () => privateKeyToAccount(generatePrivateKey());
const lower = ({ address }: Wallet) => address.toLowerCase();

let fixture: AccountsFixture;
let derived: DerivedCredit;
let rail: LightningRail;
let recovery: KeyRecovery;

const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const holderOf = (key: string) => fixture.keys.authenticate(key).then(({ accountId }) => accountId);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ code }: { code: string }) => code,
  );

/** A payment that bought nothing, and whose amount lies on the account that came of it. */
async function left(family: RailFamily, proofKey: string, payer?: string, accountId?: string) {
  const { key } = derived.keyOf(family, proofKey);
  const own = await derived.ensure(fixture.database.manager, family, proofKey);
  await query(
    `INSERT INTO payment_claim (claim_id, rail_family, proof_key, operation_id, request_digest, credential_digest, state,
       attempt, lease_until, amount_micro_usd, amount_sats, receipt, payer, credit_account_id)
     VALUES ($1, $2, $3, 'zk.prove', repeat('ab', 32), repeat('ab', 32), 'credited', 1, now(), 1000, 2, '{}', $4, $5)`,
    [randomUUID(), family, proofKey, payer ?? null, accountId ?? own],
  );
  return { accountId: own, key };
}
const leftBy = (wallet: Wallet, accountId?: string) =>
  left('x402', `eip155:84532:usdc:${randomUUID()}`, `x402:${lower(wallet)}`, accountId);

/** Two credentials of one paid invoice. */
async function paidInvoice() {
  const { offers, paymentHash } = await rail.quote({
    ...{ price: priceOf('zk.prove'), description: 'A proof', realm: 'svc.example', resource: BASE },
    ...{ jti: 'j', expiresAtMs: Date.now() + 600_000 },
  });
  const header = (name: string) => offers.find(offer => offer.rail === name)!.wwwAuthenticate!;
  const param = (text: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)![1];
  const { preimage } = node.pay(param(header('l402'), 'invoice'));
  const macaroon = param(header('l402'), 'macaroon');
  const names = ['id', 'realm', 'method', 'intent', 'request', 'expires'];
  const challenge = Object.fromEntries(names.map(name => [name, param(header('mpp-lightning'), name)]));
  const charge = Buffer.from(JSON.stringify({ challenge, payload: { preimage } })).toString('base64url');
  const l402 = (token: string): PaymentCredential => ({ scheme: 'L402', value: `${token}:${preimage}` });
  return {
    ...{ paymentHash: paymentHash!, macaroon, l402 },
    charge: { scheme: 'Payment', value: charge } satisfies PaymentCredential,
  };
}

async function signed(wallet: Wallet, more: { accountId?: string; by?: Wallet } = {}) {
  const { by = wallet, ...asked } = more;
  const { challenge, message } = await recovery.challenge({
    ...{ address: wallet.address, baseUrl: BASE },
    ...asked,
  });
  return { challenge, signature: await by.signMessage({ message: message! }) };
}
const aChallenge = async () => (await recovery.challenge({ baseUrl: BASE })).challenge;
const outcome = (work: Promise<unknown>) => work.then(() => ({ outcome: 'made' }));

export function describeKeyRecovery(): void {
  describe('a key that was lost', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      derived = new DerivedCredit(fixture.database, fixture.secrets);
      rail = new LightningRail(node, keys);
      await rail.open();
      const wallets = {
        family: 'x402',
        walletNetwork: 'eip155:84532',
        reads: () => false,
      } as unknown as Rail;
      const accounts = new PayerAccounts(fixture.database, derived);
      recovery = new KeyRecovery(fixture.database, accounts, fixture.keys, keys, [rail, wallets]);
    });
    afterAll(async () => {
      await rail?.close();
      await fixture?.close();
    });

    it('is made anew for the wallet that paid: the new one opens the account, all others end', async () => {
      const wallet = freshWallet();
      const { accountId, key } = await leftBy(wallet);
      const second = await fixture.keys.issue(fixture.database.manager, accountId);
      const made = await recovery.recover(await signed(wallet));
      expect(await holderOf(made.key)).toBe(accountId);
      expect(made).toMatchObject({ accountId, balanceMicroUsd: 0 });
      for (const ended of [key, second.key]) expect(await codeOf(holderOf(ended))).toBe('UNKNOWN_CREDENTIAL');
      const [row] = await query(
        `SELECT key_id, rail_family, ended_keys, row_to_json(key_recovery)::text AS text FROM key_recovery WHERE account_id = $1`,
        [accountId],
      );
      expect([row.key_id, row.rail_family]).toEqual([made.keyId, 'x402']);
      expect(row.ended_keys.sort()).toEqual([...made.revoked].sort());
      expect(row.ended_keys).toContain(second.keyId);
      expect(row.text).not.toContain(made.key.slice(-43));
    });

    it('is made anew for who shows the L402 or the Lightning credential whole', async () => {
      for (const scheme of ['L402', 'Payment'] as const) {
        const paid = await paidInvoice();
        const { accountId } = await left('lightning', paid.paymentHash);
        const credential = scheme === 'L402' ? paid.l402(paid.macaroon) : paid.charge;
        const made = await recovery.recover({ challenge: await aChallenge(), credential });
        expect(await holderOf(made.key)).toBe(accountId);
      }
    });

    it('is not for who was handed a narrower macaroon, nor for another preimage, macaroon or scheme', async () => {
      const [paid, other] = [await paidInvoice(), await paidInvoice()];
      const { key, accountId } = await left('lightning', paid.paymentHash);
      const narrowed = attenuate(decodeMacaroon(decodeBase64(paid.macaroon, 4_096)!), 'note=for a colleague');
      for (const credential of [
        paid.l402(encodeBase64(encodeMacaroon(narrowed))),
        other.l402(paid.macaroon),
        { scheme: 'L402' as const, value: `${paid.macaroon}:${'00'.repeat(32)}` },
        { scheme: 'L402' as const, value: 'x' },
        { ...paid.charge, value: paid.charge.value.slice(0, -8) },
      ]) {
        const asked = recovery.recover({ challenge: await aChallenge(), credential });
        expect(['IDENTITY_UNPROVED', 'PAYMENT_MALFORMED']).toContain(await codeOf(asked));
      }
      const x402 = { scheme: 'x402' as const, value: 'an authorisation, which the chain shows to everybody' };
      const asked = recovery.recover({ challenge: await aChallenge(), credential: x402 });
      expect(await codeOf(asked)).toBe('PAYMENT_METHOD_UNSUPPORTED');
      const unspent = recovery.recover({
        challenge: await aChallenge(),
        credential: other.l402(other.macaroon),
      });
      expect(await codeOf(unspent)).toBe('NOT_FOUND');
      expect(await holderOf(key)).toBe(accountId);
    });

    it('is not for another wallet’s signature, one of another message, or one of another challenge', async () => {
      const [wallet, thief] = [freshWallet(), freshWallet()];
      const { key, accountId } = await leftBy(wallet);
      const own = await signed(wallet);
      const elsewhere = await recovery.challenge({
        address: wallet.address,
        baseUrl: 'https://phish.example',
      });
      for (const [challenge, signature] of [
        [own.challenge, (await signed(wallet, { by: thief })).signature],
        [own.challenge, await thief.signMessage({ message: 'anything' })],
        [own.challenge, (await signed(wallet)).signature],
        [own.challenge, await wallet.signMessage({ message: elsewhere.message! })],
        [own.challenge, `0x${'00'.repeat(65)}`],
        [await signed(thief).then(each => each.challenge), own.signature],
      ]) {
        expect(await codeOf(recovery.recover({ challenge, signature }))).toBe('IDENTITY_UNPROVED');
      }
      expect(await codeOf(recovery.recover(await signed(thief)))).toBe('NOT_FOUND');
      expect(await codeOf(recovery.recover({ challenge: own.challenge }))).toBe('VALIDATION_FAILED');
      expect(await codeOf(recovery.recover({ ...own, challenge: `${own.challenge}A` }))).toBe(
        'VALIDATION_FAILED',
      );
      expect(await holderOf(key)).toBe(accountId);
    });

    it('is one, of fifty at once with one challenge, and with fifty', async () => {
      const wallet = freshWallet();
      const { accountId } = await leftBy(wallet);
      const own = await signed(wallet);
      const same = await tally(Array.from({ length: 50 }, () => outcome(recovery.recover(own))));
      expect(same).toEqual({ made: 1, CONFLICT: 49 });
      const rows = await query(`SELECT 1 FROM key_recovery WHERE account_id = $1`, [accountId]);
      expect(rows).toHaveLength(1);
      const fresh = await Promise.all(Array.from({ length: 50 }, () => signed(wallet)));
      expect(await tally(fresh.map(each => outcome(recovery.recover(each))))).toEqual({ RATE_LIMITED: 50 });
      await fixture.owner.query(
        `UPDATE payments.key_recovery SET made_at = now() - make_interval(secs => $1)`,
        [RECOVERY_PAUSE_SECONDS + 1],
      );
      expect(await tally(fresh.map(each => outcome(recovery.recover(each))))).toEqual({
        ...{ made: 1, RATE_LIMITED: 49 },
      });
      const live = await fixture.keys.live(fixture.database.manager, accountId);
      expect(live).toHaveLength(1);
    });

    it('is one of those whose payments are shown with one challenge at once', async () => {
      const paid = await Promise.all(Array.from({ length: 6 }, paidInvoice));
      for (const { paymentHash } of paid) await left('lightning', paymentHash);
      const challenge = await aChallenge();
      const tried = paid.map(({ l402, macaroon }) =>
        outcome(recovery.recover({ challenge, credential: l402(macaroon) })),
      );
      expect(await tally(tried)).toEqual({ made: 1, CONFLICT: 5 });
    });

    it('leaves nothing to who has the old one: no key of his that waits for the account is made, none is replaced or ended', async () => {
      const wallet = freshWallet();
      const { accountId, key } = await leftBy(wallet);
      const thief = await fixture.keys.authenticate(key);
      const made = await recovery.recover(await signed(wallet));
      const holders = new HolderKeys(fixture.keys, fixture.limits);
      const { manager } = fixture.database;
      for (const act of [
        () => holders.create(manager, thief, {}),
        () => holders.rotate(manager, thief, made.keyId, 0),
        () => holders.revoke(manager, accountId, made.keyId, { force: true, by: thief }),
      ])
        expect(await codeOf(act())).toBe('UNKNOWN_CREDENTIAL');
      expect(await fixture.keys.live(manager, accountId)).toMatchObject([{ keyId: made.keyId }]);
    });

    it('is made where a thief has used up the keys of the day, and twenty times in one', async () => {
      const wallet = freshWallet();
      const { accountId } = await leftBy(wallet);
      const { manager } = fixture.database;
      for (let key = 0; key < KEYS_A_DAY_MAX; key++) await fixture.keys.issue(manager, accountId);
      expect(await codeOf(fixture.keys.requireRoom(manager, accountId))).toBe('RATE_LIMITED');
      expect((await recovery.recover(await signed(wallet))).accountId).toBe(accountId);
      await fixture.owner.query(
        `INSERT INTO payments.key_recovery (nonce, account_id, key_id, rail_family, ended_keys, made_at)
         SELECT uuid_send(gen_random_uuid()), account_id, key_id, rail_family, ended_keys, now() - interval '23 hours'
           FROM payments.key_recovery, generate_series(1, 19) WHERE account_id = $1`,
        [accountId],
      );
      await expect(recovery.recover(await signed(wallet))).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        payload: { retryAfterSeconds: expect.closeTo(3_600, -2), extensions: { max: 20, got: 20 } },
      });
    });

    it('is not made by a challenge whose minutes are over', async () => {
      const wallet = freshWallet();
      await leftBy(wallet);
      const own = await signed(wallet);
      const later = Date.now() + RECOVERY_SECONDS * 1_000;
      const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
      const code = await codeOf(recovery.recover(own)).finally(() => clock.mockRestore());
      expect(code).toBe('EXPIRED');
      expect((await recovery.recover(own)).key).toMatch(/^svc_test_/);
    });

    it('of a wallet with several accounts is that of the one which the signed challenge names', async () => {
      const wallet = freshWallet();
      const [first, second] = [await leftBy(wallet), await leftBy(wallet)];
      const refused = recovery.recover(await signed(wallet));
      await expect(refused).rejects.toMatchObject({
        code: 'CONFLICT',
        payload: { errors: [{ path: 'accountId', bound: expect.arrayContaining([first.accountId]) }] },
      });
      const made = await recovery.recover(await signed(wallet, { accountId: second.accountId }));
      expect(made.accountId).toBe(second.accountId);
      expect(await holderOf(first.key)).toBe(first.accountId);
    });

    it('is not that of an account to which a payment went back, and which another had bought', async () => {
      const wallet = freshWallet();
      const bought = await fixture.customer();
      await leftBy(wallet, bought.accountId);
      const other = await left('x402', `eip155:84532:usdc:${randomUUID()}`, `x402:${lower(freshWallet())}`);
      await leftBy(wallet, other.accountId);
      for (const accountId of [bought.accountId, other.accountId])
        expect(await codeOf(recovery.recover(await signed(wallet, { accountId })))).toBe('NOT_FOUND');
      expect(await holderOf(bought.key)).toBe(bought.accountId);
    });

    it('of a wallet that an escrow was claimed for is made too, and an address with a slip is refused', async () => {
      const wallet = freshWallet();
      const accountId = await derived.ensureWallet(fixture.database.manager, lower(wallet));
      expect((await recovery.recover(await signed(wallet))).accountId).toBe(accountId);
      const slip = '0x8ba1f109551bd432803012645Ac136ddd64DBA72';
      await expect(recovery.challenge({ address: slip, baseUrl: BASE })).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
        payload: { errors: [{ path: 'address', got: slip }] },
      });
      const { message } = await recovery.challenge({ address: lower(wallet), baseUrl: BASE });
      expect(message).toContain(`\n${wallet.address}\n`);
      const without = new KeyRecovery(fixture.database, undefined as never, fixture.keys, keys, [rail]);
      expect(await codeOf(without.challenge({ address: wallet.address, baseUrl: BASE }))).toBe(
        'UNPROCESSABLE',
      );
    });

    it('is on record for a year', async () => {
      await fixture.owner
        .query(`UPDATE payments.key_recovery SET made_at = now() - interval '366 days' WHERE nonce = (
        SELECT nonce FROM payments.key_recovery LIMIT 1)`);
      expect(await recovery.purge()).toBe(1);
      expect(await recovery.purge()).toBe(0);
    });
  });
}
