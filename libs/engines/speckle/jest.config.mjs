import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/speckle', rootDir: import.meta.dirname };
