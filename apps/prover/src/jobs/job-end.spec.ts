import { problem } from '@svc/platform';
import { endOf, JobEndedError, keptProblem, ShutdownError } from './job-end.js';
import { resourceOf } from './job-resource.js';
import type { StoredJob } from './job-rows.js';

const place = { reason: 'constraint-violated', row: 4, constraint: 'step' };
const broken = problem('UNPROCESSABLE', 'trace breaks step at row 4', {
  errors: [{ path: 'trace', message: 'breaks step at row 4', bound: 'step holds', got: 'row 4' }],
  extensions: { ...place, operands: ['482917', '7'] },
});

it('keeps where a trace broke, and none of its values', () => {
  const kept = keptProblem(broken);
  expect(kept).toMatchObject({ code: 'UNPROCESSABLE', extensions: place });
  expect(JSON.stringify(kept)).not.toContain('482917');
  expect(keptProblem(problem('CONFLICT', 'gone'))).not.toHaveProperty('extensions');
});

it('shows where a trace broke, as a call that waits is told', () => {
  const now = new Date();
  const job = { ...{ jobId: 'j', operationId: 'zk.prove', state: 'failed', stagesBegun: 1 }, createdAt: now };
  const { problem: shown } = resourceOf({ ...job, problem: keptProblem(broken) } as unknown as StoredJob);
  const { code, detail, errors } = broken.payload;
  expect(shown).toEqual({ code, detail, errors, ...place });
});

it('tells a job that has failed from one that was ended or given back', () => {
  expect([endOf(new JobEndedError(), 2), endOf(new ShutdownError(), 2)]).toEqual([
    { type: 'cancelled', run: 2 },
    { type: 'given-back', run: 2 },
  ]);
  expect(endOf(broken, 3)).toEqual({ type: 'failed', run: 3, problem: keptProblem(broken) });
});
