/** What the service control manager calls the helper. */
export const serviceName = 'Waymaker';
