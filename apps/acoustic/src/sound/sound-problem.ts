import { ThreadTasksError } from '@svc/modem/node';
import { ModemError, type ModemErrorCode } from '@svc/modem';
import { problem, unprocessable } from '@svc/platform';
import { RecordingError } from '@svc/recording';

const BUSY_RETRY_SECONDS = 2;

/** Which field of a request a fault of the modem is about. */
const FIELDS: Readonly<Partial<Record<ModemErrorCode, string>>> = {
  CARRIER: 'carrierHz',
  BAUD: 'baud',
  LINE_CODE: 'lineCode',
  PAYLOAD_EMPTY: 'payloadHex',
  PAYLOAD_TOO_LONG: 'payloadHex',
};

/** What the modem, its threads and its recordings say, as a problem; anything else as it is. */
export function soundProblem(error: unknown): unknown {
  if (error instanceof ThreadTasksError) {
    return problem('OVERLOADED', error.message, { retryAfterSeconds: BUSY_RETRY_SECONDS, cause: error });
  }
  if (error instanceof ModemError) {
    const { code, message, limits } = error;
    return unprocessable(FIELDS[code] ?? 'recordingBase64', message, boundOf(limits));
  }
  if (!(error instanceof RecordingError)) return error;
  const { code, field, message } = error;
  const extensions = { recordingFault: code, recordingField: field };
  return unprocessable('recordingBase64', message, { ...boundOf(error), extensions });
}

function boundOf({ min, max, got }: { min?: number; max?: number; got?: number | string }) {
  const bound = [min, max].filter(limit => limit !== undefined).join(' … ');
  return { ...(bound && { bound }), ...(got !== undefined && { got: String(got) }) };
}
