import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes the settings file that the app finds at its next start, as a user's earlier choices. */
export async function writeAppSettings(userData: string, settings: Record<string, unknown>): Promise<void> {
  await mkdir(userData, { recursive: true });
  await writeFile(path.join(userData, 'settings.json'), JSON.stringify(settings));
}
