import { describe, expect, it } from '@jest/globals';
import { requireWithinMaxPrice } from './max-price.js';

const asked = (...lines: string[]) => {
  const rawHeaders = lines.flatMap(line => ['x-svc-max-price', line]);
  return () => requireWithinMaxPrice({ rawHeaders }, 'zk.prove');
};

describe('the most that a caller pays', () => {
  it.each(['0.001', '0.0010', '1', '1000000'])('%s lets a call of 0.001 USD be', line => {
    expect(asked(line)).not.toThrow();
    expect(asked()).not.toThrow();
  });

  it.each(['0.000999', '0'])('%s refuses it, with both amounts', line => {
    expect(asked(line)).toThrow(
      expect.objectContaining({
        code: 'PRECONDITION_FAILED',
        payload: expect.objectContaining({
          extensions: { priceMicroUsd: 1_000, maxMicroUsd: Math.round(Number(line) * 1e6) },
        }),
      }),
    );
  });

  it.each([[''], ['1', '1'], ['-1'], ['1e3'], ['0x1'], ['1,5'], [' 1'], ['.5'], ['1.0000001'], ['99999999']])(
    '%j is none',
    (...lines) => {
      expect(asked(...lines)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
    },
  );
});
