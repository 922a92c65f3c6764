// commit: ./rejections.spec.ts
import './rejections.spec.js';
