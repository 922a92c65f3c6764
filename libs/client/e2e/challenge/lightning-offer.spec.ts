import { Challenge, Credential } from 'mppx';
import { PaywallServer } from '../../testing/paywall-server.js';
import { chooseLightningOffer } from '../../src/challenge/lightning-offer.js';

const PREIMAGE = 'ab'.repeat(32);
let node: PaywallServer;
beforeAll(async () => {
  node = await PaywallServer.start(() => undefined);
});
afterAll(() => node.close());

const rules = { network: 'regtest', satsMax: 10, nowSeconds: Math.floor(Date.now() / 1_000) } as const;

function challengeOf(invoice: string, paymentHash: string, amount = '2', currency = 'sat') {
  return Challenge.from({
    id: 'b64url-hmac',
    realm: 'svc "quoted"',
    method: 'lightning',
    intent: 'charge',
    expires: new Date(Date.now() + 60_000).toISOString(),
    request: { amount, currency, methodDetails: { invoice, paymentHash, network: 'regtest' } },
  });
}

describe('chooseLightningOffer', () => {
  test('reads a challenge that mppx wrote, and answers with a credential that mppx reads back whole', () => {
    const { invoice, paymentHash } = node.makeInvoice(2);
    const challenge = challengeOf(invoice, paymentHash);
    const headers = new Headers({ 'WWW-Authenticate': Challenge.serialize(challenge) });
    const offer = chooseLightningOffer(headers, undefined, rules);
    expect(offer).toMatchObject({ rail: 'mpp-lightning', amountSats: 2, invoice, paymentHash });
    const credential = Credential.deserialize(offer.authorize(PREIMAGE));
    expect(credential).toEqual({ challenge, payload: { preimage: PREIMAGE } });
  });

  test('takes L402 before MPP, whichever comes first', () => {
    const { invoice, paymentHash } = node.makeInvoice(2);
    const macaroon = Buffer.from(`020242${'0000'}${paymentHash}${'00'.repeat(32)}0000`, 'hex').toString(
      'base64',
    );
    const value = `${Challenge.serialize(challengeOf(invoice, paymentHash))}, LSAT macaroon="${macaroon}", invoice="${invoice}"`;
    const offer = chooseLightningOffer(new Headers({ 'WWW-Authenticate': value }), { priceSats: 2 }, rules);
    expect([offer.rail, offer.authorize(PREIMAGE)]).toEqual(['l402', `L402 ${macaroon}:${PREIMAGE}`]);
  });

  test.each([
    ['an amount that differs from its invoice', '3', 'sat', 'PRICE_MISMATCH'],
    ['another currency', '2', 'usd', 'CHALLENGE_MALFORMED'],
  ])('refuses an MPP challenge with %s', (_, amount, currency, code) => {
    const { invoice, paymentHash } = node.makeInvoice(2);
    const value = Challenge.serialize(challengeOf(invoice, paymentHash, amount, currency));
    const choose = () => chooseLightningOffer(new Headers({ 'WWW-Authenticate': value }), undefined, rules);
    expect(choose).toThrow(expect.objectContaining({ code }));
  });
});
