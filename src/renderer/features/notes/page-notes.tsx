import { useEffect, useEffectEvent, useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { pageNote as limits } from '#shared/constants.ts';
import type { PageNote, PageNoteId } from '#shared/entities.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { withAllTexts } from '../../i18n/with-all-texts.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { loadChunk } from '../../ui/loading/load-chunk.ts';
import { showError } from '../../ui/messages/toast.ts';
import { withMantine } from '../../ui/theme/with-mantine.tsx';
import { nextNote } from './next-note.ts';
import type { NoteAction } from './note-action.ts';
import type { NoteDialogProps } from './note-dialog.tsx';
import { lock, noteLock, pageLock, type NoteLock } from './note-lock.ts';
import { notePageOf } from './note-page.ts';

/** Shows the announcements of the current page (specification §4). */
export function PageNotes() {
  const { pathname } = useLocation();
  const { kind } = useApp();
  const page = notePageOf(pathname, kind);
  return page && <NoteOfPage key={pathname} page={page} />;
}

const loadDialog = withMantine(async () => (await import('./note-dialog.tsx')).NoteDialog);

interface Shown {
  note: PageNote;
  /** Loaded only if there is something to show, because it includes the HTML sanitizer. */
  Dialog: ComponentType<NoteDialogProps>;
}

function NoteOfPage({ page }: { page: PageNoteId }) {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const navigate = useNavigate();
  const [shown, setShown] = useState<Shown>();

  const keepLocked = async (one: NoteLock) => {
    if (!(await lock(host.storage, one).catch(() => false))) showError(t('error.storage'));
  };
  const findNote = useEffectEvent(() => nextNote(host, page, language));
  const lockPage = useEffectEvent(() => keepLocked(pageLock(page)));
  // Once per page: texts or a language that arrive later do not show it again.
  useEffect(() => {
    const left = new AbortController();
    const show = async () => {
      const [note] = await Promise.all([findNote(), pageStood(left.signal)]);
      if (!note || left.signal.aborted) return;
      const Dialog = await loadChunk(withAllTexts(loadDialog));
      if (left.signal.aborted) return;
      setShown({ note, Dialog });
      await lockPage();
    };
    // If the announcement cannot be fetched, there is none; the next visit asks again.
    show().catch(() => undefined);
    return () => left.abort();
  }, []);

  if (!shown) return null;
  const { note, Dialog } = shown;
  const close = () => {
    setShown(undefined);
    void keepLocked(noteLock(note));
  };
  const confirm = async (action: NoteAction | undefined) => {
    close();
    switch (action?.kind) {
      case undefined:
        return;
      case 'page':
        await navigate(action.path);
        return;
      case 'web':
        if (!(await host.app.openExternal(action.address).catch(() => false))) showError(t('note.refused'));
        return;
      default:
        action satisfies never;
    }
  };
  return <Dialog note={note} onDismiss={close} onConfirm={(action) => void confirm(action)} />;
}

/** Resolves when the page has been shown long enough; never, if the user leaves it before. */
function pageStood(left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limits.delaySeconds * 1000);
    left.addEventListener('abort', () => clearTimeout(timer));
  });
}
