import { useApp } from '../platform/host-context.tsx';
import { PageNotes } from '../features/notes/page-notes.tsx';
import { OfflineNotice } from '../features/reachability/offline-notice.tsx';
import { useAppMenu } from './use-app-menu.ts';
import { useServiceTranslations } from './use-service-translations.ts';
import { NativeLayout } from './native-layout.tsx';
import { SkipLink } from './skip-link.tsx';
import { WebLayout } from './web-layout.tsx';

/** What every page stands in. */
export function Shell() {
  const { kind } = useApp();
  useServiceTranslations();
  useAppMenu();
  return (
    <>
      <SkipLink />
      <OfflineNotice />
      {kind === 'web' ? <WebLayout /> : <NativeLayout />}
      <PageNotes />
    </>
  );
}
