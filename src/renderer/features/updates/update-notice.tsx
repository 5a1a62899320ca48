import { Suspense, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';
import { withMantine } from '../../ui/theme/with-mantine.tsx';
import { useUpdates } from './use-updates.ts';

const UpdateMessage = lazyComponent(
  withMantine(async () => (await import('./update-message.tsx')).UpdateMessage),
);

/**
 * Says that a newer version is ready, or installed, until the user dismisses it; the settings, where there is more, say
 * so themselves.
 */
export function UpdateNotice() {
  const view = useUpdates();
  const { pathname } = useLocation();
  const [dismissed, setDismissed] = useState<string>();
  if (!view || pathname.startsWith('/settings')) return null;
  const { state } = view;
  if ((state.kind !== 'ready' && state.kind !== 'installed') || state.version === dismissed) return null;
  return (
    <Suspense>
      <UpdateMessage view={view} state={state} onDismiss={() => setDismissed(state.version)} />
    </Suspense>
  );
}
