// commit: ./plain-form.spec.ts
import './plain-form.spec.js';
