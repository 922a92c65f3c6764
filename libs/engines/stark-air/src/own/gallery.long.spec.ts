// commit: ./gallery.spec.ts
import './gallery.spec.js';
