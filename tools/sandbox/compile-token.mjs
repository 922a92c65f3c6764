import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import solc from 'solc';

const FOLDER = new URL('./src/chain/', import.meta.url);
const SOURCE = 'sandbox-usdc.sol';
const TARGET = new URL('sandbox-usdc.generated.ts', FOLDER);

/** Everything that decides the bytecode beside the source and the compiler's version. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'shanghai',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } },
};

/**
 * Compiles the sandbox's token.
 *
 * @returns {{ abi: unknown[]; code: string }} the interface, and the code as it lies on the chain, `0x…`
 * @throws Error with the compiler's own words
 */
export function compileToken() {
  const content = readFileSync(new URL(SOURCE, FOLDER), 'utf8');
  const input = { language: 'Solidity', sources: { [SOURCE]: { content } }, settings: SETTINGS };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (errors.length > 0) throw new Error(errors.map(error => error.formattedMessage).join('\n'));
  const { abi, evm } = contracts[SOURCE].SandboxUsdc;
  return { abi, code: `0x${evm.deployedBytecode.object}` };
}

/** The text of the file that is checked in. */
export async function generatedToken() {
  const { abi, code } = compileToken();
  const text = [
    `// Made by tools/sandbox/compile-token.mjs from ${SOURCE} with solc ${solc.version()}.`,
    `export const SANDBOX_USDC_ABI = ${JSON.stringify(abi)} as const;`,
    `export const SANDBOX_USDC_CODE = ${JSON.stringify(code)};`,
  ].join('\n\n');
  const path = TARGET.pathname;
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}

if (process.argv[1] === import.meta.filename) writeFileSync(TARGET, await generatedToken());
