import { describe, expect, test } from '@jest/globals';
import { ROUTES } from './routes.js';
import { PUBLISHED_EXAMPLES, SOLD_RESOURCES } from './sold-resources.js';
import { TOOL_NAMES } from './tool-catalog.contract.js';

describe('what is sold at an address', () => {
  test('is every route that is paid always, but those whose bodies name what they sell', () => {
    const paid = ROUTES.filter(({ access }) => access === 'paid').map(({ operationId }) => operationId);
    const sold = new Set(SOLD_RESOURCES.map(({ route }) => route.operationId));
    expect(paid.filter(operationId => !sold.has(operationId))).toEqual([
      'account.top-up',
      'l402.bundle',
      'departments.submit',
    ]);
    expect(SOLD_RESOURCES.filter(({ route }) => route.access !== 'paid')).toEqual([]);
  });

  test('is each tool at its own path and at the two that take it by query, each address once', () => {
    const targets = SOLD_RESOURCES.map(({ target }) => target);
    expect(new Set(targets).size).toBe(targets.length);
    for (const tool of TOOL_NAMES)
      expect(SOLD_RESOURCES.filter(sold => sold.tool === tool).map(({ target }) => target)).toEqual([
        `/v1/tools/${tool}`,
        `/v1/x402/execute?tool=${tool}`,
        `/v1/x402/verify?tool=${tool}`,
      ]);
  });

  test.each(SOLD_RESOURCES.map(sold => [sold.target, sold] as const))(
    'has an example that its route takes: %s',
    (_target, { route, example }) => {
      expect(route.body!.schema.safeParse(example).error).toBeUndefined();
    },
  );

  test.each([...PUBLISHED_EXAMPLES])(
    'has an example that the operation takes: %s',
    (_id, { schema, example }) => {
      expect(schema.safeParse(example).error).toBeUndefined();
      expect(JSON.stringify(example).length).toBeLessThan(512);
    },
  );
});
