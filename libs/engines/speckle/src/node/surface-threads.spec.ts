import { instantiateDsp } from '@svc/kernels';
import { loadDspModule, type Turn } from '@svc/kernels/node';
import sharp from 'sharp';
import type { GreyImage } from '../grey-image.js';
import { ImageError } from '../image-error.js';
import { extractFingerprint } from '../extract-fingerprint.js';
import { simulateSurface } from '../testing/simulated-surface.js';
import { takePicture } from '../testing/take-picture.js';
import { SurfaceThreads } from './surface-threads.js';

const dsp = instantiateDsp(await loadDspModule());
const surface = simulateSurface(dsp, 'laser_speckle', { seed: 1 });
const asRaw = ({ width, height, pixels }: GreyImage) =>
  sharp(Uint8Array.from(pixels), { raw: { width, height, channels: 1 } });
const first = takePicture(surface, { seed: 1, noise: 0.05 });
const png = await asRaw(first).png().toBuffer();

describe('reading surfaces in threads', () => {
  const threads = new SurfaceThreads();
  afterAll(() => threads.close());

  it('gives the fingerprint that the engine gives', async () => {
    const there = await threads.extract(png, { modality: 'laser_speckle' });
    const here = extractFingerprint(dsp, first, { modality: 'laser_speckle' });
    expect(there).toEqual(here);
  });

  it('finds the surface again in a JPEG of it, moved and turned', async () => {
    const enrolled = await threads.extract(png, { modality: 'laser_speckle' });
    const moved = takePicture(surface, {
      seed: 2,
      noise: 0.1,
      shiftXPx: 11.4,
      shiftYPx: -7.2,
      rotationDeg: 1.1,
    });
    const jpeg = await asRaw(moved).jpeg({ quality: 70 }).toBuffer();
    const answer = await threads.compare(jpeg, {}, enrolled);
    expect(answer).toMatchObject({ verdict: 'match' });
    expect(answer.fhd).toBeLessThan(0.1);
    expect(answer.alignment.shiftXPx).toBeCloseTo(11.4, 0);
    expect(answer.alignment.rotationDeg).toBeCloseTo(1.1, 1);
  });

  it('says the verdict alone where no more is asked for, as a word', async () => {
    const enrolled = await threads.extract(png, { modality: 'laser_speckle' });
    const again = await asRaw(takePicture(surface, { seed: 2, noise: 0.1 }))
      .png()
      .toBuffer();
    expect(await threads.verdict(again, {}, enrolled)).toBe('match');
    const other = takePicture(simulateSurface(dsp, 'laser_speckle', { seed: 2 }), { seed: 1 });
    expect(await threads.verdict(await asRaw(other).png().toBuffer(), {}, enrolled)).toBe('mismatch');
  });

  it('brings what is wrong with a picture or a region back as what it is', async () => {
    const small = { x: 0, y: 0, width: 255, height: 300 };
    await expect(threads.extract(png, { modality: 'paper_texture', roi: small })).rejects.toMatchObject({
      name: 'ImageError',
      code: 'REGION_TOO_SMALL',
      field: 'roi',
      bound: 256,
      got: 255,
    });
    const refused = threads.extract(Buffer.from('GIF89a'), { modality: 'paper_texture' });
    await expect(refused).rejects.toBeInstanceOf(ImageError);
    await expect(refused).rejects.toMatchObject({ code: 'UNSUPPORTED_TYPE', field: 'image' });
  });

  it('goes on after a picture that was refused', async () => {
    await threads.extract(Buffer.from('%PDF-'), { modality: 'laser_speckle' }).catch(() => undefined);
    expect((await threads.extract(png, { modality: 'laser_speckle' })).bitCount).toBe(1_922);
  });
});

describe('the bounds of the threads', () => {
  it('refuses when too many wait, and once closed', async () => {
    const threads = new SurfaceThreads({ threadsMax: 1, waitingMax: 1 });
    const ask = () => threads.extract(png, { modality: 'laser_speckle' });
    const answers = [ask(), ask()].map(answer =>
      answer.then(
        () => 'done',
        (error: unknown) => (error as { code?: string }).code,
      ),
    );
    await expect(ask()).rejects.toMatchObject({ name: 'SurfaceThreadsError', code: 'BUSY' });
    await threads.close();
    expect(await Promise.all(answers)).toEqual(['CLOSED', 'CLOSED']);
    await expect(ask()).rejects.toMatchObject({ name: 'SurfaceThreadsError', code: 'CLOSED' });
  });

  it('keeps a place for a picture that is about to be paid for, and reads what is paid for all the same', async () => {
    let turn: Turn = { subject: 'one', isFirst: true, payment: 'claiming' };
    const threads = new SurfaceThreads({ threadsMax: 1, waitingMax: 1, turnOf: () => turn });
    const ask = () =>
      threads.extract(png, { modality: 'laser_speckle' }).catch((error: { code?: string }) => error.code);
    threads.requireRoom();
    turn = { subject: 'other', isFirst: true };
    const others = [ask(), ask()];
    expect(() => threads.requireRoom()).toThrow(expect.objectContaining({ code: 'BUSY' }));
    turn = { subject: 'one', isFirst: true, payment: 'settled' };
    const paid = ask();
    await threads.close();
    expect(await Promise.all([...others, paid])).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
    expect(() => threads.requireRoom()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  it('ends a thread that takes too long', async () => {
    const threads = new SurfaceThreads({ taskMsMax: 1 });
    const answer = threads.extract(png, { modality: 'laser_speckle' });
    await expect(answer).rejects.toMatchObject({ name: 'SurfaceThreadsError', code: 'TIME_LIMIT' });
    await threads.close();
  });
});
