import { Credential, Method, z } from 'mppx';

const charge = Method.from({
  name: 'lightning',
  intent: 'charge',
  schema: {
    credential: { payload: z.object({ preimage: z.string() }) },
    request: z.object({
      amount: z.string(),
      currency: z.string(),
      methodDetails: z.object({ invoice: z.string() }),
    }),
  },
});

/** A method of mppx that pays invoices; the library has none of its own. @param pay gives the preimage of an invoice */
export function lightningMethod(pay: (invoice: string) => Promise<string>) {
  return Method.toClient(charge, {
    async createCredential({ challenge }) {
      const preimage = await pay(challenge.request.methodDetails.invoice);
      return Credential.serialize({ challenge, payload: { preimage } });
    },
  });
}
