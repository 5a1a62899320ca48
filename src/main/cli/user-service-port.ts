/** The daemon as a service that the system starts for its user. */
export interface UserService {
  /** False if there is no such service, or it does not start within this time. */
  start(timeLimitMs: number): Promise<boolean>;
  /** Does nothing if there is none. */
  stop(): Promise<void>;
}
