// commit: ./stored-news.spec.ts
import './stored-news.spec.js';
