import type { RunProgram } from '../../run-program.ts';

/**
 * NetworkCostType (Windows.Networking.Connectivity): whatever is neither unknown nor unrestricted has a price or a
 * limit.
 */
const script = [
  '$profile = [Windows.Networking.Connectivity.NetworkInformation,Windows.Networking.Connectivity,ContentType=WindowsRuntime]::GetInternetConnectionProfile()',
  'if ($profile) { $cost = $profile.GetConnectionCost(); "$($cost.NetworkCostType) $($cost.Roaming)" }',
].join('; ');

/** The one that each Windows has, below the folder of its programs. */
const powershell = String.raw`WindowsPowerShell\v1.0\powershell.exe`;

/** As Windows says, where its users can choose it for each network. */
export async function isMetered(run: RunProgram): Promise<boolean> {
  const said = await run(powershell, ['-NoProfile', '-NonInteractive', '-Command', script]);
  return said !== undefined && /^(?:Fixed|Variable)\b|\bTrue$/.test(said.trim());
}
