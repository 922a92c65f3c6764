import fc from 'fast-check';
import { type AppliedRule, applyRule, comparisonOf, rulesetHash, RuleValueError } from './audit-rule.js';

const rule = (value: string, threshold: string, decimals: number): AppliedRule => ({
  id: 'r',
  statement: 'value ≥ threshold',
  decimals,
  value,
  threshold,
  holds: false,
});

it('compares decimals exactly, whatever their sign and their number of digits', () => {
  const scaled = fc.bigInt({ min: -(2n ** 49n) + 1n, max: 2n ** 49n - 1n });
  fc.assert(
    fc.property(scaled, scaled, fc.integer({ min: 0, max: 9 }), (a, b, decimals) => {
      const text = (integer: bigint) => {
        const digits = (integer < 0n ? -integer : integer).toString().padStart(decimals + 1, '0');
        const point = digits.length - decimals;
        const fraction = decimals > 0 ? `.${digits.slice(point)}` : '';
        return `${integer < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
      };
      const applied = applyRule(rule(text(a), text(b), decimals));
      expect(applied.holds).toBe(a >= b);
      expect(comparisonOf(applied)).toEqual({ value: a, threshold: b, holds: a >= b });
    }),
  );
  expect(comparisonOf(rule('1.5', '-0', 3))).toEqual({ value: 1500n, threshold: 0n, holds: false });
});

it.each([
  ['1.23', '0', 1, 'value'],
  ['0', '1e3', 0, 'threshold'],
  ['+1', '0', 0, 'value'],
  ['01', '0', 0, 'value'],
  ['', '0', 0, 'value'],
  ['.5', '0', 1, 'value'],
  ['1.', '0', 1, 'value'],
  [' 1', '0', 1, 'value'],
  ['562949953421312', '0', 0, 'value'],
  ['0', '-562949.953421312', 9, 'threshold'],
  ['0', '0', 10, 'decimals'],
  ['0', '0', -1, 'decimals'],
  ['0', '0', 0.5, 'decimals'],
])('refuses %j ≥ %j with %d decimals, naming the %s', (value, threshold, decimals, member) => {
  expect(() => applyRule(rule(value, threshold, decimals))).toThrow(
    expect.objectContaining({ name: RuleValueError.name, member }),
  );
});

it('names a ruleset by its id and its rules, not by the values they met', () => {
  const base = [rule('1', '2', 0), { ...rule('3', '4', 2), id: 's' }];
  const hash = (id: string, rules: AppliedRule[]) => Buffer.from(rulesetHash(id, rules)).toString('hex');
  expect(hash('set', [applyRule({ ...base[0], value: '7' }), base[1]])).toBe(hash('set', base));
  const others = [
    hash('other', base),
    hash('set', [base[1], base[0]]),
    hash('set', [base[0]]),
    hash('set', [base[0], { ...base[1], decimals: 3 }]),
    hash('set', [base[0], { ...base[1], statement: 'another' }]),
    hash('set', [base[0], { ...base[1], id: 't' }]),
    hash('set', base),
  ];
  expect(new Set(others).size).toBe(others.length);
});
