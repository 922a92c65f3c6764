// commit: ./valuation-accuracy.spec.ts
import './valuation-accuracy.spec.js';
