/** Constants and structures of <mach-o/loader.h>: `struct mach_header_64`, `segment_command_64` and `section_64`. */
const MH_MAGIC_64 = 0xfeed_facf;
const LC_SEGMENT_64 = 0x19;
const headerBytes = 32;
const commandCountAt = 16;
const sectionCountAt = 64;
const segmentBytes = 72;
const sectionBytes = 80;
const nameBytes = 16;
const sectionSizeAt = 40;
const sectionOffsetAt = 48;

/** The content of a section of an object file for macOS; throws if it has none of that name. */
export function readMachoSection(object: Buffer, name: string): Buffer {
  if (object.readUInt32LE(0) !== MH_MAGIC_64) throw new Error('not an object file for macOS on 64 bits');
  let at = headerBytes;
  for (let command = object.readUInt32LE(commandCountAt); command > 0; command -= 1) {
    if (object.readUInt32LE(at) === LC_SEGMENT_64) {
      const count = object.readUInt32LE(at + sectionCountAt);
      for (let index = 0; index < count; index += 1) {
        const section = at + segmentBytes + index * sectionBytes;
        const found = object.toString('latin1', section, section + nameBytes).replace(/\0.*$/s, '');
        if (found !== name) continue;
        const offset = object.readUInt32LE(section + sectionOffsetAt);
        return object.subarray(offset, offset + Number(object.readBigUInt64LE(section + sectionSizeAt)));
      }
    }
    at += object.readUInt32LE(at + 4);
  }
  throw new Error(`the object file has no section ${name}`);
}
