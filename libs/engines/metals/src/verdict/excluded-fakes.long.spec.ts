// commit: ./excluded-fakes.spec.ts
import './excluded-fakes.spec.js';
