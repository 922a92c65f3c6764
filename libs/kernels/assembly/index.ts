export { batchInverse } from './batch-inverse';
export { blake3Many } from './blake3';
export { constraintScratchBytes, evaluateConstraints } from './constraints';
export {
  accumulateColumns,
  accumulateScaled,
  cubicPowers,
  cubicVectorMul,
  divideByLinear,
  divideByLinearBase,
  evaluateAtPowers,
  foldByEight,
  splitResidues,
} from './cubic';
export { glAdd, glInverse, glMul, glPow, glSub } from './goldilocks';
export { vectorAdd, vectorMul, vectorScale, vectorSub } from './goldilocks-x2';
export { grind } from './grinding';
export { hashCosetLeaves, hashParents, packLeaf, scratchBytes } from './merkle';
export { bitReverseCopy, bitReversedRoots, inverseNtt, ntt, rootOfUnity, twiddleTree } from './ntt';
export { deepValues, foldCosets } from './opened-rows';
export { hashChainStates, poseidon2Permute, sboxColumns } from './poseidon2';
export { heapBase, setScratch } from './scratch';
