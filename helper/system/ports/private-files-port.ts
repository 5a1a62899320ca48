/** Files with a secret of the helper's own, which nobody else may read, except for who administers this machine. */
export interface PrivateFiles {
  /**
   * The content of a file, if it is the helper's, and nobody else may open it. `unusable`: others may have read or
   * written it, or it is no file, or has another length, in bytes. Rejects if it cannot be read now.
   */
  read(file: string, length: number): Promise<Buffer | 'absent' | 'unusable'>;
  /** Makes a file, which must not exist, that nobody else can open at any time. Its content is on the disk then. */
  create(file: string, content: Buffer): Promise<void>;
}
