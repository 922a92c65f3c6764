import { describe, expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { createLogger } from './logger.js';
import { MeasurementRegistry } from './measurement-registry.js';
import { parseTraceparent } from './hop.js';
import { currentTrace, runWithTrace } from './trace-context.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

describe('trace context', () => {
  it('keeps the trace of a valid traceparent, makes a span of its own, and survives awaits', async () => {
    await runWithTrace(`00-${TRACE_ID}-${SPAN_ID}-00`, async () => {
      const before = currentTrace();
      await new Promise(resolve => setImmediate(resolve));
      expect(currentTrace()).toEqual(before);
      expect(before.traceId).toBe(TRACE_ID);
      expect(before.spanId).not.toBe(SPAN_ID);
      expect(before.traceparent).toBe(`00-${TRACE_ID}-${before.spanId}-00`);
    });
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['version ff', `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ['an all-zero trace id', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['an all-zero span id', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
    ['members that version 00 does not have', `00-${TRACE_ID}-${SPAN_ID}-01-extra`],
    ['a header without end', `01-${TRACE_ID}-${SPAN_ID}-01-${'x'.repeat(1_000)}`],
  ])('starts a fresh trace after %s', (_name, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
    expect(runWithTrace(header, () => currentTrace().traceId)).toMatch(/^[0-9a-f]{32}$/);
    expect(runWithTrace(header, () => currentTrace().traceId)).not.toBe(TRACE_ID);
  });

  it('takes later versions with members that it does not know', () => {
    expect(parseTraceparent(`01-${TRACE_ID}-${SPAN_ID}-01-more`)).toEqual({ traceId: TRACE_ID, flags: '01' });
  });
});

describe('createLogger', () => {
  const lines = (write: (logger: ReturnType<typeof createLogger>) => void) => {
    let text = '';
    const destination = new Writable({
      write: (chunk, _encoding, done) => ((text += String(chunk)), done()),
    });
    write(createLogger('payments', { level: 'info', destination }));
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Record<string, unknown>);
  };

  it('names the service and the trace in every line', () => {
    const [inside, outside] = lines(logger => {
      runWithTrace(`00-${TRACE_ID}-${SPAN_ID}-01`, () => logger.info('paid'));
      logger.info('alone');
    });
    expect(inside).toMatchObject({ service: 'payments', level: 'info', traceId: TRACE_ID, msg: 'paid' });
    expect(outside).not.toHaveProperty('traceId');
  });

  it.each([
    ['authorization', 'Authorization'],
    ['x-svc-key', 'X-SVC-KEY'],
    ['payment-credential', 'Payment-Credential'],
    ['payment-authorization', 'Payment-Authorization'],
    ['cookie', 'set-cookie'],
    ['payment-signature', 'x-payment'],
    ['licenseKey', 'preimage'],
    ['macaroon', 'password'],
    ['x-execution-ticket', 'X-Execution-Ticket'],
    ['executionTicket', 'ticket'],
    ['accountKey', 'creditKey'],
    ['credential', 'opening'],
  ])('redacts %s and %s at the top, in headers and in the headers of a request', (one, other) => {
    const secrets = { [one]: 'hunter2', [other]: 'hunter2' };
    const logged = lines(logger => {
      logger.info(secrets, 'top');
      logger.info({ headers: secrets }, 'one level down');
      logger.info({ req: { headers: secrets } }, 'two levels down');
    });
    expect(logged).toHaveLength(3);
    expect(JSON.stringify(logged)).not.toContain('hunter2');
    expect(JSON.stringify(logged)).toContain('[redacted]');
  });

  it('names the query that failed, and not what was to be stored by it', () => {
    const error = new QueryFailedError('INSERT INTO a VALUES ($1)', ['hunter2'], new Error('no room'));
    const logged = JSON.stringify(lines(logger => logger.error({ err: error }, 'failed')));
    expect(logged).toContain('INSERT INTO a');
    expect(logged).not.toContain('hunter2');
  });
});

describe('MeasurementRegistry', () => {
  it('gives the median of the last 101 values and how many there are', () => {
    const registry = new MeasurementRegistry();
    for (let value = 1; value <= 5; value++) registry.record('proverLatencyMs', value ** 2);
    expect(registry.snapshot().proverLatencyMs).toMatchObject({ value: 9, samples: 5 });
    for (let i = 0; i < 101; i++) registry.record('proverLatencyMs', 4);
    expect(registry.snapshot().proverLatencyMs).toMatchObject({ value: 4, samples: 101 });
  });

  it('gives a figure that was set as it stands, whatever came before', () => {
    const registry = new MeasurementRegistry();
    for (const value of [0, 0, 0, 7]) registry.set('ledgerImbalanceMicroUsd', value);
    expect(registry.snapshot().ledgerImbalanceMicroUsd).toMatchObject({ value: 7, samples: 1 });
  });

  it('gives 0 with the reason before the first measurement, and refuses what is no figure', () => {
    const registry = new MeasurementRegistry();
    registry.declare('snnFramerateFps', 'nothing was simulated yet');
    expect(registry.snapshot()).toEqual({
      snnFramerateFps: { value: 0, samples: 0, reason: 'nothing was simulated yet' },
    });
    expect(() => registry.record('snnFramerateFps', Number.NaN)).toThrow(RangeError);
    registry.record('snnFramerateFps', 60);
    expect(registry.snapshot().snnFramerateFps).toEqual({
      value: 60,
      samples: 1,
      measuredAt: expect.any(String),
    });
  });
});
