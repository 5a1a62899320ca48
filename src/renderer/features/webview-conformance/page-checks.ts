import { must, NotChecked, type Check } from './check.ts';

const keepSeconds = 10;

/** Whether the app contains the pages: they are not at the service's origin, and do not come from the network. */
const areInside = () => {
  const service = import.meta.env.VITE_API_URL;
  return service !== undefined && new URL(service).origin !== location.origin;
};

export const pageChecks: readonly Check[] = [
  {
    subject: 'Pages',
    rule: 'Start without a network: a service worker keeps them, or they are the app’s own.',
    async run() {
      if (areInside())
        throw new NotChecked('they seem to be the app’s own: start it without a network to see');
      must(
        'serviceWorker' in navigator,
        'this webview has no service workers: see “Starting without a network”',
      );
      const { serviceWorker } = navigator;
      await serviceWorker.register('/service-worker.js');
      const late = new Promise<false>((resolve) => {
        setTimeout(() => resolve(false), keepSeconds * 1000);
      });
      must((await Promise.race([serviceWorker.ready, late])) !== false, `not kept within ${keepSeconds} s`);
      must((await caches.match('/index.html')) !== undefined, 'the service worker has kept no page');
    },
  },
];
