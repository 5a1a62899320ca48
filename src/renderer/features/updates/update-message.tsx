import { Button } from '@mantine/core';
import type { UpdateState, UpdateView } from '#shared/host/updates-contract.ts';
import { Link } from '../../ui/text/link.tsx';
import { focusHeading } from '../../ui/focus/focus-heading.ts';
import { Message } from '../../ui/messages/message.tsx';
import { useReadiness } from './use-readiness.ts';
import { useUpdateTexts } from './use-update-texts.ts';

/** A newer version is ready, or installed. */
export function UpdateMessage({
  view,
  state,
  onDismiss,
}: {
  view: UpdateView;
  state: UpdateState & { kind: 'ready' | 'installed' };
  onDismiss: () => void;
}) {
  const say = useUpdateTexts();
  const { version } = state;
  const isReady = state.kind === 'ready';
  const { text } = useReadiness(view, { version, held: isReady ? state.held : null });
  return (
    <Message
      tone="info"
      title={say(isReady ? 'update.ready' : 'update.installed', { version })}
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
      {say(isReady ? text : 'update.installedText')}
    </Message>
  );
}
