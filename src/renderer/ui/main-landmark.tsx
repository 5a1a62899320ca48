import { Suspense, type ReactNode } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { CrashPage } from './crash-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import classes from './main-landmark.module.css';

interface MainProps {
  /** There is nothing around it: it is as high as the window. */
  isAlone?: boolean;
  children?: ReactNode;
}

/** The one main landmark, with the page in it. A page that fails does not take the others with it. */
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
