// Tells the process that forked it which adapter the machine's driver offers first, or why none can be asked for
// (src/node/webgpu/adapter-look.ts). Plain JavaScript outside src, so that the built package and the tests start the same file.

async function look() {
  try {
    const { create } = await import('webgpu');
    const gpu = create([]);
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) return { info: null };
    // Getters of a native object: a copy can be sent.
    const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
    return { info: { vendor, architecture, device, description, isFallbackAdapter } };
  } catch (error) {
    return { fault: String(error?.message ?? error).split('\n')[0] };
  }
}

process.send(await look(), () => process.exit());
