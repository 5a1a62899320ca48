const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only programs on this machine are reached under a name, as it stands in an address or in Host. */
export function isLoopbackName(hostname: string): boolean {
  return loopbackNames.includes(hostname.toLowerCase());
}
