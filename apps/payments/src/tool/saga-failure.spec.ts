import { describe, expect, it } from '@jest/globals';
import { appendRecords, type JsonObject, type StoredSaga } from '@svc/durability';
import { failureProblem, keptOf } from './saga-failure.js';

const sagaId = '00000000-0000-4000-8000-000000000001';
const begun = { name: 'tool', version: 1, steps: ['run'], inputDigest: '00'.repeat(32) };
const records = appendRecords(
  undefined,
  [{ kind: 'SAGA_BEGIN', step: null, attempt: 0, idemKey: null, payload: begun }],
  { sagaId, fence: 1, nowMs: 0 },
);
const saga = (kept: JsonObject): StoredSaga => ({
  ...{ sagaId, name: 'tool', version: 1, state: 'COMPENSATED', fence: 1, records },
  kept: { input: {}, ...kept },
});
const failure = (code: string, message = 'what was said inside') => ({ step: 'run', code, message });
const extensions = (code: string) => ({
  ...{ sagaId, status: 'COMPENSATED', walHash: `0x${records[0].hash}` },
  fault: { step: 'run', code },
});

describe('what the caller of a saga is told that came to nothing', () => {
  it('is the problem of the tool, fields and all, where it refused', () => {
    const errors = [{ path: 'a', message: 'b' }];
    const refused = { code: 'UNPROCESSABLE', detail: 'no', errors, extensions: { more: 1 } };
    const told = failureProblem(saga({ failure: failure('UNPROCESSABLE'), problem: refused }));
    expect(told.payload).toEqual({ ...refused, extensions: { more: 1, ...extensions('UNPROCESSABLE') } });
  });

  it('is that a service was away where it did not answer, with nothing of what was said inside', () => {
    for (const code of ['STEP_ATTEMPTS_EXHAUSTED', 'INTERNAL', 'toString']) {
      const told = failureProblem(saga({ failure: failure(code) }));
      expect(told.payload).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 30 });
      expect(told.payload.extensions).toEqual(extensions(code));
      expect(told.payload.detail).not.toContain('inside');
    }
  });

  it('is the fault of the caller by its code where no problem was kept, and never a problem of another failure', () => {
    const problem = { code: 'FORBIDDEN', detail: 'of something else' };
    const told = failureProblem(saga({ failure: failure('CONFLICT'), problem }));
    expect(told.payload).toMatchObject({ code: 'CONFLICT', detail: 'what was said inside' });
  });

  it('is that it is gone, once what the saga kept is', () => {
    expect(() => keptOf({ ...saga({}), kept: {} })).toThrow(expect.objectContaining({ code: 'EXPIRED' }));
    expect(keptOf(saga({ a: 1 }))).toEqual({ input: {}, a: 1 });
  });
});
