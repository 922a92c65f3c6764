import fc from 'fast-check';
import { searchQuery } from './search-query.js';
import { StripeError } from './stripe-error.js';

const payment = {
  id: 'pi_1',
  object: 'payment_intent',
  created: 100,
  amount: 500,
  currency: 'usd',
  status: 'succeeded',
  customer: null,
  metadata: { claim_id: 'A-1', 'with space': "it's" },
};
const finds = (query: string) => searchQuery(query)(payment);

it('finds by fields and metadata, joined by AND or OR, negated or compared', () => {
  const found = [
    `metadata['claim_id']:'A-1'`,
    `metadata["claim_id"]:"a-1"`,
    `metadata['with space']:'it\\'s'`,
    `status:'succeeded' AND metadata['claim_id']:'A-1'`,
    `status:'canceled' OR amount>499`,
    `-currency:'eur' and amount<=500`,
    `metadata['claim_id']~'-'`,
    `metadata['none']:null`,
    `created>=100 created<101`,
  ];
  const notFound = [
    `metadata['claim_id']:'A-2'`,
    `status:'succeeded' AND amount>500`,
    `-metadata['claim_id']:'A-1'`,
    `metadata['toString']~'function'`,
  ];
  expect(found.filter(query => !finds(query))).toEqual([]);
  expect(notFound.filter(query => finds(query))).toEqual([]);
});

it('refuses what is no query', () => {
  const refused = [
    '',
    'x',
    `colour:'red'`,
    `status:'a' AND`,
    `status:'a' OR status:'b' AND status:'c'`,
    `status:'a'b`,
  ];
  for (const query of refused) expect(() => finds(query)).toThrow(StripeError);
});

it('finds any metadata by its own quoted text, and answers any text with a result or a refusal', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  const quoted = (value: string) => `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
  fc.assert(
    fc.property(text, text, (key, value) => {
      const own = { id: 'pi', object: 'payment_intent', metadata: Object.fromEntries([[key, value]]) };
      expect(searchQuery(`metadata[${quoted(key)}]:${quoted(value)}`)(own)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), query => {
      try {
        expect(typeof finds(query)).toBe('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(StripeError);
      }
    }),
  );
});
