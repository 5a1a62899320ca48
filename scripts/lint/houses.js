/**
 * What each room may import of the same house, as rooms or single files. No arrow to a room goes up the list, so that
 * there are no circles; only one to a file that imports nothing of its house may. The files at a house's top put the
 * rooms together and may import all of them, and some of them every room may import, too.
 */
export const houses = {
  'src/main': {
    ofEveryRoom: ['with-timeout.ts', 'listeners.ts', 'desktop-names.ts'],
    rooms: {
      cli: [
        'self-test',
        'control',
        'login-item',
        'tunnel',
        'daemon.ts',
        'daemon-place.ts',
        'environment.ts',
        'http-fetch.ts',
      ],
      'self-test': ['diagnostics', 'control'],
      electron: [
        'tunnel',
        'gateway',
        'session',
        'system-proxy',
        'page',
        'preferences',
        'tray',
        'window',
        'notices',
        'links',
        'login-item',
        'networks',
        'diagnostics',
        'programs',
        'control',
        'mini-apps-host.ts',
        'core',
        'control-host.ts',
        'desktop-host.ts',
        'desktop-tray.ts',
        'desktop-quit.ts',
        'desktop-notices.ts',
        'automatic-connection.ts',
        'desktop-links.ts',
        'desktop-networks.ts',
        'environment.ts',
      ],
      core: [
        'tunnel',
        'gateway',
        'session',
        'system-proxy',
        'page',
        'preferences',
        'notices',
        'networks',
        'diagnostics',
        'programs',
        'environment.ts',
        'http-fetch.ts',
      ],
      tray: ['system-proxy', 'preferences'],
      window: ['preferences'],
      notices: [],
      links: [],
      networks: [],
      'login-item': ['preferences', 'programs'],
      diagnostics: ['preferences'],
      tunnel: ['gateway', 'preferences', 'programs'],
      gateway: ['session', 'preferences'],
      session: ['preferences'],
      'system-proxy': ['preferences'],
      page: ['preferences'],
      preferences: [],
      programs: [],
      control: [],
    },
  },
  'src/renderer': {
    ofEveryRoom: [],
    rooms: {
      shell: ['features', 'api', 'ui', 'i18n', 'platform'],
      'features/store': ['features/account', 'features/payment', 'features/session'],
      'features/plan': ['features/account', 'features/purchase', 'features/session'],
      'features/members': ['features/account'],
      'features/account': ['features/membership', 'features/purchase', 'features/session', 'features/tunnel'],
      'features/membership': ['features/session'],
      'features/connect': [
        'features/gateway-form',
        'features/purchase',
        'features/server-chooser',
        'features/session',
        'features/settings',
        'features/tunnel',
      ],
      'features/settings': ['features/tunnel'],
      'features/server-chooser': ['features/purchase', 'features/session'],
      'features/mini-apps': ['features/manage-mini-apps'],
      'features/orders': ['features/payment', 'features/session'],
      'features/payment': ['features/purchase', 'features/session'],
      'features/purchase': ['features/session'],
      'features/reachability': ['features/tunnel'],
      'features/self-delete': ['features/session'],
      'features/sign-in': ['features/session', 'features/tunnel'],
      /** What each of the features may import. */
      features: ['api', 'ui', 'i18n', 'platform'],
      api: ['ui', 'i18n', 'platform'],
      ui: ['i18n', 'platform'],
      i18n: [],
      'error-reporting': ['platform'],
      offline: ['platform'],
      platform: [],
    },
  },
  helper: {
    ofEveryRoom: ['log.ts', 'settle-all.ts', 'bounded-lines.ts'],
    rooms: {
      rpc: ['tunnel', 'system', 'modes', 'network', 'log-memory.ts', 'version.ts'],
      tunnel: ['engine', 'system', 'modes', 'network'],
      'linux/routing': ['linux/programs', 'linux/callers', 'linux/groups', 'linux/netlink'],
      'linux/nftables': ['linux/programs', 'linux/callers', 'linux/groups', 'linux/netlink'],
      'linux/programs': ['linux/callers', 'linux/groups', 'linux/netlink'],
      'linux/dns': [],
      'linux/groups': ['linux/netlink'],
      'linux/callers': [],
      'linux/netlink': [],
      /** What each of its folders may import. */
      linux: [
        'linux/identifiers.ts',
        'linux/forwarding.ts',
        'posix',
        'system/ports',
        'modes',
        'proxy',
        'network',
      ],
      'macos/routing': ['macos/calls'],
      'macos/filter': ['macos/calls'],
      'macos/dns': ['macos/calls'],
      'macos/calls': [],
      macos: ['macos/identifiers.ts', 'posix', 'system/ports', 'modes', 'proxy', 'network'],
      'windows/routing': [],
      'windows/filter': [],
      'windows/dns': [],
      /** What each of its folders may import. */
      windows: [
        'windows/calls',
        'windows/identifiers.ts',
        'windows/address-ranges.ts',
        'system/ports',
        'modes',
        'proxy',
        'network',
      ],
      'windows/calls': [],
      posix: ['proxy', 'engine'],
      engine: ['system/ports', 'network'],
      system: ['modes', 'proxy', 'network'],
      modes: ['network'],
      proxy: [],
      network: [],
    },
  },
  packaging: {
    ofEveryRoom: ['run.ts'],
    rooms: {
      repository: ['linux', 'runtime'],
      desktop: ['linux', 'runtime', 'manifest'],
      linux: ['runtime', 'manifest', 'commit-time.ts'],
      manifest: [],
      runtime: [],
    },
  },
  'src/service': {
    ofEveryRoom: ['config.ts', 'log.ts', 'make-directory.ts', 'read-text-file.ts', 'setting-problem.ts'],
    rooms: {
      store: ['billing', 'database', 'http'],
      events: ['database', 'http'],
      billing: ['account', 'gateways', 'jobs', 'database', 'http'],
      group: ['account', 'gateways', 'jobs', 'mail', 'database', 'http'],
      jobs: ['database'],
      'sign-in': ['account', 'gateways', 'mail', 'limits', 'database', 'http'],
      account: ['gateways', 'database', 'http'],
      gateways: ['database', 'http'],
      'route-lists': ['database', 'http'],
      limits: ['database', 'http'],
      mail: ['http'],
      console: ['http'],
      http: ['database'],
      database: ['http/token.ts', 'http/unix-socket.ts'],
    },
  },
};

/**
 * Which file asks what system this is, for each subject of `src/main` and `src/node` with a folder for a system. Only
 * that file may import from the folder, and what is for the same system.
 */
export const systemChoosers = {
  'src/main/programs': 'system-programs.ts',
  'src/main/networks': 'system-networks.ts',
  'src/main/system-proxy': 'desktop-proxies.ts',
  'src/main/login-item': 'system-login-item.ts',
  'src/main/tray': 'tray-place.ts',
  'src/main/diagnostics': 'network-links.ts',
  'src/main/control': 'control-place.ts',
  'src/main/cli/doctor': 'this-system.ts',
  'src/main/self-test': 'system-self-test.ts',
  'src/node/os': 'peer-process.ts',
};

export const isWithin = (file, room) => file === room || file.startsWith(`${room}/`);

for (const [house, { rooms: arrows }] of Object.entries(houses)) {
  const names = Object.keys(arrows);
  for (const [index, name] of names.entries()) {
    const back = arrows[name].find((place) =>
      names.slice(0, index + 1).some((above) => isWithin(above, place)),
    );
    if (back) throw new Error(`${house}: the arrow from ${name} to ${back} goes up the list`);
  }
}
