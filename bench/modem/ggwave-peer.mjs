import factory from 'ggwave';

const RATE_HZ = 48_000;
const VOLUME = 25;

/** ggwave's ultrasonic protocols, slowest first. */
export const GGWAVE_MODES = ['NORMAL', 'FAST', 'FASTEST'];

/**
 * ggwave as its own documentation uses it: at its native 48 kHz, float samples, the WebAssembly of its package.
 *
 * @param {{ mode: 'NORMAL' | 'FAST' | 'FASTEST'; payloadBytes?: number }} options with `payloadBytes` its fixed-length
 *   protocol: without sound markers, both sides told the length beforehand
 */
export async function openGgwave({ mode, payloadBytes }) {
  const library = await factory({ print() {}, printErr() {} });
  library.disableLog();
  const parameters = library.getDefaultParameters();
  parameters.sampleFormatInp = library.SampleFormat.GGWAVE_SAMPLE_FORMAT_F32;
  parameters.sampleFormatOut = library.SampleFormat.GGWAVE_SAMPLE_FORMAT_F32;
  if (payloadBytes !== undefined) parameters.payloadLength = payloadBytes;
  const protocol = library.ProtocolId[`GGWAVE_PROTOCOL_ULTRASOUND_${mode}`];
  const withInstance = work => {
    // A fresh one each time: what a packet left behind in one must not help or hurt the next.
    const instance = library.init(parameters);
    try {
      return work(instance);
    } finally {
      library.free(instance);
    }
  };
  return {
    name: `ggwave ultrasound ${mode.toLowerCase()}${payloadBytes === undefined ? '' : ', fixed length'}`,
    sampleRateHz: RATE_HZ,
    send: payload =>
      withInstance(instance => {
        const bytes = Uint8Array.from(library.encode(instance, payload, protocol, VOLUME));
        return new Float32Array(bytes.buffer);
      }),
    hear: samples =>
      withInstance(instance => {
        const heard = library.decode(instance, new Uint8Array(samples.buffer));
        return heard.length === 0 ? [] : [Uint8Array.from(heard)];
      }),
  };
}
