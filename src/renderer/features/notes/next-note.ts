import type { Language, PageNote, PageNoteId } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { callApi } from '../../api/call-api.ts';
import { isLocked, noteLock, pageLock } from './note-lock.ts';

/**
 * The first note of a page that may be shown now, if there is one. Throws ApiCallFailed if the service does not answer.
 */
export async function nextNote(
  host: Host,
  page: PageNoteId,
  language: Language,
): Promise<PageNote | undefined> {
  if (await isLocked(host.storage, pageLock(page))) return undefined;
  const { items } = await callApi(host, 'pageNotes', { params: { pageName: page } }, language);
  const locked = await Promise.all(items.map((note) => isLocked(host.storage, noteLock(note))));
  return items.find((_, index) => !locked[index]);
}
