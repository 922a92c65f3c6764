import { describeCallbacks } from './callbacks.cases.js';
import { describeComputedTasks } from './computed-tasks.cases.js';
import { describeRendezvousTasks } from './rendezvous-tasks.cases.js';
import { describeTaskQueue } from './task-queue.cases.js';
import { describeTasks } from './tasks.cases.js';

describeTasks();
describeComputedTasks();
describeTaskQueue();
describeRendezvousTasks();
describeCallbacks();
