import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createWindows, whyNoWindows } from '../../lab/windows/windows.ts';

test.skipIf(whyNoWindows() !== undefined)(
  'Node for Windows runs under wine, loads koffi, and leaves nothing behind for the next test',
  async () => {
    for (const _ of ['first', 'second']) {
      await using windows = await createWindows();
      const script = `
        import koffi from 'koffi';
        import { existsSync, writeFileSync } from 'node:fs';
        const kernel = koffi.load('kernel32.dll');
        const length = kernel.func('uint32 __stdcall GetCurrentDirectoryW(uint32, void *)')(0, null);
        const mark = 'C:\\\\mark';
        console.log(process.platform, length > 0, existsSync(mark));
        writeFileSync(mark, '');
      `;
      await writeFile(path.join(windows.folder, 'script.mjs'), script);
      const { code, output } = await windows.node('script.mjs');
      expect(output).toBe('win32 true false\n');
      expect(code).toBe(0);
      expect(windows.processes('wineserver64')).toHaveLength(1);
    }
  },
);
