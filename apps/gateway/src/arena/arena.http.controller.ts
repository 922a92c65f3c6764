import { Controller, Query, UseInterceptors } from '@nestjs/common';
import { arenaContract, type ArenaLeaders, type ArenaLeadersQuery, arenaRoutes } from '@svc/contracts';
import { Endpoint, UnpaidWork } from '@svc/edge';
import { BusClient } from '@svc/platform';

/** The board of the arena; its challenges are calls of a tool. */
@Controller()
export class ArenaHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(arenaRoutes.leaders)
  @UseInterceptors(UnpaidWork)
  leaders(@Query({ schema: arenaRoutes.leaders.query }) query: ArenaLeadersQuery): Promise<ArenaLeaders> {
    return this.bus.call(arenaContract.leaders, query);
  }
}
