import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/recording', rootDir: import.meta.dirname };
