import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { iconFile } from '../../../../packaging/desktop/icons.ts';

const source = path.resolve(import.meta.dirname, '../../../helper/windows/installer/window-double.c');

/** The resources of Electron's program for Windows, by the names that its own script has (electron.rc). */
const script = (icon: string, manifest: string) => `
#include <windows.h>
1 ICON "${icon}"
1 RT_MANIFEST "${manifest}"
VS_VERSION_INFO VERSIONINFO
 FILEVERSION 45,4,1,0
 PRODUCTVERSION 45,4,1,0
 FILEFLAGSMASK 0x3fL
 FILEOS VOS_NT_WINDOWS32
 FILETYPE VFT_APP
BEGIN
  BLOCK "StringFileInfo"
  BEGIN
    BLOCK "040904b0"
    BEGIN
      VALUE "CompanyName", "GitHub, Inc."
      VALUE "FileDescription", "Electron"
      VALUE "FileVersion", "45.4.1"
      VALUE "InternalName", "electron.exe"
      VALUE "LegalCopyright", "Copyright (C) 2015 GitHub, Inc. All rights reserved."
      VALUE "OriginalFilename", "electron.exe"
      VALUE "ProductName", "Electron"
      VALUE "ProductVersion", "45.4.1"
      VALUE "SquirrelAwareVersion", "1"
    END
  END
  BLOCK "VarFileInfo"
  BEGIN
    VALUE "Translation", 0x409, 1200
  END
END
`;

const manifest = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
    <security><requestedPrivileges><requestedExecutionLevel level="asInvoker" uiAccess="false"/></requestedPrivileges></security>
  </trustInfo>
</assembly>
`;

/** An icon file with one of our pictures in it, in the place of Electron's. */
function otherIcon(): Buffer {
  const picture = readFileSync(iconFile(32));
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(32, 6);
  header.writeUInt8(32, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(picture.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, picture]);
}

/**
 * Makes a program for Windows in the place of Electron's, which could not be had here: with its fuses, and with
 * resources like its own. It only notes that it was started.
 */
export function makeElectronProgram(program: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-resources-'));
  const made = (name: string, content: string | Buffer) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  try {
    const text = script(made('electron.ico', otherIcon()), made('electron.manifest', manifest));
    const resources = path.join(folder, 'resources.o');
    execFileSync('x86_64-w64-mingw32-windres', [made('electron.rc', text), resources]);
    const words = ['-Os', '-Wall', '-Wextra', '-Werror', '-s', '-o', program, source, resources];
    execFileSync('x86_64-w64-mingw32-gcc', words);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
