import { expect, test } from '@jest/globals';
import { Windows } from './windows.js';

let nowMs = 0;
const windows = () => new Windows(3, 10, () => nowMs);

test('what a caller takes is counted until its window ends', () => {
  const counted = windows();
  nowMs = 5;
  expect(counted.take('a', 2).counted).toBe(2);
  nowMs = 10_004;
  expect(counted.take('a', 2).counted).toBe(4);
  expect([counted.countedOf('a'), counted.msLeftOf('a'), counted.countedOf('b')]).toEqual([4, 1, 0]);
  nowMs = 10_005;
  expect([counted.countedOf('a'), counted.msLeftOf('a')]).toEqual([0, 0]);
  expect(counted.take('a').counted).toBe(1);
});

test('what is given back goes to its own window, and is no more than was taken', () => {
  const counted = windows();
  const first = counted.take('a', 3);
  const [second, third] = [counted.take('a', 2), counted.take('a', 2)];
  second.giveBack(1);
  second.giveBack(9);
  expect(counted.countedOf('a')).toBe(5);
  nowMs += 10_000;
  counted.take('a');
  first.giveBack();
  third.giveBack();
  expect(counted.countedOf('a')).toBe(1);
});

test('one that is given back leaves no less than nothing', () => {
  const counted = windows();
  counted.giveOneBack('a');
  counted.take('a');
  for (let turn = 0; turn < 3; turn++) counted.giveOneBack('a');
  expect(counted.countedOf('a')).toBe(0);
});

test('windows that have ended are forgotten', () => {
  const counted = windows();
  for (let caller = 0; caller < 50; caller++) counted.take(`${caller}`);
  nowMs += 10_000;
  counted.take('49');
  expect(counted.size).toBe(1);
});
