import { describeJobDeathPoints } from './job-death-points.cases.js';
import { describeJobQueue } from './job-queue.cases.js';
import { describeMigrations } from './migrations.cases.js';

describeJobDeathPoints();
describeJobQueue();
describeMigrations();
