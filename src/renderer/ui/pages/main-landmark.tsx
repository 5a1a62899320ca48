import { Suspense, type ReactNode } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { CrashPage } from './crash-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import classes from './main-landmark.module.css';

interface MainProps {
  /** Whether nothing is around it: then it is as high as the window. */
  isAlone?: boolean;
  children?: ReactNode;
}

/** The only main landmark, with the page in it. A page that fails does not affect the others. */
export function Main({ isAlone = false, children }: MainProps) {
  const { pathname } = useLocation();
  return (
    <main id="main" tabIndex={-1} className={classes.main} data-alone={isAlone || undefined}>
      {children}
      <ErrorBoundary key={pathname} fallback={<CrashPage />}>
        <Suspense fallback={<div className={classes.coming} />}>
          <Outlet />
        </Suspense>
      </ErrorBoundary>
    </main>
  );
}
