/** How long before a gateway ends the session, which may cost a sign-in, the user is told. */
export const sessionWarningMs = 5 * 60_000;
