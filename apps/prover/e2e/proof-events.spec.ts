import 'reflect-metadata';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EVENTS, proverContract } from '@svc/contracts';
import { createLogger, type DeliveredEvent, openBusLink, openEventStream } from '@svc/platform';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const logger = createLogger('prover', { level: 'silent' });
let prover: ProverOnBus;
beforeAll(async () => {
  prover = await startProverOnBus();
});
afterAll(() => prover?.close());

it('tells of each proof that is kept, once, and of nothing that it proves', async () => {
  const told: DeliveredEvent[] = [];
  const stream = openEventStream(openBusLink(prover.bus, 'department', logger), {}, logger);
  const reading = await stream.subscribe(
    { filter: 'events.proof.made.*', durable: 'reader' },
    async event => {
      told.push(event);
    },
  );
  try {
    const { proofId, airId, auditProof } = await prover.client.call(proverContract.prove, {
      request: { traceData: 'a secret of the tests', degree: 64, friBlowup: 8 },
    });
    const wanted = [proofId, auditProof!.proofId];
    const deadlineMs = Date.now() + 10_000;
    while (told.length < wanted.length && Date.now() < deadlineMs)
      await new Promise(resolve => setTimeout(resolve, 20));
    expect(told.map(({ subject }) => subject).sort()).toEqual(
      wanted.map(id => `events.proof.made.${id}`).sort(),
    );
    const { schema } = EVENTS.proof.messages['svc.proof.made.v1'];
    for (const { id, data } of told) {
      const event: unknown = JSON.parse(Buffer.from(data).toString());
      expect(schema.parse(event)).toEqual(event);
      expect(event).toMatchObject({ id });
      expect(JSON.stringify(event)).not.toContain('secret');
    }
    const own = told.find(({ subject }) => subject.endsWith(proofId))!;
    expect(JSON.parse(Buffer.from(own.data).toString())).toMatchObject({ subject: proofId, data: { airId } });
  } finally {
    await reading.stop();
  }
});
