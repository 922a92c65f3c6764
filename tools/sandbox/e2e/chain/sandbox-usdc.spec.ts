import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { SANDBOX_USDC_ABI, SANDBOX_USDC_CODE } from '../../src/chain/sandbox-usdc.generated.js';

interface CompileToken {
  compileToken(): { abi: unknown; code: string };
  generatedToken(): Promise<string>;
}

it('is the code that its source compiles to', async () => {
  const script = new URL('../../compile-token.mjs', import.meta.url);
  const { compileToken, generatedToken } = (await import(script.href)) as CompileToken;
  const { abi, code } = compileToken();
  expect(code).toBe(SANDBOX_USDC_CODE);
  expect(abi).toEqual(SANDBOX_USDC_ABI);
  expect(await generatedToken()).toBe(
    readFileSync(new URL('../../src/chain/sandbox-usdc.generated.ts', import.meta.url), 'utf8'),
  );
});
