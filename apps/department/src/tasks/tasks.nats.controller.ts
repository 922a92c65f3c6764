import { Controller } from '@nestjs/common';
import { departmentTaskContract, type ParsedRequestOf, type ReplyOf, type Task } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { TaskService } from './task.service.js';

const { departments, quoteTask, admitTask, submitTask, task, taskOfClaim, cancelTask, taskEnd, taskEvents } =
  departmentTaskContract;

@Controller()
export class TasksNatsController {
  constructor(private readonly tasks: TaskService) {}

  @Handle(departments)
  departments(): Promise<ReplyOf<typeof departments>> {
    return this.tasks.departments();
  }

  @Handle(quoteTask)
  quote(request: ParsedRequestOf<typeof quoteTask>): ReplyOf<typeof quoteTask> {
    return this.tasks.quote(request);
  }

  @Handle(admitTask)
  admit(request: ParsedRequestOf<typeof admitTask>): Promise<ReplyOf<typeof admitTask>> {
    return this.tasks.admit(request);
  }

  @Handle(submitTask)
  submit(request: ParsedRequestOf<typeof submitTask>): Promise<Task> {
    return this.tasks.submit(request);
  }

  @Handle(task)
  task(request: ParsedRequestOf<typeof task>): Promise<Task> {
    return this.tasks.task(request);
  }

  @Handle(taskOfClaim)
  taskOfClaim(claim: ParsedRequestOf<typeof taskOfClaim>): Promise<ReplyOf<typeof taskOfClaim>> {
    return this.tasks.taskOfClaim(claim);
  }

  @Handle(cancelTask)
  cancel(request: ParsedRequestOf<typeof cancelTask>): Promise<Task> {
    return this.tasks.cancel(request);
  }

  @Handle(taskEnd)
  end(request: ParsedRequestOf<typeof taskEnd>): Promise<ReplyOf<typeof taskEnd>> {
    return this.tasks.end(request);
  }

  @Handle(taskEvents)
  events(request: ParsedRequestOf<typeof taskEvents>): Promise<ReplyOf<typeof taskEvents>> {
    return this.tasks.events(request);
  }
}
