/** Windows' DNS client (the service Dnscache), and the policies that it reads. */
export interface ResolverClient {
  /** Has it read its settings again; `absent`: there is no such service, or it does not run. */
  readSettings(): 'read' | 'absent';
  /** Forgets all answers. */
  flush(): void;
  /** Has the policies of the machine applied again, in the background. */
  refreshPolicies(): void;
}
