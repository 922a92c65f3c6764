// commit: ./parcel.spec.ts
import './parcel.spec.js';
