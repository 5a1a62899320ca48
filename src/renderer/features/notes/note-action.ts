import { sanitizeNextPath } from '#shared/validation.ts';
import { webAddress } from '#shared/host/web-address.ts';

/** What confirming a note opens: a page of this app, or a web page. */
export type NoteAction = { kind: 'page'; path: string } | { kind: 'web'; address: string };

/** A note's clickAction if it may be opened; anything else is ignored. */
export function noteAction(clickAction: string | null): NoteAction | undefined {
  if (clickAction === null) return undefined;
  if (clickAction.startsWith('/')) {
    return sanitizeNextPath(clickAction) === clickAction ? { kind: 'page', path: clickAction } : undefined;
  }
  const address = webAddress(clickAction);
  return address === undefined ? undefined : { kind: 'web', address };
}
