import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

it('makes a browser bundle without any module of Node, which checks an audit proof', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    // A module of Node's in the graph is an error here.
    platform: 'browser',
    format: 'iife',
    globalName: 'audit',
    minify: true,
    conditions: ['@svc/source'],
    write: false,
    logLevel: 'silent',
  });
  const script = new TextDecoder().decode(outputFiles[0].contents);
  expect(script).not.toMatch(/["']node:/);
  // Run as a page would: a script whose one global is what the library exports.
  const audit = new Function(`${script}; return audit;`)() as typeof import('../src/index.js');
  expect(audit.toHex(audit.canonicalDigest({ b: 1, a: [] }))).toBe(
    '0x' + Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from('{"a":[],"b":1}'))).toString('hex'),
  );
  expect(audit.verifyAuditProof({ auditProof: {}, proof: new Uint8Array(0), keys: [] })).toEqual({
    valid: false,
    reason: 'malformed-audit-proof',
    detail: 'version',
  });
});
