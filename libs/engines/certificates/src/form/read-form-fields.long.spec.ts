// commit: ./read-form-fields.spec.ts
import './read-form-fields.spec.js';
