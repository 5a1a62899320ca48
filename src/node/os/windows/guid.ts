import { bytes, placeOf, structure } from './structure.ts';

/** A GUID as text, in lower case and without braces. */
export type Guid = `${string}-${string}-${string}-${string}-${string}`;

export const GUID = structure('GUID', { Data1: 'uint32', Data2: 'uint16', Data3: 'uint16', Data4: bytes(8) });

/** The first three parts are numbers, lowest byte first; the rest are bytes (RFC 9562 §4, of Microsoft's GUIDs). */
export function guidBytes(guid: Guid): Buffer {
  const given = Buffer.from(guid.replaceAll('-', ''), 'hex');
  if (given.length !== 16) throw new TypeError(`not a GUID: ${guid}`);
  given.subarray(0, 4).reverse();
  given.subarray(4, 6).reverse();
  given.subarray(6, 8).reverse();
  return given;
}

export function guidOfBytes(given: Uint8Array): Guid {
  const bytesInOrder = Buffer.from(given.subarray(0, 16));
  bytesInOrder.subarray(0, 4).reverse();
  bytesInOrder.subarray(4, 6).reverse();
  bytesInOrder.subarray(6, 8).reverse();
  const text = bytesInOrder.toString('hex');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** The same as a value of the structure. */
export function guidValue(guid: Guid) {
  const given = guidBytes(guid);
  return {
    Data1: given.readUInt32LE(0),
    Data2: given.readUInt16LE(placeOf(GUID, 'Data2')),
    Data3: given.readUInt16LE(placeOf(GUID, 'Data3')),
    Data4: given.subarray(placeOf(GUID, 'Data4')),
  };
}
