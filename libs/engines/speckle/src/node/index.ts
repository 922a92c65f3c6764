export { decodeImage, IMAGE_PIXELS_MAX } from './decode-image.js';
export { SurfaceThreads, SurfaceThreadsError } from './surface-threads.js';
