/** Where everything of a self-test is: in its own mounts, where nobody else has anything. */
export const places = {
  folder: '/run/self-test',
  home: '/run/self-test/home',
  temporary: '/run/self-test/tmp',
  state: '/run/self-test/state',
  socket: '/run/waymaker/helper.sock',
  profile: '/run/self-test/profile',
  authority: '/run/self-test/authority.pem',
} as const;
