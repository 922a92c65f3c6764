import { describe, expect, it } from '@jest/globals';
import bolt11 from 'bolt11';
import fc from 'fast-check';
import { decode as peerDecode } from 'light-bolt11-decoder';
import { decodeInvoice, INVOICE_CHARS_MAX, InvoiceError, signInvoice } from './bolt11.js';
import { type InvoiceContent, INVOICE_PREFIXES } from './invoice-content.js';

/** Private key and node id of the examples of BOLT 11. */
const nodeKey = 'e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734';
const nodeId = '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad';
const content = {
  network: 'regtest',
  amountSats: 2,
  paymentHash: '01'.repeat(32),
  paymentSecret: '02'.repeat(32),
  description: 'STARK proof of an execution trace',
  createdAt: 1_770_000_000,
  expirySeconds: 600,
} as const;

describe('BOLT 11 invoice', () => {
  it('reads the published example "1 cup coffee"', () => {
    const example =
      'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh';
    expect(decodeInvoice(example, 'mainnet')).toEqual({
      network: 'mainnet',
      amountSats: 250_000,
      paymentHash: '0001020304050607080900010203040506070809000102030405060708090102',
      paymentSecret: '11'.repeat(32),
      description: '1 cup coffee',
      createdAt: 1_496_314_658,
      expirySeconds: 60,
      payeeNodeKey: nodeId,
    });
  });

  it('reads back as signed, with the key that signed it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 86_400 }),
        (amountSats, expirySeconds) => {
          const signed = { ...content, amountSats, expirySeconds };
          expect(decodeInvoice(signInvoice(signed, nodeKey), 'regtest')).toEqual({
            ...signed,
            payeeNodeKey: nodeId,
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is byte for byte what the bolt11 package signs, whatever it says', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.integer({ min: 1, max: 2_000 }),
          fc.integer({ min: 1, max: 10_000 }).map(mega => mega * 100_000),
        ),
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.string({ unit: 'grapheme-ascii', maxLength: 100 }),
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        fc.integer({ min: 1, max: 10 ** 6 }),
        fc.constantFrom('mainnet', 'regtest', 'signet'),
        (amountSats, hashes, description, createdAt, expirySeconds, network) => {
          const hex = Buffer.from(hashes).toString('hex');
          const [paymentHash, paymentSecret] = [hex.slice(0, 64), hex.slice(64)];
          const said = {
            network,
            amountSats,
            paymentHash,
            paymentSecret,
            description,
            createdAt,
            expirySeconds,
          } as const;
          expect(signInvoice(said, nodeKey)).toBe(signedByPackage(said));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('states amount, description, hash, secret and expiry to an independent decoder', () => {
    const { sections } = peerDecode(signInvoice(content, nodeKey));
    const value = (name: string) =>
      (sections.find(section => section.name === name) as { value?: unknown }).value;
    expect([
      value('amount'),
      value('description'),
      value('payment_hash'),
      value('payment_secret'),
      value('expiry'),
      value('timestamp'),
    ]).toEqual([
      '2000',
      content.description,
      content.paymentHash,
      content.paymentSecret,
      600,
      content.createdAt,
    ]);
    expect(value('feature_bits')).toMatchObject({ var_onion_optin: 'required', payment_secret: 'required' });
  });

  it('of another network, cut short, too long, or altered is refused', () => {
    const invoice = signInvoice(content, nodeKey);
    expect(() => decodeInvoice(invoice, 'mainnet')).toThrow(InvoiceError);
    expect(() => decodeInvoice(invoice.slice(0, -1), 'regtest')).toThrow(InvoiceError);
    expect(() => decodeInvoice('l'.repeat(INVOICE_CHARS_MAX + 1), 'regtest')).toThrow(/2049 characters/);
    for (let index = 8; index < invoice.length; index += 7) {
      const altered =
        invoice.slice(0, index) + (invoice[index] === 'q' ? 'p' : 'q') + invoice.slice(index + 1);
      expect(() => decodeInvoice(altered, 'regtest')).toThrow(InvoiceError);
    }
  });

  it('meets any text with nothing but a typed error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map(text => `lnbcrt${text}`),
        ),
        text => {
          expect(() => decodeInvoice(text, 'regtest')).toThrow(InvoiceError);
        },
      ),
    );
  });
});

function signedByPackage(said: InvoiceContent): string | undefined {
  const unsigned = bolt11.encode({
    network: {
      bech32: INVOICE_PREFIXES[said.network],
      pubKeyHash: 0,
      scriptHash: 5,
      validWitnessVersions: [0, 1],
    },
    satoshis: said.amountSats,
    timestamp: said.createdAt,
    tags: [
      { tagName: 'payment_hash', data: said.paymentHash },
      { tagName: 'payment_secret', data: said.paymentSecret },
      { tagName: 'description', data: said.description },
      { tagName: 'expire_time', data: said.expirySeconds },
      { tagName: 'min_final_cltv_expiry', data: 18 },
      {
        tagName: 'feature_bits',
        data: {
          word_length: 3,
          var_onion_optin: { required: true, supported: false },
          payment_secret: { required: true, supported: false },
        },
      },
    ],
  });
  return bolt11.sign(unsigned, nodeKey).paymentRequest;
}
