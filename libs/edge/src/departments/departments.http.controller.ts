import { Body, Controller, Header, Headers, Param, Req, Res } from '@nestjs/common';
import {
  DEPARTMENT_IDS,
  departmentsRoutes,
  departmentTaskContract,
  type ReplyOf,
  type Task,
  TaskId,
  TaskRequest,
} from '@svc/contracts';
import { BusClient, parseOrProblem, problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Endpoint } from '../endpoint/endpoint.decorator.js';
import { preferredType } from '../http/accept.js';
import { EventStreams } from '../http/event-streams.js';
import { isEmptyBody } from '../payment/presented-credential.js';
import { taskEventStream } from './task-event-stream.js';
import { TaskSale } from './task-sale.js';
import { TicketedTask } from './ticketed-task.js';

type DeptId = (typeof DEPARTMENT_IDS)[number];
type Quote = ReplyOf<typeof departmentTaskContract.quoteTask>;
/** How long a desk is not asked again what a capability is paid as. */
const QUOTE_KEPT_MS = 60_000;
const EVENT_STREAM_TYPE = 'text/event-stream';
const TYPES = ['application/json', EVENT_STREAM_TYPE] as const;
const NamedTask = z.object({ taskId: TaskId });
const LastEventId = departmentsRoutes.task.headers;

/** The desks and their tasks. A task answers whoever holds its unguessable id. */
@Controller()
export class DepartmentsHttpController {
  private readonly quotes = new Map<string, { readonly quote: Quote; readonly untilMs: number }>();

  constructor(
    private readonly bus: BusClient,
    private readonly sale: TaskSale,
    private readonly ticketed: TicketedTask,
    private readonly streams: EventStreams,
  ) {}

  @Endpoint(departmentsRoutes.list)
  @Header('cache-control', 'no-store')
  list(): Promise<ReplyOf<typeof departmentTaskContract.departments>> {
    return this.bus.call(departmentTaskContract.departments, {});
  }

  @Endpoint(departmentsRoutes.department)
  @Header('cache-control', 'no-store')
  async department(
    @Param('deptId') named: string,
  ): Promise<ReplyOf<typeof departmentTaskContract.departments>['departments'][number]> {
    const deptId = deskOf(named);
    const { departments } = await this.bus.call(departmentTaskContract.departments, {});
    const department = departments.find(each => each.deptId === deptId);
    if (!department) throw problem('NOT_FOUND', `The desk ${deptId} is not served here`);
    return department;
  }

  @Endpoint(departmentsRoutes.submit)
  async submit(
    @Param('deptId') named: string,
    @Headers('prefer') prefer: string | undefined,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const deptId = deskOf(named);
    const { capability } = isEmptyBody(body) ? {} : parseOrProblem(TaskRequest, body);
    const quote = await this.quoteOf(deptId, capability);
    const seller = quote.paidBy === 'ticket' ? this.ticketed : this.sale;
    return seller.answer({ deptId, request, reply, prefer }, quote.operationId);
  }

  /** What a capability is paid as, which changes with the version of its desk alone. @throws ProblemError VALIDATION_FAILED */
  private async quoteOf(deptId: DeptId, capability: string | undefined): Promise<Quote> {
    const name = `${deptId} ${capability ?? ''}`;
    const known = this.quotes.get(name);
    if (known && known.untilMs > Date.now()) return known.quote;
    const quote = await this.bus.call(departmentTaskContract.quoteTask, { deptId, capability });
    // Of what the desks have alone, so that callers cannot fill it.
    this.quotes.set(name, { quote, untilMs: Date.now() + QUOTE_KEPT_MS });
    return quote;
  }

  @Endpoint(departmentsRoutes.task)
  async task(
    @Param('deptId') named: string,
    @Param({ schema: NamedTask }) { taskId }: { taskId: string },
    @Headers('accept') accept: string | undefined,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const deptId = deskOf(named);
    reply.header('vary', 'accept').header('cache-control', 'no-store');
    if (preferredType(accept, TYPES) !== EVENT_STREAM_TYPE) {
      await reply.send(await this.bus.call(departmentTaskContract.task, { deptId, taskId }));
      return;
    }
    const headers = parseOrProblem(LastEventId, { 'Last-Event-ID': lastEventId });
    const followed = { deptId, taskId, after: Number(headers['Last-Event-ID'] ?? 0) };
    const first = await this.bus.call(departmentTaskContract.taskEvents, { ...followed, waitMs: 0 });
    if (first.ended && first.events.length === 0) {
      await reply.status(204).send();
      return;
    }
    const source = (signal: AbortSignal) => taskEventStream(this.bus, followed, first, signal);
    await this.streams.send(reply, 'events of tasks', source);
  }

  @Endpoint(departmentsRoutes.cancelTask)
  @Header('cache-control', 'no-store')
  cancelTask(
    @Param('deptId') named: string,
    @Param({ schema: NamedTask }) { taskId }: { taskId: string },
  ): Promise<Task> {
    return this.bus.call(departmentTaskContract.cancelTask, { deptId: deskOf(named), taskId });
  }

  @Endpoint(departmentsRoutes.callbackKeys)
  @Header('cache-control', 'public, max-age=300')
  callbackKeys(): Promise<ReplyOf<typeof departmentTaskContract.callbackKeys>> {
    return this.bus.call(departmentTaskContract.callbackKeys, {});
  }
}

/** @throws ProblemError NOT_FOUND: a desk is part of the path, and one that is not there is no fault of the request's form */
function deskOf(named: string): DeptId {
  const deptId = DEPARTMENT_IDS.find(each => each === named);
  if (deptId !== undefined) return deptId;
  throw problem('NOT_FOUND', `There is no such desk; there are ${DEPARTMENT_IDS.join(', ')}`, {
    extensions: { departments: DEPARTMENT_IDS },
  });
}
