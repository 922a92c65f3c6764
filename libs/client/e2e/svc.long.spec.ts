// commit: ./svc.spec.ts
import { mustBeBuilt, svcAsProcess } from './command-line.js';
import { describeSvc } from './svc.cases.js';

beforeAll(() => mustBeBuilt());

describeSvc(svcAsProcess);
