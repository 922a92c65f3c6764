export {
  simulateSurface,
  TEXTURE_CONTRAST,
  type SimulatedSurface,
  type SurfaceOptions,
} from './simulated-surface.js';
export { takePicture, type PictureOptions } from './take-picture.js';
export { pictureFile, pngOf, simulatedPicture, type PictureFileOptions } from './picture-file.js';
export { SurfaceAttacker, type Told } from './surface-attacker.js';
