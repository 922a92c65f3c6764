// commit: ./update-reader.spec.ts
import './update-reader.spec.js';
