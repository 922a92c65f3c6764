import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/kernels', rootDir: import.meta.dirname };
