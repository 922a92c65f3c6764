export { ffmpegDecoder } from './ffmpeg-decoder.js';
