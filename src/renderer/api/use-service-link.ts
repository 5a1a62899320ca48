import type { BasicInfo } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import { useApi } from './use-api.ts';

type LinkName = 'delete_account_url' | 'manage_apps' | 'manage_members' | 'manage_servers';

/**
 * Where something is done that has a page of ours: elsewhere, as an address, if the operator named one of their own in
 * basic info; undefined if that page is the one.
 */
export function outsideAddress(
  links: BasicInfo['links'] | undefined,
  name: LinkName,
  page: string,
): string | undefined {
  const address = links && webAddress(links[name]);
  const login = links && webAddress(links.device_login);
  if (address === undefined) return undefined;
  // The console's address is what its sign-in page has before its path; its pages are in every app.
  const ours = login && new URL(login.replace(/\/device-login$/, page)).href;
  return address.replace(/\/$/, '') === ours ? undefined : address;
}

export function useOutsideAddress(name: LinkName, page: string): string | undefined {
  const { data: info } = useApi('basicInfo');
  return outsideAddress(info?.links, name, page);
}
