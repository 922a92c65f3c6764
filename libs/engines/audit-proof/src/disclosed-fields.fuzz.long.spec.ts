// commit: ./disclosed-fields.fuzz.spec.ts
import './disclosed-fields.fuzz.spec.js';
