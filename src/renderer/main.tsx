import './platform/zod-without-eval.ts';
import './ui/theme/first-styles.ts';
import { startTransition } from 'react';
import type { Host } from '#shared/host/contract.ts';
import { createQueryClient } from './api/query-client.ts';
import { restoreQueries } from './api/restore-queries.ts';
import { refreshOnChange } from './shell/refresh-on-change.ts';
import { refreshOnReturn } from './shell/refresh-on-return.ts';
import { App } from './shell/app.tsx';
import { BareApp } from './shell/bare-app.tsx';
import { startErrorReports, type ReportError } from './error-reporting/error-reports.ts';
import { noTunnel } from './features/tunnel/no-tunnel.ts';
import type { Tunnel } from './features/tunnel/tunnel-store.ts';
import { takeDeviceLogin, type DeviceLogin } from './features/device-login/take-device-login.ts';
import { takeHandOver, type HandOver } from './features/store/take-hand-over.ts';
import { endVisits } from './features/store/stored-visit.ts';
import { createSessionStore } from './features/session/session-store.ts';
import { chooseLanguage, languageTags } from '#shared/language.ts';
import { setUpI18n } from './i18n/setup.ts';
import { keepConsole } from './offline/keep-console.ts';
import { createHost } from './platform/create-host.ts';
import { followServiceTime } from './platform/service-time.ts';
import { storageKeys } from './platform/storage/storage-keys.ts';
import { documentVisibility } from './platform/page-visibility.ts';
import { findWebviewPort, type TextPort } from './platform/webview/webview-port.ts';
import { chosenLook, followLook, type Look } from './shell/look.ts';
import { preloadPage } from './shell/routes.tsx';
import { preloadNativeLayout } from './shell/shell.tsx';
import { CrashPage } from './ui/pages/crash-page.tsx';
import { createRoot } from './ui/pages/create-root.ts';
import { loadChunk } from './ui/loading/load-chunk.ts';
import { showError } from './ui/messages/toast.ts';
import { withMantine } from './ui/theme/with-mantine.tsx';

/** The page on which an app around a webview can be checked; it exists nowhere else. */
const conformancePath = '/webview-conformance';

async function start(root: Element): Promise<void> {
  const deviceLogin = takeDeviceLogin(location, history);
  const handOver = takeHandOver(location, history);
  const language = chooseLanguage(navigator.languages);
  // Until its texts are there: a browser that offers to translate the page decides about that meanwhile.
  document.documentElement.lang = languageTags[language];
  // This also decides whether more than the first texts are needed.
  const page = preloadPage(location.pathname);
  const i18n = loadChunk(() => setUpI18n(language));
  const port = findWebviewPort();
  const reportError = startErrorReports();
  await nextTask();
  try {
    if (port && location.pathname === conformancePath) {
      const ConformanceTest = await loadChunk(
        withMantine(
          async () => (await import('./features/webview-conformance/conformance-test.tsx')).ConformanceTest,
        ),
      );
      createRoot(root).render(
        <BareApp i18n={await i18n}>
          <ConformanceTest port={port} />
        </BareApp>,
      );
    } else {
      const system = i18n.then((texts): Look => ({ language, i18n: texts, theme: 'system' }));
      await startApp(root, { system, page, port, deviceLogin, handOver, reportError });
    }
  } catch (error) {
    // The app around a webview did not describe itself, or texts could not be loaded.
    console.error(error);
    reportError(error);
    const texts = await i18n.catch(() => undefined);
    // The launch screen says how to go on, without the texts.
    if (!texts) root.className = 'failed';
    else
      createRoot(root).render(
        <BareApp i18n={texts}>
          <CrashPage />
        </BareApp>,
      );
  }
}

interface AppStart {
  /** How pages are shown if the user has chosen nothing. */
  system: Promise<Look>;
  /** The page at the address. */
  page: Promise<void>;
  port: TextPort | undefined;
  deviceLogin: DeviceLogin | undefined;
  handOver: HandOver;
  reportError: ReportError;
}

async function startApp(root: Element, options: AppStart): Promise<void> {
  const { system, page, port, deviceLogin, handOver, reportError } = options;
  const host = await createHost(port);
  const described = host.app.describe();
  const prepared = described.then(async ({ kind }) => {
    if (kind !== 'web') await preloadNativeLayout();
  });
  await nextTask();
  const [firstLook, app, session] = await Promise.all([
    chosenLook(host, described, system),
    described,
    createSessionStore(host),
    prepared,
    page,
    followServiceTime(host),
  ]);
  let look = firstLook;
  const inApp = app.kind !== 'web' || deviceLogin?.inApp === true || (await wasOpenedInApp(host));
  const queries = createQueryClient();
  session.subscribe((now, before) => {
    if (app.kind === 'web' && now.signedIn !== before.signedIn) endVisits();
    if (now.signedIn) return;
    queries.clear();
    // The host has done so, but does not say whether it succeeded (specification §8).
    if (before.signedIn)
      void clearStorage(host).then((done) => done || showError(look.i18n.t('error.clear')));
  });
  await restoreQueries(queries, host.storage, look.language);
  await nextTask();
  refreshOnReturn(queries);
  refreshOnChange(host, queries);
  const tunnel = app.hasTunnel ? await followTunnel(host) : noTunnel();
  // It was about an earlier sign-in.
  session.subscribe(() => tunnel.store.setState({ refusal: undefined }));
  const reactRoot = createRoot(root, {
    // Errors that an error boundary catches; others reach the window.
    onCaughtError(error) {
      console.error(error);
      reportError(error);
    },
  });
  // As a transition, React renders in slices, so that a slow phone reacts to the user in between.
  const render = () =>
    startTransition(() =>
      reactRoot.render(
        <App {...{ host, app, inApp, look, session, tunnel, queries, deviceLogin, handOver }} />,
      ),
    );
  render();
  followLook(host, app, look, (next) => {
    look = next;
    render();
  });
  // The desktop app contains its pages.
  if (app.kind !== 'desktop') keepConsole();
}

async function followTunnel(host: Host): Promise<Tunnel> {
  const { createTunnelStore } = await loadChunk(() => import('./features/tunnel/tunnel-store.ts'));
  const tunnel = createTunnelStore(host.tunnel, documentVisibility());
  tunnel.start();
  return tunnel;
}

/** Whether an earlier /device-login said so; only its stored inApp is left. */
const wasOpenedInApp = async (host: Host) => (await host.storage.get(storageKeys.inApp)) !== null;

const clearStorage = (host: Host) => host.storage.clear().catch(() => false);

/** Between steps of the start, a slow phone can react to the user. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root element');
// In a task of its own, so that a slow phone reacts to the user after evaluating this file. Not awaited: what it loads
// imports from the file that contains this module, and would wait for it.
setTimeout(() => void start(root));
