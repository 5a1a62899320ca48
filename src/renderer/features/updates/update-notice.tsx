import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { focusHeading } from '../../ui/focus/focus-heading.ts';
import { Message } from '../../ui/messages/message.tsx';
import { useUpdateTexts } from './use-update-texts.ts';
import { useUpdates } from './use-updates.ts';

/** Says that a newer version is ready, until the user dismisses it; the settings, where it is installed, say so themselves. */
export function UpdateNotice() {
  const say = useUpdateTexts();
  const view = useUpdates();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [dismissed, setDismissed] = useState<string>();
  if (view?.state.kind !== 'ready' || pathname.startsWith('/settings')) return null;
  const { version } = view.state;
  if (version === dismissed) return null;
  return (
    <Message
      tone="info"
      title={say('update.ready', { version })}
      action={
        <Button variant="default" size="sm" onClick={() => void navigate('/settings')}>
          {say('update.show')}
        </Button>
      }
      onClose={() => {
        setDismissed(version);
        focusHeading();
      }}
    >
      {say('update.readyText')}
    </Message>
  );
}
