import { type FastifyInstance } from 'fastify';
import { type StripeEmulatorControl } from '../stripe-emulator.js';
import { type WebhookConduct } from '../webhook/webhook-delivery.js';
import { readFaultRule } from './faults.js';

const ADVANCE_SECONDS_MAX = 10 * 366 * 86_400;

/**
 * What a test asks of the emulator over HTTP, under `/_emulator`, in JSON: nothing of it is Stripe's.
 * A page of another origin cannot send JSON here, since nothing answers its preflight.
 */
export function serveControl(server: FastifyInstance, control: StripeEmulatorControl): void {
  type Body = Record<string, unknown>;
  const act = (path: string, run: (body: Body, id: string) => unknown) => {
    server.post(`/_emulator${path}`, async (request, reply) => {
      const { id = '' } = request.params as { id?: string };
      try {
        const body = request.body;
        if (body === undefined || body === null || typeof body !== 'object' || Array.isArray(body))
          throw new Error('the body is a JSON object');
        const result = await run(body as Body, id);
        return await reply.send(result ?? {});
      } catch (error) {
        return reply.code(400).send({ error: error instanceof Error ? error.message : String(error) });
      }
    });
  };
  act('/faults', rule => control.fault(readFaultRule(rule)));
  server.get('/_emulator/faults', () => ({ data: control.faults() }));
  server.delete('/_emulator/faults', () => {
    control.clearFaults();
    return {};
  });
  act('/webhooks', conduct => control.configureWebhooks(conduct as WebhookConduct));
  server.get('/_emulator/webhooks/deliveries', () => ({ data: control.deliveries() }));
  act('/events/:id/redeliver', (_body, id) => control.redeliver(id));
  act('/subscriptions/:id/renew', ({ fails }, id) =>
    control.renewSubscription(id, { fails: fails === true }),
  );
  act('/checkout/sessions/:id/settle', ({ fails }, id) =>
    control.settleBankDebit(id, { fails: fails === true }),
  );
  act('/clock/advance', ({ seconds }) => {
    if (!Number.isInteger(seconds) || Number(seconds) < 0 || Number(seconds) > ADVANCE_SECONDS_MAX) {
      throw new Error(`seconds is an integer from 0 to ${ADVANCE_SECONDS_MAX}`);
    }
    control.advance(Number(seconds));
  });
}
