import { Suspense } from 'react';
import { useApp } from '../platform/host-context.tsx';
import { PageNotes } from '../features/notes/page-notes.tsx';
import { OfflineNotice } from '../features/reachability/offline-notice.tsx';
import { useAppMenu } from './use-app-menu.ts';
import { useServiceTranslations } from './use-service-translations.ts';
import { CrashPage } from '../ui/pages/crash-page.tsx';
import { ErrorBoundary } from '../ui/pages/error-boundary.tsx';
import { lazyComponent } from '../ui/loading/lazy-component.ts';
import classes from './shell.module.css';
import { SkipLink } from './skip-link.tsx';
import { WebLayout } from './web-layout.tsx';

/** The web console has another one. */
const NativeLayout = lazyComponent(async () => (await import('./native-layout.tsx')).NativeLayout);

/** Loads the frame of an app's pages, so that it appears with the first one. */
export const preloadNativeLayout = (): Promise<void> => NativeLayout.preload();

/** The frame of every page. */
export function Shell() {
  const { kind } = useApp();
  useServiceTranslations();
  useAppMenu();
  return (
    <div className={classes.shell}>
      <SkipLink />
      <OfflineNotice />
      {kind === 'web' ? (
        <WebLayout />
      ) : (
        <ErrorBoundary fallback={<CrashPage />}>
          <Suspense>
            <NativeLayout />
          </Suspense>
        </ErrorBoundary>
      )}
      <PageNotes />
    </div>
  );
}
