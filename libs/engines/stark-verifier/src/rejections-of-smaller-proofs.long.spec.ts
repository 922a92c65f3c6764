// commit: ./rejections.spec.ts
import { describeRejectedHeaders, describeRejectedProofs, largestProof } from './rejections.cases.js';
import { proofVectors } from './testing/node/proof-vectors.js';

describeRejectedProofs(proofVectors.filter(vector => vector !== largestProof));
describeRejectedHeaders();
