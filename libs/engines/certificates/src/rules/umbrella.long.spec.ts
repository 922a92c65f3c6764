// commit: ./umbrella.spec.ts
import './umbrella.spec.js';
