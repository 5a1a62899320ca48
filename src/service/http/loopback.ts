const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a host name, as in an address or in a Host header, only reaches programs on this machine. */
export function isLoopbackName(hostname: string): boolean {
  return loopbackNames.includes(hostname.toLowerCase());
}
