// commit: ./product.spec.ts
// watches: apps/allinone/src
import { svcAsProcess } from './command-line.js';
import { describeProduct } from './product.cases.js';

describeProduct({ svc: svcAsProcess, flips: 2_000 });
