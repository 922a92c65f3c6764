// commit: ./async8n1.spec.ts
import './async8n1.spec.js';
