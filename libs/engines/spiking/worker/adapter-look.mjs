// Tells the process that forked it which adapter the machine's driver offers first, or why none can be asked for
// (src/node/webgpu/adapter-look.ts). Plain JavaScript outside src, so that the built package and the tests start the same file.
let look;
try {
  const { create } = await import('webgpu');
  const gpu = create([]);
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter?.info ?? {};
  look = { info: adapter && { vendor, architecture, device, description, isFallbackAdapter } };
} catch (error) {
  look = { fault: String(error?.message ?? error).split('\n')[0] };
}
process.send(look, () => process.exit());
