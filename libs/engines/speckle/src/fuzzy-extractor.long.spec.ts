// commit: ./fuzzy-extractor.spec.ts
import './fuzzy-extractor.spec.js';
