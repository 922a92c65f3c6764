import { Injectable } from '@nestjs/common';
import { MeasurementRegistry } from '@svc/platform';
import { Tickets } from './tickets.js';

/** Tickets of one round. */
const ROUND_MAX = 100;

/** Figure of `/health`: tickets that nobody used in time and that this replica gave back since it began. */
export const EXPIRED_TICKETS = 'expiredTickets';

/** Gives back what unused tickets hold once their time has passed. Replicas share the work. */
@Injectable()
export class TicketSweeper {
  private endedCount = 0;

  constructor(
    private readonly tickets: Tickets,
    private readonly measurements: MeasurementRegistry,
  ) {
    measurements.declare(EXPIRED_TICKETS, 'no round of the sweeper has ended yet');
  }

  /** One round; returns how many tickets it ended. */
  async sweep(): Promise<number> {
    let ended = 0;
    let failure: unknown;
    // Each in a transaction of its own, so that one that fails keeps none of the others.
    for (const ticketId of await this.tickets.overdue(ROUND_MAX)) {
      try {
        if (await this.tickets.expireIfFree(ticketId)) ended++;
      } catch (error) {
        failure ??= error;
      }
    }
    this.endedCount += ended;
    this.measurements.set(EXPIRED_TICKETS, this.endedCount);
    if (failure !== undefined) throw failure;
    return ended;
  }
}
