import { svcOnceAsProcess } from './command-line.js';
import { describeProduct } from './product.cases.js';

describeProduct({ svc: svcOnceAsProcess(), flips: 20, size: { degree: 64 } });
