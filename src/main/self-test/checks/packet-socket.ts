/** Frames of a device, as they pass it. */
export interface PacketSocket {
  /** The next frame that has come or gone; undefined if there is none now. */
  next(): Buffer | undefined;
  /** Sends a whole frame. */
  send(frame: Uint8Array): void;
  /** How many frames the system had no room for, since this was asked last. */
  lost(): number;
  close(): void;
}
