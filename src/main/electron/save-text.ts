import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { app, dialog } from 'electron';
import type { Logger } from 'pino';
import type { SaveText } from '../diagnostics/report-host.ts';

/** Writes a text to a file that the user chooses, readable only by this user. */
export function createSaveText(log: Logger): SaveText {
  return async (suggestedName, text) => {
    const { canceled, filePath } = await dialog.showSaveDialog({
      defaultPath: path.join(app.getPath('documents'), suggestedName),
    });
    if (canceled || filePath === '') return 'cancelled';
    try {
      await writeFile(filePath, text, { mode: 0o600 });
      return 'saved';
    } catch (error) {
      log.warn({ err: error }, 'the report could not be saved');
      return 'failed';
    }
  };
}
