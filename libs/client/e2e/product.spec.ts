import { svcOnceAsProcess } from './command-line.js';
import { describeProduct } from './product.cases.js';

// All verbs are linked into one program: one of them reads its input, the other loads what it alone needs.
describeProduct({ svc: svcOnceAsProcess(['prove', 'wal']), flips: 20, size: { degree: 64 } });
