import type { DesktopApp, LaunchOptions } from './desktop-app.ts';
import { launchDesktopApp } from './launch-desktop-app.ts';

export interface Launcher {
  readonly launch: (options?: Partial<LaunchOptions>) => Promise<DesktopApp>;
  /** What all its apps have written. */
  outputs(): string[];
  /** Kills every app that is still running. */
  end(): Promise<void>;
}

/** Starts desktop apps that have most in common. */
export function createLauncher(defaults: LaunchOptions): Launcher {
  const running: DesktopApp[] = [];
  return {
    outputs: () => running.map((app) => app.output()),
    async launch(options = {}) {
      const app = await launchDesktopApp({
        ...defaults,
        ...options,
        env: { ...defaults.env, ...options.env },
      });
      running.push(app);
      return app;
    },
    async end() {
      for (const app of running) await app.kill();
    },
  };
}
