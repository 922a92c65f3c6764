// commit: ./bad-files.spec.ts
import './bad-files.spec.js';
