import { Suspense, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';
import { withMantine } from '../../ui/theme/with-mantine.tsx';
import { useUpdates } from './use-updates.ts';

const UpdateMessage = lazyComponent(
  withMantine(async () => (await import('./update-message.tsx')).UpdateMessage),
);

/**
 * Says that a newer version is ready, until the user dismisses it; the settings, where it is installed, say so
 * themselves.
 */
export function UpdateNotice() {
  const view = useUpdates();
  const { pathname } = useLocation();
  const [dismissed, setDismissed] = useState<string>();
  if (view?.state.kind !== 'ready' || pathname.startsWith('/settings')) return null;
  const { version } = view.state;
  if (version === dismissed) return null;
  return (
    <Suspense>
      <UpdateMessage view={view} state={view.state} onDismiss={() => setDismissed(version)} />
    </Suspense>
  );
}
