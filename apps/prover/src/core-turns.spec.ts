import { expect, it } from '@jest/globals';
import { CoreTurns, type ShortWork } from './core-turns.js';

/** Work that notes its beginning, and whether other work was under way then. */
function notes(cores: CoreTurns) {
  const order: string[] = [];
  let underWay = 0;
  const run = (kind: ShortWork, name: string, fails = false) =>
    cores.run(kind, async () => {
      order.push(underWay === 0 ? name : `${name} beside other work`);
      underWay++;
      await new Promise(setImmediate);
      underWay--;
      if (fails) throw new Error(name);
    });
  return { order, run };
}

it('lets one piece of work have the cores at a time, audits after two proofs at most', async () => {
  const { order, run } = notes(new CoreTurns());
  await Promise.all([
    ...['p1', 'p2', 'p3', 'p4'].map(name => run('proof', name)),
    ...['a1', 'a2'].map(name => run('audits', name)),
  ]);
  expect(order).toEqual(['p1', 'p2', 'a1', 'p3', 'p4', 'a2']);
});

it('chooses among what comes when a piece of work ends, too', async () => {
  const { order, run } = notes(new CoreTurns());
  const first = run('proof', 'p1').then(() => run('proof', 'p2'));
  await Promise.all([first, run('audits', 'a1')]);
  expect(order).toEqual(['p1', 'p2', 'a1']);
});

it('goes on after work that fails, and begins at once where nothing waits', async () => {
  const { order, run } = notes(new CoreTurns());
  await expect(run('audits', 'a1', true)).rejects.toThrow('a1');
  await Promise.all([run('audits', 'a2'), run('audits', 'a3')]);
  await run('proof', 'p1');
  expect(order).toEqual(['a1', 'a2', 'a3', 'p1']);
});
