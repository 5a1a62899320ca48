/** The tunnel's device, as several ports have to know it; the system chooses its name. */
export interface CurrentDevice {
  /** Undefined while there is none. */
  name: string | undefined;
}
