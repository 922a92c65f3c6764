import { describe, expect, it } from '@jest/globals';
import { StageNotes } from './stage-notes.js';
import type { TaskEvent } from './task-state.js';

function notesOf(apply: (event: TaskEvent) => Promise<void> = async () => undefined) {
  const told: [string, number | undefined][] = [];
  const store = {
    apply: async (_taskId: string, event: TaskEvent) => {
      if (event.type === 'progressed') told.push([event.stage, event.progress]);
      await apply(event);
      return undefined;
    },
  };
  return { told, notes: new StageNotes(store, { taskId: 'tsk_1', fence: 1 }) };
}

describe('the stages of a run', () => {
  it('writes a hundred rows of a run that tells of itself ten thousand times', async () => {
    const { told, notes } = notesOf();
    for (let i = 0; i <= 10_000; i++) notes.note('simulating', i / 10_000);
    await notes.idle();
    expect(told.length).toBeGreaterThan(90);
    expect(told.length).toBeLessThanOrEqual(102);
    expect(told.at(-1)).toEqual(['simulating', 1]);
  });

  it('writes each stage once, whether or not it says how far it is', async () => {
    const { told, notes } = notesOf();
    for (const stage of ['queued', 'queued', 'simulating', 'simulating', 'attest']) notes.note(stage);
    notes.note('attest', 0);
    await notes.idle();
    expect(told.map(([stage]) => stage)).toEqual(['queued', 'simulating', 'attest']);
  });

  it('writes that the work is done, however little was left of it', async () => {
    const { told, notes } = notesOf();
    notes.note('simulating', 0.995);
    notes.note('simulating', 1);
    notes.note('simulating', 1);
    await notes.idle();
    expect(told).toEqual([
      ['simulating', 0.995],
      ['simulating', 1],
    ]);
  });

  it('goes on after a note that could not be recorded', async () => {
    let calls = 0;
    const { told, notes } = notesOf(async () => {
      if (++calls === 1) throw new Error('the database is away');
    });
    notes.note('simulating', 0.5);
    notes.note('attest', 1);
    await notes.idle();
    expect(told.map(([stage]) => stage)).toEqual(['simulating', 'attest']);
  });
});
