import { readFileSync } from 'node:fs';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { decode } from 'light-bolt11-decoder';
import { decodeBolt11, INVOICE_CHARS_MAX } from './bolt11.js';

interface Vector {
  title: string;
  invoice: string;
}
const vectors = JSON.parse(readFileSync(new URL('./bolt11.vectors.json', import.meta.url), 'utf8')) as {
  valid: Vector[];
  invalid: Vector[];
};
/** What our decoder leaves to the wallet: signature and features. */
const OF_THE_WALLET = /Signature is not recoverable|Missing required `s` field|Non canonical signature/;
/** The independent decoder throws on this one. */
const IGNORED_FIELDS = 'Same, but including fields which must be ignored.';

function sectionsOf(invoice: string): Record<string, unknown> {
  const { sections, expiry } = decode(invoice.toLowerCase());
  const byName = Object.fromEntries(
    sections.map(section => [section.name, 'value' in section && section.value]),
  );
  return { ...byName, expiry };
}

describe('decodeBolt11', () => {
  test.each(
    vectors.valid
      .filter(({ title }) => title !== IGNORED_FIELDS)
      .map(({ title, invoice }) => [title.slice(0, 70), invoice]),
  )('agrees with an independent decoder on the BOLT 11 example: %s', (_, invoice) => {
    const peer = sectionsOf(invoice);
    const decoded = decodeBolt11(invoice);
    const createdAt = peer['timestamp'] as number;
    const amount = peer['amount'];
    expect(decoded).toEqual({
      ok: true,
      invoice: {
        network: invoice.toLowerCase().startsWith('lntb') ? 'testnet' : 'mainnet',
        amountMsats: typeof amount === 'string' ? BigInt(amount) : undefined,
        paymentHash: peer['payment_hash'],
        createdAt,
        expiresAt: createdAt + ((peer['expiry'] as number | undefined) ?? 3_600),
      },
    });
  });

  test('skips fields of a wrong length, as BOLT 11 asks of a reader', () => {
    const [plain, padded] = [`Please send $30 for coffee beans to the same peer`, IGNORED_FIELDS].map(
      title => vectors.valid.find(vector => vector.title.startsWith(title))?.invoice ?? '',
    );
    expect(decodeBolt11(padded)).toEqual(decodeBolt11(plain));
    expect(decodeBolt11(padded)).toMatchObject({ ok: true, invoice: { amountMsats: 2_500_000_000n } });
  });

  test('takes no payment hash from a field of another length that comes first', () => {
    const { invoice } = vectors.valid[0];
    const { prefix, words } = bech32.decode(invoice as `${string}1${string}`, false);
    const shortHash = [1, 0, 2, 31, 31];
    const changed = bech32.encode(prefix, [...words.slice(0, 7), ...shortHash, ...words.slice(7)], false);
    expect(decodeBolt11(changed)).toEqual(decodeBolt11(invoice));
  });

  test('reads the amount of 9678785340 pico-bitcoin as 967878534 millisatoshis', () => {
    const invoice = vectors.valid.find(vector => vector.invoice.startsWith('lnbc9678785340p'))?.invoice ?? '';
    expect(decodeBolt11(invoice)).toMatchObject({ invoice: { amountMsats: 967_878_534n } });
  });

  test.each(
    vectors.invalid
      .filter(({ title }) => !OF_THE_WALLET.test(title))
      .map(({ title, invoice }) => [title, invoice]),
  )('refuses the invalid example of BOLT 11: %s', (_, invoice) => {
    expect(decodeBolt11(invoice)).toMatchObject({ ok: false });
  });

  test('refuses every invoice with one changed character', () => {
    const { invoice } = vectors.valid[1];
    const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
    const start = invoice.lastIndexOf('1') + 1;
    fc.assert(
      fc.property(
        fc.integer({ min: start, max: invoice.length - 1 }),
        fc.integer({ min: 1, max: 31 }),
        (at, shift) => {
          const other = charset[(charset.indexOf(invoice[at]) + shift) % 32];
          expect(decodeBolt11(invoice.slice(0, at) + other + invoice.slice(at + 1))).toMatchObject({
            ok: false,
          });
        },
      ),
    );
  });

  test('never throws on any text', () => {
    const invoiceLike = fc.stringMatching(/^ln(bc|bcrt|tb)[0-9]{0,4}[munp]?1[02-9ac-hj-np-z]{0,400}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), invoiceLike), text => {
        expect(typeof decodeBolt11(text).ok).toBe('boolean');
      }),
      { numRuns: 1_000 },
    );
    expect(decodeBolt11('l'.repeat(INVOICE_CHARS_MAX + 1))).toMatchObject({
      reason: expect.stringContaining('at most 4096'),
    });
  });
});
