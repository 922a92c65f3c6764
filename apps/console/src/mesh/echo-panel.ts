import type { MeshPeer } from '@svc/client/mesh';
import { byId, definitions, element } from './dom.js';
import { type EchoMeasurement, measureEcho } from './echo-measurement.js';

const BYTES = 16_777_216;

/** A button that measures the connection of now, and what came of it. */
export function showEcho(peer: MeshPeer): void {
  const button = element('button', { type: 'button' }, 'Measure');
  const result = element('div', { role: 'status' });
  const note = 'Pings on a quiet connection, then 16 MiB of noise there and back, each message compared.';
  byId('echo').append(element('p', { class: 'quiet' }, note), button, element('p'), result);
  const measure = async () => {
    button.disabled = true;
    result.replaceChildren('Measuring…');
    try {
      const measured = await measureEcho(peer, BYTES, () => performance.now());
      result.replaceChildren(definitions(rowsOf(measured)));
    } catch (error) {
      result.replaceChildren(`Not measured: ${(error as Error).message}`);
    } finally {
      button.disabled = false;
    }
  };
  button.addEventListener('click', () => void measure());
}

function rowsOf(measured: EchoMeasurement): [string, string][] {
  return [
    ['Each way', `${measured.megabytesPerSecond.toFixed(1)} MB/s`],
    [
      'Round trip',
      `${measured.roundTripMsMedian.toFixed(1)} ms, slowest ${measured.roundTripMsMax.toFixed(1)} ms`,
    ],
    ['Measured', `${measured.bytes.toLocaleString()} bytes in ${measured.seconds.toFixed(2)} s`],
  ];
}
