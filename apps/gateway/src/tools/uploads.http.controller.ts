import { Body, Controller, Header, UseInterceptors } from '@nestjs/common';
import { type Upload, uploadsContract, uploadsRoutes } from '@svc/contracts';
import { Endpoint, UnpaidWork } from '@svc/edge';
import { BusClient, problem } from '@svc/platform';

/** Files for calls over MCP, whose messages are short. */
@Controller()
export class UploadsHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(uploadsRoutes.create)
  @Header('cache-control', 'no-store')
  @UseInterceptors(UnpaidWork)
  upload(@Body() file: Buffer | undefined): Promise<Upload> {
    if (file) return this.bus.call(uploadsContract.add, { file });
    const errors = [{ path: '', message: 'is empty: send the bytes of the file', bound: 1, got: 0 }];
    throw problem('VALIDATION_FAILED', 'The body is empty: send the bytes of the file', { errors });
  }
}
