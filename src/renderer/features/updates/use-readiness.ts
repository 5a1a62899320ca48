import type { UpdateHeld, UpdateView } from '#shared/host/updates-contract.ts';
import type { UpdateTextKey } from '#shared/texts/update-texts.ts';
import { wouldOpenTraffic } from '#shared/tunnel/would-open-traffic.ts';
import { usePreferences } from '../preferences/use-preferences.ts';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { heldTexts } from './update-words.ts';

/** Whether a version that is ready can be installed now, and what there is to say about that. */
export interface Readiness {
  canInstall: boolean;
  text: UpdateTextKey;
}

/** `held`: why it was not installed the last time that somebody asked for it. */
export function useReadiness(
  { failedVersion, endsTunnel }: UpdateView,
  { version, held }: { version: string; held: UpdateHeld | null },
): Readiness {
  const { truth } = useTunnelView();
  const { preferences } = usePreferences();
  // Main would refuse, and says so only once it was asked.
  if (endsTunnel && truth && preferences && wouldOpenTraffic(truth, preferences.killSwitch)) {
    const why = truth.ownedByOther ? 'would-open-other' : 'would-open';
    return { canInstall: false, text: heldTexts[why] };
  }
  const isConnected = truth?.state === 'connected' || truth?.state === 'connecting';
  if (held !== null) return { canInstall: true, text: heldTexts[held] };
  if (endsTunnel && isConnected) return { canInstall: true, text: 'update.endsTunnel' };
  if (version === failedVersion) return { canInstall: true, text: 'update.readyAgain' };
  return { canInstall: true, text: endsTunnel ? 'update.readyText' : 'update.readyAtQuit' };
}
