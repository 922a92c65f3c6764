import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { PAID_OPERATION, type PaidOperation } from './paid-operation.js';
import { PaymentDesk } from './payment-desk.js';

/** Stands before every priced route, and has the payment desk answer it. */
@Injectable()
export class PaymentInterceptor implements NestInterceptor {
  constructor(
    private readonly desk: PaymentDesk,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = this.reflector.get<PaidOperation>(PAID_OPERATION, context.getHandler());
    const status = this.reflector.get<number | undefined>(HTTP_CODE_METADATA, context.getHandler()) ?? 201;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const run = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(this.desk.answer({ operation, request, reply, run, status }));
  }
}
