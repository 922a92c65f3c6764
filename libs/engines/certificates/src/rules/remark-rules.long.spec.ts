// commit: ./remark-rules.spec.ts
import './remark-rules.spec.js';
