// commit: ./key-entropy.spec.ts
import './key-entropy.spec.js';
