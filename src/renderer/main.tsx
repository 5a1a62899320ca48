import './platform/zod-without-eval.ts';
import './ui/mantine-styles.ts';
import './ui/theme.css';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { createTunnelStore } from './features/connect/tunnel-store.ts';
import { takeDeviceLogin } from './features/device-login/take-device-login.ts';
import { createSessionStore } from './features/session/session-store.ts';
import { chooseLanguage } from './i18n/language.ts';
import { setUpI18n } from './i18n/setup.ts';
import { createHost } from './platform/create-host.ts';

async function start(root: Element): Promise<void> {
  const deviceLogin = takeDeviceLogin(location, history);
  const language = chooseLanguage(navigator.languages);
  const host = await createHost();
  const [i18n, app, session] = await Promise.all([
    setUpI18n(language),
    host.app.describe(),
    createSessionStore(host),
  ]);
  const queries = createQueryClient();
  session.subscribe((now) => {
    if (!now.signedIn) queries.clear();
  });
  const tunnel = createTunnelStore(host.tunnel);
  if (app.hasTunnel) tunnel.start();
  createRoot(root).render(<App {...{ host, app, language, i18n, session, tunnel, queries, deviceLogin }} />);
}

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root element');
await start(root);
