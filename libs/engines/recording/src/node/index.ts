export { DecoderError, ffmpegDecoder } from './ffmpeg-decoder.js';
