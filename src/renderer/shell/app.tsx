import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { I18nextProvider } from 'react-i18next';
import { BrowserRouter } from 'react-router-dom';
import type { Host } from '#shared/host/contract.ts';
import { TunnelContext } from '../features/tunnel/tunnel-context.tsx';
import type { Tunnel } from '../features/tunnel/tunnel-store.ts';
import type { DeviceLogin } from '../features/device-login/take-device-login.ts';
import { SessionContext } from '../features/session/session-context.tsx';
import type { HandOver } from '../features/store/take-hand-over.ts';
import type { SessionStore } from '../features/session/session-store.ts';
import { LanguageContext } from '../i18n/language-context.tsx';
import { HostContext, type AppDescription } from '../platform/host-context.tsx';
import type { Look } from './look.ts';
import { AppRoutes } from './routes.tsx';
import { CrashPage } from '../ui/pages/crash-page.tsx';
import { ErrorBoundary } from '../ui/pages/error-boundary.tsx';
import { ThemeProvider } from '../ui/theme/theme-provider.tsx';
import { Toasts } from '../ui/messages/toasts.tsx';

interface AppProps {
  host: Host;
  app: AppDescription;
  inApp: boolean;
  look: Look;
  session: SessionStore;
  tunnel: Tunnel;
  queries: QueryClient;
  /** The parameters of /device-login, if the page was opened there. */
  deviceLogin: DeviceLogin | undefined;
  /** The code from an app, if the page was opened in the store. */
  handOver: HandOver;
}

export function App(props: AppProps) {
  const { host, app, inApp, look, session, tunnel, queries, deviceLogin, handOver } = props;
  const hostAndApp = useMemo(() => ({ host, app, inApp }), [host, app, inApp]);
  return (
    <ThemeProvider choice={look.theme}>
      <HostContext value={hostAndApp}>
        <LanguageContext value={look.language}>
          <I18nextProvider i18n={look.i18n}>
            <QueryClientProvider client={queries}>
              <SessionContext value={session}>
                <TunnelContext value={tunnel}>
                  <BrowserRouter>
                    <ErrorBoundary fallback={<CrashPage />}>
                      <AppRoutes deviceLogin={deviceLogin} handOver={handOver} />
                    </ErrorBoundary>
                  </BrowserRouter>
                  <Toasts />
                </TunnelContext>
              </SessionContext>
            </QueryClientProvider>
          </I18nextProvider>
        </LanguageContext>
      </HostContext>
    </ThemeProvider>
  );
}
