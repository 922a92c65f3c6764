// commit: ./tasks.e2e.spec.ts
import { describeTasks } from './tasks.cases.js';

describeTasks();
