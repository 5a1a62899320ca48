import type { Logger } from 'pino';
import type { Setting } from '../preferences/settings.ts';
import type { ProxySettings } from './proxy-settings.ts';
import type { RunProgram } from './run-program.ts';

/** Where a desktop keeps its proxy settings, as noted down before they are changed. */
export type ProxyPlace = keyof Setting<'proxyBefore'>;

/** The proxy settings that desktops of this system have. */
export interface DesktopProxies {
  readonly places: readonly ProxyPlace[];
  /** Those that programs of the current desktop look at; empty if it is not supported. */
  current(): readonly ProxyPlace[];
  at(place: ProxyPlace): ProxySettings;
}

export interface DesktopProxiesOptions {
  run: RunProgram;
  /** The environment of the desktop session. */
  env: Readonly<NodeJS.ProcessEnv>;
  log: Logger;
}
