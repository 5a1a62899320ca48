import { createHostClient } from '#shared/host/client.ts';
import type { HostClient } from '#shared/host/descriptor.ts';
import { updatesContract, type UpdatesContract } from '#shared/host/updates-contract.ts';
import { desktopTransport } from '../../platform/desktop.ts';

export type Updates = HostClient<UpdatesContract>['updates'];

let client: Updates | undefined;

/** The part of the desktop app's host contract that no other host has; undefined where there is no such app. */
export function updatesClient(): Updates | undefined {
  const transport = desktopTransport();
  if (transport) client ??= createHostClient(updatesContract, transport).updates;
  return client;
}
