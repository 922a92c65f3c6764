export default {
  projects: [
    '<rootDir>/apps/*',
    '<rootDir>/tools/sandbox',
    '<rootDir>/libs/!(engines)',
    '<rootDir>/libs/engines/*',
  ],
  // A worker keeps the modules of every file that it has run; what grows beyond this is replaced.
  workerIdleMemoryLimit: '1GB',
  // Ends what hangs. A service that starts on two busy cores may take minutes, and no test is about how long it takes.
  testTimeout: 240_000,
};
