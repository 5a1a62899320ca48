import { Button } from '@mantine/core';
import { Link } from '../../ui/text/link.tsx';
import { focusHeading } from '../../ui/focus/focus-heading.ts';
import { Message } from '../../ui/messages/message.tsx';
import { useUpdateTexts } from './use-update-texts.ts';

/** A newer version is ready. */
export function UpdateMessage({ version, onDismiss }: { version: string; onDismiss: () => void }) {
  const say = useUpdateTexts();
  return (
    <Message
      tone="info"
      title={say('update.ready', { version })}
      action={
        <Button component={Link} to="/settings" variant="default" size="sm">
          {say('update.show')}
        </Button>
      }
      onClose={() => {
        onDismiss();
        focusHeading();
      }}
    >
      {say('update.readyText')}
    </Message>
  );
}
