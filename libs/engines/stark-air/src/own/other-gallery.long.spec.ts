// commit: ./other-gallery.spec.ts
import './other-gallery.spec.js';
