export { canonicalDigest } from './canonical-digest.js';
