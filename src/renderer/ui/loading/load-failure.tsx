import { Button } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { focusHeading } from '../focus/focus-heading.ts';
import { Message } from '../messages/message.tsx';

/** Shown instead of something that could not be loaded. */
export function LoadFailure({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation();
  const retry = useRef<HTMLButtonElement>(null);
  // The loaded content replaces the button that was pressed.
  useLayoutEffect(() => {
    const button = retry.current;
    return () => {
      if (button === document.activeElement) focusHeading();
    };
  }, []);
  return (
    <Message
      tone="bad"
      title={text}
      action={
        <Button ref={retry} size="compact-sm" px={14} variant="default" onClick={onRetry} mt={6}>
          {t('error.retry')}
        </Button>
      }
    />
  );
}
