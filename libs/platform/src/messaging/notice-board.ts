import type { ServiceName } from '@svc/contracts';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { BusLink } from './bus-link.js';
import { decodeEnvelope, encodeEnvelope } from './envelope.js';

/**
 * What the replicas of one service tell one another: each notice reaches every replica that is there, the one that tells
 * it too, at most once. It is for what is useful to know and not relied upon: who is away does not hear of it later.
 *
 * The subject is `notices.<service>.<name>`: outside of what the service answers, where a message goes to one replica alone.
 *
 * @example
 * const ended = new NoticeBoard(link, 'snn', 'call-ended', z.object({ callId: z.string() }), logger);
 * ended.hear(({ callId }) => calls.end(callId));
 * ended.tell({ callId });
 */
export class NoticeBoard<S extends z.ZodType> {
  private readonly subject: string;

  constructor(
    private readonly link: BusLink,
    service: ServiceName,
    name: string,
    private readonly schema: S,
    private readonly logger: Logger,
  ) {
    this.subject = `notices.${service}.${name}`;
  }

  /** Tells every replica; while the bus is away nobody, and that is logged. Never throws for the bus. */
  tell(notice: z.input<S>): void {
    const envelope = encodeEnvelope(notice);
    try {
      this.link.tell(this.subject, envelope);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message, subject: this.subject }, 'A notice was not told');
    }
  }

  /** Hears notices of replicas, of this version or another: what does not match the schema is passed over. */
  hear(onNotice: (notice: z.output<S>) => void): void {
    this.link.hear(this.subject, envelope => {
      const decoded = decodeEnvelope(envelope);
      const parsed = decoded.ok ? this.schema.safeParse(decoded.value) : undefined;
      if (parsed?.success) return onNotice(parsed.data);
      return this.logger.warn({ subject: this.subject }, 'A notice could not be read');
    });
  }
}
