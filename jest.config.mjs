export default { projects: ['<rootDir>/apps/*', '<rootDir>/libs/!(engines)', '<rootDir>/libs/engines/*'] };
