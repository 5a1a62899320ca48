import { apiCalls, type ApiData } from '#shared/api/calls.ts';
import type { ApiResult } from '#shared/api/result.ts';
import type { Language } from '#shared/entities.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import { defaultPreferences, type Preferences } from '#shared/host/preferences.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import { isCanonicalPrefix } from '#shared/tunnel/prefix.ts';
import { automaticMode, type RouteConfig, type RouteMode } from '#shared/tunnel/route-config.ts';
import type { PagePreferences } from '../page-preferences.ts';
import type { PageVisibility } from '../page-visibility.ts';
import { readStored, storedAnswer } from '../storage/stored-answer.ts';
import { storageKeys } from '../storage/storage-keys.ts';

/** The country whose addresses are reached through the tunnel with routing by address (specification §4). */
const routedCountry = 'cn';
/** How often it is checked whether lists have to be requested again, because they are old or a request failed. */
const updateMs = 5 * 60_000;

export interface WebviewRoutingOptions {
  app: Pick<WebviewApp, 'apps' | 'routing'>;
  routingModes: readonly RouteMode[];
  api: HostImplementation['api'];
  storage: HostImplementation['storage'];
  visibility: PageVisibility;
  isSignedIn: () => boolean;
  /** The system's language, in which the service's messages are unless the user has chosen another. */
  language: Language;
  look: PagePreferences;
  onChange: (now: Preferences) => void;
}

/**
 * The user's choice of what goes through the tunnel, and the lists for it, for an app that accepts both without
 * checking.
 */
export function createWebviewRouting(options: WebviewRoutingOptions): {
  host: HostImplementation['preferences'];
  /** Updates the current choice silently, because programs and lists change. */
  update(): Promise<void>;
} {
  const { app, api, storage, look } = options;
  const automatic = automaticMode(options.routingModes);
  /** Counts the user's choices: work that was started for an earlier choice no longer counts. */
  let choices = 0;

  async function ask<Name extends PageCallName>(
    name: Name,
    input: { params?: Record<string, string>; body?: unknown } = {},
  ): Promise<ApiResult<ApiData<Name>>> {
    const { language } = look.get();
    const result = await api.call({
      name,
      ...input,
      language: language === 'system' ? options.language : language,
    });
    if (!result.ok) return result;
    const data = readAnswer(name, result.data);
    return data === undefined ? { ok: false, failure: { kind: 'invalid-reply' } } : { ok: true, data };
  }

  /** From the storage, as long as the specification allows (§9). */
  async function askSeldom<Name extends 'pac' | 'ipv4Prefixes'>(
    name: Name,
    key: string,
    params: Record<string, string> = {},
  ) {
    const stored = readStored((data) => readAnswer(name, data), await storage.get(key));
    if (stored && Date.now() - stored.at <= apiCalls[name].cacheSeconds * 1000)
      return { ok: true, data: stored.data } as const;
    const result = await ask(name, { params });
    if (result.ok) await storage.set({ key, value: storedAnswer(result.data) });
    return result;
  }

  async function automaticConfig(mode: NonNullable<typeof automatic>): Promise<ApiResult<RouteConfig>> {
    switch (mode) {
      case 'app': {
        const reply = await ask('filterMyApps', { body: { apps: await app.apps.installed() } });
        return reply.ok ? { ok: true, data: { mode, routeApps: reply.data.items } } : reply;
      }
      case 'ip': {
        const key = storageKeys.ipv4Prefixes(routedCountry);
        const reply = await askSeldom('ipv4Prefixes', key, { country: routedCountry });
        if (!reply.ok) return reply;
        return { ok: true, data: { mode, routeIps: reply.data.items.filter(isCanonicalPrefix) } };
      }
      case 'pac': {
        const reply = await askSeldom('pac', storageKeys.pac);
        return reply.ok ? { ok: true, data: { mode, pac: reply.data } } : reply;
      }
      default:
        return mode satisfies never;
    }
  }

  const get = async (): Promise<Preferences> => ({
    ...defaultPreferences,
    routing: (await app.routing.get()).mode === 'global' ? 'global' : 'automatic',
    ...look.get(),
  });

  const set: HostImplementation['preferences']['set'] = async ({
    routing,
    language: speech,
    theme,
    welcomed,
    ...others
  }) => {
    // The kill switch and the local network are settings of the platform.
    if (Object.values(others).includes(true)) return { ok: false, error: 'not-applied' };
    if (speech !== undefined || theme !== undefined || welcomed !== undefined) {
      const reply = look.set({ language: speech, theme, welcomed });
      if (!reply.ok) return reply;
      options.onChange(await get());
    }
    if (routing === undefined) return { ok: true };
    const choice = (choices += 1);
    let config: RouteConfig = { mode: 'global' };
    if (routing === 'automatic') {
      if (automatic === undefined) return { ok: false, error: 'not-applied' };
      const reply = await automaticConfig(automatic);
      if (choice !== choices) return { ok: true };
      if (!reply.ok) return { ok: false, error: 'no-lists', failure: reply.failure };
      config = reply.data;
    }
    if (!(await app.routing.set(config).catch(() => false))) return { ok: false, error: 'not-applied' };
    options.onChange(await get());
    return { ok: true };
  };

  async function update(): Promise<void> {
    const choice = choices;
    if (automatic === undefined || !options.isSignedIn()) return;
    const current = await app.routing.get();
    if (current.mode !== automatic) return;
    const reply = await automaticConfig(automatic);
    if (choice !== choices || !reply.ok || JSON.stringify(reply.data) === JSON.stringify(current)) return;
    await app.routing.set(reply.data);
  }

  const updateQuietly = () => update().catch(() => undefined);
  options.visibility.onVisible(() => void updateQuietly());
  // Names of programs are requested when the page becomes visible, not all day.
  if (automatic !== 'app') setInterval(() => void updateQuietly(), updateMs);

  return { host: { get, set }, update: updateQuietly };
}

function readAnswer<Name extends PageCallName>(name: Name, value: unknown): ApiData<Name> | undefined {
  const data = apiCalls[name].data.safeParse(value);
  return data.success ? (data.data as ApiData<Name>) : undefined;
}
