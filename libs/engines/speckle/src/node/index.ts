export { decodeImage } from './decode-image.js';
export { SurfaceThreads, SurfaceThreadsError } from './surface-threads.js';
