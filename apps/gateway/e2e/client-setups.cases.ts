import { describe, expect, test } from '@jest/globals';
import { toolsRoutes } from '@svc/contracts';
import { ACCOUNT_KEY_HEADER } from '@svc/edge';
import { clientSetups } from './client-snippets.js';
import { postMcp, rpc } from './mcp-post.js';
import type { PaymentsScript } from './payments-under-test.js';

const KEY = 'svc_test_key';

/** The set-ups of clients in docs/mcp.md, each read as its client reads it. */
export function describeClientSetups(
  of: () => { readonly address: string; readonly payments: PaymentsScript },
): void {
  describe('the set-ups of the page on MCP', () => {
    const setups = clientSetups({ SVC_KEY: KEY });

    test('are those of five clients', () => {
      expect(Object.keys(setups)).toEqual(['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Claude Desktop']);
    });

    test.each(Object.entries(setups))(
      'let %s call a tool, which its key pays',
      async (_, { url, headers }) => {
        const { origin, pathname } = new URL(url);
        expect([origin, pathname]).toEqual(['https://svc.example', toolsRoutes.mcp.path]);
        expect(Object.keys(headers).map(name => name.toLowerCase())).toEqual([ACCOUNT_KEY_HEADER]);
        const message = rpc('tools/call', { name: 'get_product_catalog', arguments: {} });
        const { messages } = await postMcp(of().address + pathname, message, { headers });
        expect(messages.at(-1)!.result.structuredContent).toMatchObject({ catalog: [] });
        expect(of().payments.claimed).toMatchObject([{ accountKey: KEY }]);
      },
    );
  });
}
