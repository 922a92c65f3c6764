import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_NEW, STREAM_BEGIN } from '@svc/edge';
import { HealthService } from '../health/health.service.js';
import { eventOf, KEEP_ALIVE_MS } from './answer-stream.js';
import { McpTools } from './mcp-tools.js';
import { withAvailability } from './tool-listing.js';

/** What streams of changes are counted as, in both protocols. */
export const CHANGE_STREAMS = 'changes over MCP';
/** Of them so many are open at once, at each replica; of an address an eighth of those that the others leave. */
export const CHANGE_STREAMS_MAX = 1_024;
const CHANGED = eventOf(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));

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

  /** Calls `follower` where a service has come or gone. @returns ends that */
  follow(follower: () => void): () => void {
    return this.health.followAway(follower);
  }

  /** Server-sent events, one for each change or for several that came while nobody read, until the signal aborts. */
  async *changes(signal: AbortSignal): AsyncGenerator<string> {
    let isChanged = false;
    let wake = (): void => undefined;
    const unfollow = this.follow(() => {
      isChanged = true;
      wake();
    });
    const keepAlive = setInterval(() => wake(), this.keepAliveMs);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      yield STREAM_BEGIN;
      while (!signal.aborted) {
        if (!isChanged) await new Promise<void>(resolve => (wake = resolve));
        if (signal.aborted) return;
        const event = isChanged ? CHANGED : NOTHING_NEW;
        isChanged = false;
        yield event;
      }
    } finally {
      unfollow();
      clearInterval(keepAlive);
    }
  }
}
