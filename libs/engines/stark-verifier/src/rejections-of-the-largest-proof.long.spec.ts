// commit: ./rejections.spec.ts
import { describeRejectedProofs, largestProof } from './rejections.cases.js';

describeRejectedProofs([largestProof]);
