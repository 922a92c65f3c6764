import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/mesh', rootDir: import.meta.dirname };
