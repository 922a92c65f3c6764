export { glAdd, glInverse, glMul, glPow, glSub } from './goldilocks';
export { vectorAdd, vectorMul, vectorScale, vectorSub } from './goldilocks-x2';
export { bitReverseCopy, bitReversedRoots, inverseNtt, ntt, rootOfUnity, twiddleTree } from './ntt';
export { blake3Many } from './blake3';
export { setScratch } from './scratch';
