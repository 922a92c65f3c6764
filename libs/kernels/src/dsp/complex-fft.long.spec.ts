// commit: ./complex-fft.spec.ts
import './complex-fft.spec.js';
