import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_NEW } from '@svc/edge';
import { HealthService } from '../health/health.service.js';
import { KEEP_ALIVE_MS } from './answer-stream.js';
import { McpTools } from './mcp-tools.js';
import { withAvailability } from './tool-listing.js';

/** What streams of changes are counted as, in both protocols. */
export const CHANGE_STREAMS = 'changes over MCP';
/** Of them so many are open at once, at each replica; of an address an eighth of those that the others leave. */
export const CHANGE_STREAMS_MAX = 1_024;
/** What clients are told with. */
export const LIST_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** What a stream of changes says: at its begin, of a change, and where it ends before its client has gone. */
export interface ChangeEvents {
  readonly begin: string;
  readonly changed: string;
  readonly end?: string;
}

/** What `tools/list` shows: every tool, and whether the services that it needs answer. That changes while this process runs. */
@Injectable()
export class ListedTools {
  constructor(
    private readonly tools: McpTools,
    private readonly health: HealthService,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
  ) {}

  now(): Tool[] {
    const away = this.health.away();
    return [...this.tools.byName.values()].map(({ listed, needs }) =>
      withAvailability(listed, !needs.some(service => away.includes(service))),
    );
  }

  /** Server-sent events until the signal aborts, one for each change or for several that came while nothing was taken. */
  async *changes(signal: AbortSignal, { begin, changed, end }: ChangeEvents): AsyncGenerator<string> {
    let isChanged = false;
    let wake = (): void => undefined;
    const unfollow = this.health.followAway(() => {
      isChanged = true;
      wake();
    });
    const keepAlive = setInterval(() => wake(), this.keepAliveMs);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      yield begin;
      while (!signal.aborted) {
        if (!isChanged) await new Promise<void>(resolve => (wake = resolve));
        if (signal.aborted) break;
        const event = isChanged ? changed : NOTHING_NEW;
        isChanged = false;
        yield event;
      }
      if (end !== undefined) yield end;
    } finally {
      unfollow();
      clearInterval(keepAlive);
    }
  }
}
