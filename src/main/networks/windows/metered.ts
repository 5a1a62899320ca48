import type { RunProgram } from '../../run-program.ts';

/** NetworkCostType (Windows.Networking.Connectivity): whatever is neither unknown nor unrestricted has a price or a limit. */
const script = [
  '$profile = [Windows.Networking.Connectivity.NetworkInformation,Windows.Networking.Connectivity,ContentType=WindowsRuntime]::GetInternetConnectionProfile()',
  'if ($profile) { $cost = $profile.GetConnectionCost(); "$($cost.NetworkCostType) $($cost.Roaming)" }',
].join('; ');

/** As Windows says, where its users can choose it for each network. */
export async function isMetered(run: RunProgram): Promise<boolean> {
  const said = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]);
  return said !== undefined && /^(?:Fixed|Variable)\b|\bTrue$/.test(said.trim());
}
