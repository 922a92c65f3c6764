import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problemOf } from '@svc/platform';
import { DataSource } from 'typeorm';
import { bullionClient, linesOf, ringWav } from './bullion-fixture.js';
import { OPERATOR } from './payments-stand-in.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

/** A medal that no table has: 30 g of fine silver, 38 mm; struck pieces ring a little below theory. */
const MEDAL = {
  productId: 'city-medal',
  name: 'City medal',
  metal: 'silver',
  fineness: 0.999,
  massG: 30,
  diameterMm: 38,
};
const MEDAL_MODES_HZ = [4_450, 8_150, 10_750, 18_750];

export function describeBullionEnrol(): void {
  describe('enrolment', () => {
    let department: DepartmentFixture;
    let bullion: ReturnType<typeof bullionClient>;
    beforeAll(async () => {
      department = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' } });
      bullion = bullionClient(department);
    });
    afterAll(() => department?.close());

    const enrolments = () =>
      department.database.query(`SELECT * FROM bullion_enrolment ORDER BY enrolled_at`) as Promise<
        Record<string, unknown>[]
      >;
    const productOf = async (productId: string) =>
      (await bullion.products()).find(product => product.productId === productId);

    it('puts genuine pieces before the table, and keeps who enrolled which', async () => {
      const wav = ringWav(linesOf('krugerrand', 1.015));
      const first = await bullion.enrol({ productId: 'krugerrand', specimen: '1974, no. 1' }, wav);
      expect(first).toMatchObject({
        specimens: 1,
        specimen: '1974, no. 1',
        product: { reference: 'enrolled' },
      });
      await bullion.enrol(
        { productId: 'krugerrand', specimen: '1980, no. 2', massG: 33.95 },
        ringWav(linesOf('krugerrand', 1.025), { seed: 2 }),
      );
      const rows = await enrolments();
      expect(rows).toHaveLength(2);
      expect(rows[0]).toMatchObject({
        enrolled_by_account: OPERATOR.accountId,
        enrolled_by_key: OPERATOR.keyId,
        peaks: expect.arrayContaining([expect.objectContaining({ frequencyHz: expect.any(Number) })]),
      });
      const answer = await bullion.verify({
        productId: 'krugerrand',
        massG: 33.93,
        peaksHz: linesOf('krugerrand', 1.02),
      });
      expect(answer).toMatchObject({ verdict: 'PASS', reference: { kind: 'enrolled' } });
      for (const { z, basis } of answer.modes) {
        expect(basis).toBe('enrolled');
        expect(z).toBeLessThan(0.2);
      }
    });

    it('asks payments whose key it is', async () => {
      const wav = ringWav(linesOf('krugerrand'), { seed: 7 });
      const asked = bullion.enrol({ productId: 'krugerrand', specimen: 'x' }, wav, 'svc_test_holder');
      expect((await problemOf(asked)).code).toBe('FORBIDDEN');
    });

    it('refuses the same recording twice, and one that does not ring like the product', async () => {
      const wav = ringWav(linesOf('krugerrand', 1.015));
      const again = await problemOf(bullion.enrol({ productId: 'krugerrand', specimen: 'again' }, wav));
      expect(again.code).toBe('CONFLICT');
      const other = ringWav(linesOf('krugerrand', 0.8));
      const refusal = await problemOf(bullion.enrol({ productId: 'krugerrand', specimen: 'fake' }, other));
      expect(refusal).toMatchObject({ code: 'UNPROCESSABLE' });
      expect(refusal.message).toContain('times as high');
      expect(await enrolments()).toHaveLength(2);
    });

    it.each([
      ['noise', { productId: 'krugerrand' }, { snrDb: -25 }, 'recordingBase64'],
      ['a mass that is not the product’s', { productId: 'krugerrand', massG: 31.1 }, {}, 'massG'],
      ['a fineness that is not the product’s', { productId: 'krugerrand', fineness: 0.999 }, {}, 'fineness'],
      ['a new product without its measures', { ...MEDAL, diameterMm: undefined }, {}, 'diameterMm'],
      ['a new product of an unknown alloy', { ...MEDAL, fineness: 0.5 }, {}, 'fineness'],
    ])('refuses %s and stores nothing', async (_name, request, options, path) => {
      const before = await enrolments();
      const wav = ringWav(linesOf('krugerrand'), { seed: 9, ...options });
      const refusal = await problemOf(bullion.enrol({ ...request, specimen: 'x' }, wav));
      expect(refusal.code).toBe('UNPROCESSABLE');
      expect(refusal.payload.errors?.[0].path).toBe(path);
      expect(await enrolments()).toEqual(before);
      expect(await productOf('city-medal')).toBeUndefined();
    });

    it('makes a product of its own, which then can be tested', async () => {
      const enrolled = await bullion.enrol({ ...MEDAL, specimen: 'first' }, ringWav(MEDAL_MODES_HZ));
      expect(enrolled.product).toMatchObject({ ...MEDAL, reference: 'enrolled', thicknessMm: null });
      expect(enrolled.product.modesHz.map(({ n }) => n)).toEqual(['(2,0)', '(0,1)', '(3,0)', '(4,0)']);
      const test = { productId: 'city-medal', massG: 30.02 };
      expect(await bullion.verify({ ...test, peaksHz: MEDAL_MODES_HZ })).toMatchObject({ verdict: 'PASS' });
      const fake = MEDAL_MODES_HZ.map(hz => 1.2 * hz);
      expect(await bullion.verify({ ...test, peaksHz: fake })).toMatchObject({ verdict: 'FAIL' });
      expect(await productOf('city-medal')).toMatchObject({ name: 'City medal' });
    });

    it('lifts gold that theory alone knew, and then refuses tungsten', async () => {
      const philharmonic = (await productOf('gold-philharmonic'))!;
      expect(philharmonic).toMatchObject({ needsEnrolment: true, passNeeds: null });
      const [three, four] = philharmonic.modesHz.map(({ frequenciesHz }) => frequenciesHz[0]);
      const genuine = [0.42 * three, 0.76 * three, three, four];
      const wav = ringWav(genuine, { seed: 11 });
      await bullion.enrol({ productId: 'gold-philharmonic', specimen: '2012' }, wav);
      expect(await productOf('gold-philharmonic')).toMatchObject({ needsEnrolment: false, passNeeds: [] });
      const call = { productId: 'gold-philharmonic', massG: 31.1 };
      const rings = async (scale: number) => {
        const peaksHz = genuine.map(hz => hz * scale);
        await bullion.admit({ ...call, peaksHz });
        return (await bullion.verify({ ...call, peaksHz })).verdict;
      };
      expect(await rings(1.005)).toBe('PASS');
      // A core of 0.4 of the thickness rings a tenth higher, plated tungsten twice as high.
      expect(await rings(1.1)).toBe('FAIL');
      expect(await rings(2.06)).toBe('FAIL');
    });

    it('travels as a file to another house, which finds the modes anew and counts no recording twice', async () => {
      const file = await bullion.exported('krugerrand');
      expect(file.product).toMatchObject({ productId: 'krugerrand', massG: 33.93 });
      expect(file.enrolments.length).toBeGreaterThanOrEqual(2);
      expect(JSON.stringify(file)).not.toContain(OPERATOR.accountId);
      expect(await bullion.imported(file)).toMatchObject({ added: 0, known: file.enrolments.length });

      const other = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' } });
      try {
        const there = bullionClient(other);
        expect(await there.imported(file)).toMatchObject({
          added: file.enrolments.length,
          known: 0,
          product: { reference: 'enrolled' },
        });
        const modesOf = async (house: typeof bullion) =>
          (await house.products()).find(({ productId }) => productId === 'krugerrand')!.modesHz;
        expect(await modesOf(there)).toEqual(await modesOf(bullion));
        const medal = await bullion.exported('city-medal');
        expect(await there.imported(medal)).toMatchObject({ added: 1, product: { productId: 'city-medal' } });
        expect(await there.exported('city-medal')).toEqual(medal);

        // All of a file or nothing.
        const [first] = file.enrolments;
        const wrong = first.peaks.map(peak => ({ ...peak, frequencyHz: 0.8 * peak.frequencyHz }));
        const mixed = [
          { ...first, recordingSha256: `0x${'1'.repeat(64)}` },
          { ...first, recordingSha256: `0x${'2'.repeat(64)}`, peaks: wrong },
        ];
        const refusal = await problemOf(there.imported({ ...file, enrolments: mixed }));
        expect(refusal.payload.errors?.[0].path).toBe('enrolments.1.peaks');
        const fine = { ...file.product, fineness: 0.9999 };
        const described = await problemOf(there.imported({ ...file, product: fine }));
        expect(described.payload.errors?.[0].path).toBe('product.fineness');
        expect(await there.exported('krugerrand')).toEqual(file);
        expect((await problemOf(there.imported(file, 'svc_test_holder'))).code).toBe('FORBIDDEN');
        expect((await problemOf(there.exported('krugerrand', 'svc_test_holder'))).code).toBe('FORBIDDEN');
      } finally {
        await other.close();
      }
    });

    it('cannot be changed or taken back, not by the service and not by whoever owns the tables', async () => {
      const service = await new DataSource({
        type: 'postgres',
        url: department.postgres.urlFor('department'),
        extra: { options: '-c search_path=department' },
      }).initialize();
      try {
        await expect(service.query(`UPDATE bullion_enrolment SET specimen = 'x'`)).rejects.toThrow(
          /permission denied/,
        );
        await expect(service.query(`DELETE FROM bullion_product`)).rejects.toThrow(/permission denied/);
      } finally {
        await service.destroy();
      }
      await expect(department.database.query(`DELETE FROM bullion_enrolment`)).rejects.toThrow(/append-only/);
      await expect(department.database.query(`TRUNCATE bullion_product`)).rejects.toThrow(/append-only/);
    });
  });
}
