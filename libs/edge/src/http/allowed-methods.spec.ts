import { expect, test } from '@jest/globals';
import { AllowedMethods } from './allowed-methods.js';

const allowed = new AllowedMethods();
allowed.add('GET', '/things/:id');
allowed.add('DELETE', '/things/:id');
allowed.add('POST', '/things');
allowed.add('GET', '/things.json');

test('names every method of a path, sorted', () => {
  expect(allowed.of('/things/7')).toEqual(['DELETE', 'GET']);
  expect(allowed.of('/things')).toEqual(['POST']);
});

test('names those alone that are served to who asks', () => {
  const isServed = (method: string, pattern: string) => method === 'GET' && pattern === '/things/:id';
  expect(allowed.of('/things/7', isServed)).toEqual(['GET']);
  expect(allowed.of('/things', isServed)).toEqual([]);
});

test('the query is no part of the path', () => {
  expect(allowed.of('/things?x=/things/7')).toEqual(['POST']);
});

test('a parameter holds one part of the path, and a dot is only a dot', () => {
  expect(allowed.of('/things/7/parts')).toEqual([]);
  expect(allowed.of('/things/')).toEqual([]);
  expect(allowed.of('/thingsXjson')).toEqual([]);
});
