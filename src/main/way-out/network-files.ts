/** What the system says of names, each as its text; empty if it says nothing in that form. */
export interface NetworkFiles {
  /** As in hosts(5). */
  hosts(): Promise<string>;
  /** As in resolv.conf(5). */
  resolvConf(): Promise<string>;
}
