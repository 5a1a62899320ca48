/** What the environment decides: where the service and the helper are. */
export interface Environment {
  /** Origin of the service, without a trailing slash. */
  apiUrl: string;
  /** Unix socket, or named pipe on Windows. */
  helperSocket: string;
}

export function readEnvironment(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Environment {
  const pipe = String.raw`\\.\pipe\waymaker-helper`;
  return {
    apiUrl: (env['WAYMAKER_API_URL'] ?? 'https://api.waymaker.example').replace(/\/+$/, ''),
    helperSocket:
      env['WAYMAKER_HELPER_SOCKET'] ?? (platform === 'win32' ? pipe : '/run/waymaker/helper.sock'),
  };
}
