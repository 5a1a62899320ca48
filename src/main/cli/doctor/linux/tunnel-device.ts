/** The helper's tunnel device (helper/linux/identifiers.ts). */
export const tunnelDevice = 'wm0';
