import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Message } from './message.tsx';

/** What stands in the place of something that could not be loaded. */
export function LoadFailure({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <Message
      tone="bad"
      title={text}
      action={
        <Button size="compact-sm" variant="default" onClick={onRetry} mt={6}>
          {t('error.retry')}
        </Button>
      }
    />
  );
}
