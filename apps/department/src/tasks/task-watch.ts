import { Injectable } from '@nestjs/common';

/** Wakes whoever waits in this process for the next step of a task. What happens in another one is found by looking. */
@Injectable()
export class TaskWatch {
  private readonly waiting = new Map<string, Set<() => void>>();

  changed(taskId: string): void {
    for (const wake of this.waiting.get(taskId) ?? []) wake();
  }

  /** Resolves at the next change of the task that is made here, or after the time. */
  next(taskId: string, waitMs: number): Promise<void> {
    return new Promise(resolve => {
      const wakes = this.waiting.get(taskId) ?? new Set<() => void>();
      const wake = () => {
        clearTimeout(timer);
        wakes.delete(wake);
        if (wakes.size === 0 && this.waiting.get(taskId) === wakes) this.waiting.delete(taskId);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      timer.unref();
      wakes.add(wake);
      this.waiting.set(taskId, wakes);
    });
  }
}
