import { Inject, Injectable } from '@nestjs/common';
import type { SessionEvent } from '@svc/mesh';
import { ProblemError, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { type Happening, SessionTransitions } from './session-transitions.js';

/** What connections tell of themselves; kept in the sessions. Nothing here throws: what cannot be written is logged. */
export abstract class SessionLedger {
  /** The channels are open. */
  abstract connected(sessionId: string): void;
  /** @param reason `PEER_CLOSED`, `FAILED`, `UNOPENED`, `IDLE`, `DRAINED`, `DELETED` and the like */
  abstract closed(sessionId: string, reason: string): void;
}

/** How often something is tried to be written while the database is away, and how long between. */
const TRIES_MAX = 5;
const RETRY_MS = 1_000;

/** Writes what connections tell of themselves into their sessions, for each session in order. */
@Injectable()
export class PostgresSessionLedger extends SessionLedger {
  private readonly writing = new Map<string, Promise<void>>();
  private isClosing = false;

  constructor(
    private readonly transitions: SessionTransitions,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {
    super();
  }

  connected(sessionId: string): void {
    this.next(sessionId, { event: { type: 'connected' } });
  }

  closed(sessionId: string, reason: string): void {
    this.next(sessionId, { event: eventOf(reason), also: () => ({ reason: reason.slice(0, 64) }) });
  }

  /** Resolves when all that was told is written, or given up. */
  async flush(): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.writing.values());
  }

  private next(sessionId: string, happening: Happening): void {
    const before = this.writing.get(sessionId) ?? Promise.resolve();
    const written = before.then(() => this.write(sessionId, happening));
    this.writing.set(sessionId, written);
    void written.finally(() => {
      if (this.writing.get(sessionId) === written) this.writing.delete(sessionId);
    });
  }

  private async write(sessionId: string, happening: Happening): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.transitions.happen(sessionId, happening);
        return;
      } catch (error) {
        const code = error instanceof ProblemError ? error.code : undefined;
        // Over already: whoever ended it has said why.
        if (code === 'EXPIRED' || code === 'NOT_FOUND') return;
        if (code !== 'SERVICE_UNAVAILABLE' || tries >= TRIES_MAX || this.isClosing) {
          const { logger } = this.environment;
          const of = happening.event.type;
          return void logger.warn(
            { sessionId, of, reason: (error as Error).message },
            'A session was not written',
          );
        }
        await delay(RETRY_MS);
      }
    }
  }
}

function eventOf(reason: string): SessionEvent {
  if (reason === 'FAILED') return { type: 'failed' };
  return { type: 'closed', by: reason === 'PEER_CLOSED' ? 'offerer' : 'service' };
}
