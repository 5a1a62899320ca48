import { Suspense, type ReactNode } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { CrashPage } from './crash-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import classes from './main-landmark.module.css';

/** The one main landmark, with the page in it. A page that fails does not take the others with it. */
export function Main({ children }: { children?: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <main id="main" tabIndex={-1} className={classes.main}>
      {children}
      <ErrorBoundary key={pathname} fallback={<CrashPage />}>
        <Suspense fallback={<div className={classes.coming} />}>
          <Outlet />
        </Suspense>
      </ErrorBoundary>
    </main>
  );
}
