/**
 * CRC-8 of polynomial 0x07, from 0, not reflected: SMBus. Of the digits 1 to 9 it is 0xf4.
 *
 * @param crc of the bytes before, where they come in parts
 */
export function crc8(bytes: Uint8Array, crc = 0): number {
  let register = crc;
  for (const byte of bytes) register = CRC8_OF_BYTE[register ^ byte];
  return register;
}

/**
 * CRC-32 of ISO 3309 and IEEE 802.3: polynomial 0x04c11db7, reflected, from and against ones. Of the digits 1 to 9 it is
 * 0xcbf43926.
 *
 * @param crc of the bytes before, where they come in parts
 * @returns 0 to 2³² − 1
 */
export function crc32(bytes: Uint8Array, crc = 0): number {
  let register = ~crc;
  for (const byte of bytes) register = CRC32_OF_BYTE[(register ^ byte) & 0xff] ^ (register >>> 8);
  return ~register >>> 0;
}

const CRC8_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let register = byte;
  for (let bit = 0; bit < 8; bit++) register = (register << 1) ^ (register & 0x80 ? 0x07 : 0);
  return register;
});

const CRC32_OF_BYTE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let register = byte;
  for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (register & 1 ? 0xedb88320 : 0);
  return register;
});
