import { jest } from '@jest/globals';
import type { Turn } from '@svc/kernels/node';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { CertificateError } from '../src/certificate-error.js';
import { generateCertificate } from '../src/testing/index.js';
import { CertificateReader } from '../src/node/certificate-reader.js';
import { CertificateReaderBusyError, type ReaderProcess } from '../src/node/reader-process.js';

let reader: CertificateReader;
let bytes: Uint8Array;
/** Read without a look at its page as it is drawn, which takes a second. */
let form: Uint8Array;
beforeAll(async () => {
  ({ bytes } = await generateCertificate(3, { layout: 'columns', variant: 'flattened' }));
  ({ bytes: form } = await generateCertificate(3, { layout: 'columns', variant: 'fillable' }));
});
afterEach(() => (reader as CertificateReader | undefined)?.close());

const childOf = (own: CertificateReader): ChildProcess => {
  const [process] = Reflect.get(own, 'processes') as ReaderProcess[];
  return Reflect.get(process, 'child') as ChildProcess;
};
const SLOW_ENOUGH = { inspectMsMax: 50_000, readMsMax: 50_000, waitMsMax: 110_000 };
/** Of tests that leave its process as it was: one takes half a second to start. */
const warm = new CertificateReader({ processes: 1, queueMax: 2, ...SLOW_ENOUGH });
afterAll(() => warm.close());
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('gives a process none of its secrets and no directory of its own', async () => {
  process.env.READER_SPEC_SECRET = 'hunter2';
  await warm.inspect(bytes);
  const { pid } = childOf(warm);
  if (process.platform !== 'linux') return;
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
  expect(environment).not.toContain('hunter2');
  expect(environment.split('\0').filter(entry => entry !== '' && !entry.startsWith('NODE_CHANNEL'))).toEqual(
    [],
  );
});

it('ends a process that takes too long, and reads the next file with a new one', async () => {
  reader = new CertificateReader({ processes: 1, inspectMsMax: 50_000, readMsMax: 10 });
  await reader.inspect(bytes);
  const { pid } = childOf(reader);
  await expect(reader.read(bytes)).rejects.toMatchObject({ code: 'TIME_LIMIT', max: 10 });
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ pages: expect.any(Number) });
  expect(childOf(reader).pid).not.toBe(pid);
  expect(isAlive(pid!)).toBe(false);
});

it('is busy, and does not refuse the file, where the machine gives its process no time', async () => {
  if (process.platform !== 'linux') return;
  reader = new CertificateReader({ processes: 1, inspectMsMax: 50_000, readMsMax: 100 });
  await reader.inspect(bytes);
  const { pid } = childOf(reader);
  process.kill(pid!, 'SIGSTOP');
  await expect(reader.read(bytes)).rejects.toMatchObject({
    name: 'CertificateReaderBusyError',
    code: 'BUSY',
  });
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ pages: expect.any(Number) });
});

it('ends a process that takes too much memory, where the system tells', async () => {
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH, residentBytesMax: 2 ** 20 });
  const inspecting = reader.inspect(bytes);
  if (process.platform === 'linux') {
    await expect(inspecting).rejects.toMatchObject({ code: 'MEMORY_LIMIT', max: 2 ** 20 });
  } else await expect(inspecting).resolves.toMatchObject({ formFields: 0 });
});

it('reads a file once more that took too much in a process that had read others, and not in a fresh one', async () => {
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH });
  const [first] = Reflect.get(reader, 'processes') as ReaderProcess[];
  const tooMuch = new CertificateError('MEMORY_LIMIT', 'too much');
  const once = jest.spyOn(first as unknown as { runOnce: () => Promise<unknown> }, 'runOnce');
  once.mockRejectedValueOnce(tooMuch);
  await expect(reader.inspect(bytes)).rejects.toBe(tooMuch);
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ pages: expect.any(Number) });
  expect(once).toHaveBeenCalledTimes(2);
  once.mockRejectedValueOnce(tooMuch);
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ pages: expect.any(Number) });
  expect(once).toHaveBeenCalledTimes(4);
});

it('makes a process anew that has grown near its bound, for the next file would pay for it', async () => {
  if (process.platform !== 'linux') return;
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH });
  await reader.inspect(bytes);
  await reader.inspect(bytes);
  const { pid } = childOf(reader);
  const [first] = Reflect.get(reader, 'processes') as ReaderProcess[];
  const residentBytes = Reflect.get(first, 'residentBytes') as number;
  expect(residentBytes).toBeGreaterThan(2 ** 20);
  Reflect.set(first, 'bounds', { ...SLOW_ENOUGH, residentBytesMax: 1.25 * residentBytes });
  await reader.inspect(bytes);
  expect(childOf(reader)).toBeUndefined();
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ formFields: 0 });
  expect(isAlive(pid!)).toBe(false);
});

it('answers for a process that somebody kills, and goes on', async () => {
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH });
  await reader.inspect(bytes);
  const reading = reader.read(bytes);
  childOf(reader).kill('SIGKILL');
  await expect(reading).rejects.toMatchObject({ code: 'BROKEN' });
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ formFields: 0 });
});

it('refuses more files than may wait, and reads those that do in their turn', async () => {
  const taken = [warm.inspect(bytes), warm.inspect(bytes), warm.inspect(bytes)];
  await expect(warm.inspect(bytes)).rejects.toMatchObject({ code: 'BUSY', max: 2, got: 3 });
  await expect(Promise.all(taken)).resolves.toHaveLength(3);
});

it('refuses a file that no process has time for, and reads nothing for whoever has gone', async () => {
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH, waitMsMax: 10 });
  await reader.inspect(bytes);
  const first = reader.read(form);
  const late = reader.read(form);
  await expect(late).rejects.toMatchObject({ name: 'CertificateReaderBusyError', code: 'BUSY', max: 10 });
  expect(Reflect.get(reader, 'waiting')).toHaveProperty('size', 0);
  await expect(first).resolves.toMatchObject({ variant: 'fillable' });
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ pages: expect.any(Number) });
});

it('keeps a place for what is about to be paid for, where its reading would begin in time, and reads what is paid for', async () => {
  let turn: Turn = { subject: 'one', isFirst: true };
  reader = new CertificateReader({ processes: 1, queueMax: 2, ...SLOW_ENOUGH, turnOf: () => turn });
  await reader.read(form);
  turn = { subject: 'payer', isFirst: true, payment: 'claiming' };
  await reader.inspect(bytes);
  turn = { subject: 'other', isFirst: true };
  const others = [reader.read(form), reader.read(form), reader.read(form)];
  // Two wait, and a place is kept for the payer.
  await expect(reader.inspect(bytes)).rejects.toMatchObject({ code: 'BUSY', max: 2 });
  turn = { subject: 'payer', isFirst: true, payment: 'settled' };
  const paid = [reader.read(form), reader.read(form)];
  await expect(Promise.all([...others, ...paid])).resolves.toHaveLength(5);

  Reflect.set(reader, 'waitMsMax', 1);
  turn = { subject: 'payer', isFirst: true, payment: 'claiming' };
  const [begun, late] = [reader.read(form), reader.read(form)];
  const refused = reader.inspect(bytes);
  await expect(refused).rejects.toMatchObject({
    ...{ code: 'BUSY', max: 1, message: expect.stringMatching(/^1 files are ahead/) },
  });
  await expect(late).rejects.toMatchObject({ code: 'BUSY' });
  await begun;
});

it('lets inspections go before reading', async () => {
  const order: string[] = [];
  await Promise.all([
    warm.inspect(bytes).then(() => order.push('first')),
    warm.read(form).then(() => order.push('read')),
    warm.inspect(bytes).then(() => order.push('inspect')),
  ]);
  expect(order).toEqual(['first', 'inspect', 'read']);
});

it('lets no inspection that nobody pays for go before reading', async () => {
  let turn: Turn = { subject: 'one', isFirst: true };
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH, turnOf: () => turn });
  const order: string[] = [];
  const asked = [reader.inspect(bytes)];
  turn = { subject: 'payer', isFirst: true, payment: 'settled' };
  asked.push(reader.read(form).then(() => order.push('read')) as never);
  turn = { subject: 'stranger', isFirst: false };
  for (let i = 0; i < 3; i++) asked.push(reader.inspect(bytes).then(() => order.push('inspect')) as never);
  await Promise.all(asked);
  expect(order).toEqual(['read', 'inspect', 'inspect', 'inspect']);
});

it('tells how long a process took, whatever came of it', async () => {
  const taken: number[] = [];
  const count = (ms: number) => taken.push(ms);
  await warm.inspect(bytes, count);
  await expect(warm.inspect(Buffer.from('no PDF'), count)).rejects.toBeInstanceOf(CertificateError);
  expect(taken).toEqual([expect.any(Number), expect.any(Number)]);
  for (const ms of taken) expect(ms).toBeGreaterThan(0);
});

it('ends its processes and refuses what waits when it is closed', async () => {
  reader = new CertificateReader({ processes: 1, ...SLOW_ENOUGH });
  await reader.inspect(bytes);
  const { pid } = childOf(reader);
  const refused = [reader.read(bytes), reader.read(bytes)].map(reading =>
    expect(reading).rejects.toBeInstanceOf(CertificateReaderBusyError),
  );
  await reader.close();
  await Promise.all(refused);
  expect(isAlive(pid!)).toBe(false);
  await expect(reader.inspect(bytes)).rejects.toMatchObject({ code: 'CLOSED' });
});

it.each([
  ...[{ processes: 0 }, { processes: 9 }, { queueMax: -1 }, { waitMsMax: 0 }],
  ...[{ readMsMax: 0 }, { residentBytesMax: 1.5 }],
])('refuses %p', options => {
  expect(() => new CertificateReader(options)).toThrow(RangeError);
});

it('closes an idle process for a caller that has nothing else to do', () => {
  const script = `
    import { CertificateReader } from '@svc/certificates/node';
    const reader = new CertificateReader({ processes: 1, waitMsMax: 110_000 });
    await reader.inspect(Buffer.from(process.argv[1], 'base64'));
    await reader.close();
    process.stdout.write('closed');`;
  const arguments_ = ['--input-type=module', '--eval', script, Buffer.from(bytes).toString('base64')];
  expect(execFileSync(process.execPath, arguments_, { encoding: 'utf8' })).toBe('closed');
});
