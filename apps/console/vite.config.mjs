import { join } from 'node:path';
import { defaultClientConditions, defineConfig } from 'vite';

const page = name => join(import.meta.dirname, `${name}.html`);

/** The pages of the console, built into `dist/`, from where the gateway serves them under `/console`. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // Packages of this workspace from their source: the pages need no other build before theirs.
  resolve: { conditions: ['@svc/source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    // The policy of pages allows scripts of their own files alone, and none inline.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: { index: page('index'), mesh: page('mesh') } },
  },
  logLevel: 'warn',
});
