import { type KeyHolder, type RequestOf, speckleContract } from '@svc/contracts';
import { pictureFile, type PictureFileOptions } from '@svc/speckle/testing';
import type { DepartmentFixture } from './department-fixture.js';

const holder = (letter: string): KeyHolder => ({
  ...{ accountId: `acct_${letter.repeat(20)}`, keyId: letter.repeat(16), plan: 'demo', scopes: [] },
});
/** Two accounts. */
export const MINT = holder('m');
export const OTHER = holder('n');

const taken = new Map<string, Promise<Uint8Array>>();

/** A good picture of a surface: each `seed` another one. The same is taken once. */
export function picture(
  surface: number,
  seed = 1,
  more: Partial<PictureFileOptions> = {},
): Promise<Uint8Array> {
  const options = { surface, seed, noise: 0.05, ...more };
  const name = JSON.stringify(options);
  const file = taken.get(name) ?? pictureFile(options);
  taken.set(name, file);
  return file;
}

type ExtractCall = RequestOf<typeof speckleContract.extract>;
type VerifyCall = RequestOf<typeof speckleContract.verify>;

/** The gateway's calls. */
export function speckleClient({ bus }: Pick<DepartmentFixture, 'bus'>) {
  const extractCallOf = (image: Uint8Array, request: Partial<ExtractCall['request']>, by?: KeyHolder) => ({
    ...{ request: { modality: 'laser_speckle' as const, ...request }, image },
    ...(by && { by }),
  });
  const extract = (image: Uint8Array, request: Partial<ExtractCall['request']> = {}, by?: KeyHolder) =>
    bus.call(speckleContract.extract, extractCallOf(image, request, by));
  return {
    extract,
    admitExtract: (image: Uint8Array, request: Partial<ExtractCall['request']> = {}, by?: KeyHolder) =>
      bus.call(speckleContract.admitExtract, extractCallOf(image, request, by)),
    /** Enrols with a key, by default the mint's. */
    enrol: (image: Uint8Array, slabId?: string, by = MINT) =>
      extract(image, { enroll: true, ...(slabId !== undefined && { slabId }) }, by),
    /** With a key, by default the mint's; with `null`, by somebody without one. */
    verify: (image: Uint8Array, request: VerifyCall['request'], by: KeyHolder | null = MINT) =>
      bus.call(speckleContract.verify, { request, image, ...(by && { by }) }),
    admitVerify: (image: Uint8Array, request: VerifyCall['request'], by: KeyHolder | null = MINT) =>
      bus.call(speckleContract.admitVerify, { request, image, ...(by && { by }) }),
  };
}
