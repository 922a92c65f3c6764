import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/mesh-signalling', rootDir: import.meta.dirname };
