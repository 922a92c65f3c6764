import { describeRejectedHeaders, describeRejectedProofs } from './rejections.cases.js';
import { proofVectors } from './testing/node/proof-vectors.js';

describeRejectedProofs(proofVectors);
describeRejectedHeaders();
