import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { errorText } from './api-failure.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { findHeading } from '../ui/focus/focus-heading.ts';
import { showError, showSuccess } from '../ui/messages/toast.ts';

interface Removal<Item> {
  /** The item that the user is being asked about. */
  asked: Item | undefined;
  ask: (item: Item | undefined) => void;
  busy: boolean;
  confirm: () => Promise<void>;
}

/** Removes items from a list, each after asking; reports `removed`, or why it failed. */
export function useRemoval<Item>(
  remove: (item: Item) => Promise<unknown>,
  removed: TextKey | ((item: Item) => TextKey),
): Removal<Item> {
  const { t } = useTranslation();
  const [asked, ask] = useState<Item>();
  const [busy, setBusy] = useState(false);

  const confirm = async () => {
    if (asked === undefined || busy) return;
    setBusy(true);
    const heading = findHeading();
    try {
      await remove(asked);
      showSuccess(t(typeof removed === 'function' ? removed(asked) : removed));
      // The closing dialog returns the focus to a button that is about to disappear with its row.
      flushSync(() => ask(undefined));
      heading?.focus();
    } catch (error) {
      ask(undefined);
      showError(errorText(error instanceof Error ? error : new Error(String(error)), t));
    }
    setBusy(false);
  };
  return { asked, ask, busy, confirm };
}
