import type { BasicInfo } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import { useApi } from './use-api.ts';

type LinkName = 'delete_account_url' | 'manage_apps' | 'manage_members' | 'manage_servers';

/**
 * The address of something that has a page here, if the operator has named another place for it in basic info;
 * undefined if this page is the right one.
 */
function outsideAddress(
  links: BasicInfo['links'] | undefined,
  name: LinkName,
  page: string,
): string | undefined {
  const address = links && webAddress(links[name]);
  const login = links && webAddress(links.device_login);
  if (address === undefined) return undefined;
  // The console's address is the part of its sign-in page before the path; every app has its pages.
  const ours = login && new URL(login.replace(/\/device-login$/, page)).href;
  return address.replace(/\/$/, '') === ours ? undefined : address;
}

export function useOutsideAddress(name: LinkName, page: string): string | undefined {
  const { data: info } = useApi('basicInfo');
  return outsideAddress(info?.links, name, page);
}
