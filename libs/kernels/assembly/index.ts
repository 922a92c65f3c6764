export { batchInverse } from './batch-inverse';
export { blake3Many } from './blake3';
export { constraintScratchBytes } from './constraint-program';
export { evaluateConstraints } from './constraints';
export {
  combineColumns,
  divideByLinear,
  divideByLinearBase,
  evaluateAtPowers,
  extensionMul,
  extensionPowers,
  foldByEight,
} from './extension';
export { glAdd, glInverse, glMul, glPow, glSub } from './goldilocks';
export { vectorAdd, vectorMul, vectorScale, vectorSub } from './goldilocks-x2';
export { grind, grindTogether } from './grinding';
export { climbMultiproof, hashCosetLeaves, hashParents, packLeaf, scratchBytes } from './merkle';
export { bitReverseCopy, bitReversedRoots, inverseNtt, ntt, nttGroups, rootOfUnity, twiddleTree } from './ntt';
export { deepValues, evaluateAtBasePoints, foldCosets } from './opened-rows';
export { poseidon2Permute, sboxColumns, spongeStates } from './poseidon2';
export { m31SboxColumns, m31SpongeStates } from './poseidon2-m31';
export { iterateRows } from './recurrence';
export { splitThreeResidues, splitTwoResidues } from './residues';
export { heapBase, setScratch } from './scratch';
export { circleConstraints } from './circle-constraints';
export { circleDeep } from './circle-deep';
export { circleFft, circleFftLeaves, circleFftPrefix, circleInverseFft } from './circle-fft';
export { circleHashLeaves, circleLeafScratchBytes, circlePackLeaf } from './circle-leaves';
export {
  circleDeepRows,
  circleFoldLeaves,
  circleLeafPoints,
  circleLeafTwiddles,
  circleLineValues,
  circlePointsAt,
} from './circle-opened-rows';
export { circleLine, circleOrderCopy, circleRowFactor, circleTwiddles } from './circle-points';
export {
  m31BatchInverse,
  m31VectorAdd,
  m31VectorAddScaled,
  m31VectorMul,
  m31VectorScale,
  m31VectorSub,
} from './m31';
export { combineColumns as qm31Combine, qm31Evaluate, qm31FoldByEight, qm31TensorBasis, qm31VectorMul } from './qm31';
