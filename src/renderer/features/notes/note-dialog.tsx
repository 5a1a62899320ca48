import { Button } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { PageNote } from '#shared/entities.ts';
import { useHost } from '../../platform/host-context.tsx';
import dialogClasses from '../../ui/dialogs/dialog.module.css';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { showError } from '../../ui/messages/toast.ts';
import { noteAction, type NoteAction } from './note-action.ts';
import classes from './note.module.css';
import { sanitizeNote } from './sanitize-note.ts';

export interface NoteDialogProps {
  note: PageNote;
  onDismiss: () => void;
  /** `action`: what the note offers to open, if it may be opened. */
  onConfirm: (action: NoteAction | undefined) => void;
}

/**
 * An announcement. It appears by itself, so the title has the focus: a key press that was meant for something else must
 * not answer it.
 */
export function NoteDialog({ note, onDismiss, onConfirm }: NoteDialogProps) {
  const { t } = useTranslation();
  const action = noteAction(note.clickAction);
  return (
    <Dialog title={note.title} focus="title" onClose={onDismiss}>
      <NoteBody html={note.htmlBody} />
      <div className={dialogClasses.actions}>
        {action && (
          <Button variant="default" onClick={onDismiss}>
            {t('note.dismiss')}
          </Button>
        )}
        <Button onClick={() => onConfirm(action)}>{t(action ? 'note.open' : 'note.confirm')}</Button>
      </div>
    </Dialog>
  );
}

function NoteBody({ html }: { html: string }) {
  const { t } = useTranslation();
  const host = useHost();
  const body = useRef<HTMLDivElement>(null);
  const describe = useEffectEvent((link: Element) =>
    link.setAttribute('aria-description', t('shell.newWindow')),
  );
  useEffect(() => {
    const note = sanitizeNote(html);
    for (const link of note.querySelectorAll('a[href^="http"]')) describe(link);
    body.current?.replaceChildren(note);
  }, [html]);
  useEffect(() => {
    const element = body.current;
    // The links are part of the note's HTML, so the listener is outside of it.
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      if (!(link instanceof HTMLAnchorElement)) return;
      event.preventDefault();
      void host.app.openExternal(link.href).then((opened) => {
        if (!opened) showError(t('note.refused'));
      });
    };
    element?.addEventListener('click', follow);
    return () => element?.removeEventListener('click', follow);
  }, [host, t]);
  return <div ref={body} className={classes.body} />;
}
