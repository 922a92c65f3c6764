import { mustBeBuilt, svcAsProcess, svcInProcess } from './command-line.js';
import { describeSvc } from './svc.cases.js';

beforeAll(() => mustBeBuilt());

// Ctrl-C takes a process.
describeSvc((args, options) => (options?.interrupt ? svcAsProcess : svcInProcess)(args, options));
