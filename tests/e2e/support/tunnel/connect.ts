import { expect, type Page } from 'playwright/test';
import type { TextLanguage } from '../screens/texts.ts';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import { Tabs } from '../../routes/frame/tabs.ts';
import { serverNames } from '../service/service.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';

/** From any page of a signed-in app to the connect tab. */
export async function openConnectTab(page: Page, language: TextLanguage = 'en'): Promise<ConnectRoute> {
  await new Tabs(page, language).connect.click();
  return new ConnectRoute(page, language);
}

/** The same, with a server chosen. */
export async function chooseServer(
  page: Page,
  name: string = serverNames.first,
  language: TextLanguage = 'en',
): Promise<ConnectRoute> {
  const connect = await openConnectTab(page, language);
  await connect.choose(name);
  return connect;
}

/** Chooses a server, presses Connect, and waits until the app says that it is connected. */
export async function connectTo(
  page: Page,
  name: string = serverNames.first,
  language: TextLanguage = 'en',
): Promise<ConnectRoute> {
  const connect = await chooseServer(page, name, language);
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  return connect;
}

/**
 * Connects with automatic routing, which is not on yet; the address of the proxy's configuration, as users are told it.
 */
export async function connectAutomatically(connect: ConnectRoute): Promise<string> {
  await connect.switchOn('automatic');
  await connect.choose(serverNames.first);
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible();
  await connect.openDetails();
  await expect(connect.says('connect.proxyHint')).toBeVisible();
  return await connect.proxyConfiguration.innerText();
}
