/**
 * For requests to whatever others have built: gateways and the boxes before them, portals of hotels, servers of
 * scripts. They send what browsers and openconnect read, and Node refuses: characters of control in headers, lengths
 * told twice, padded or folded lines, LF alone, policies of many kilobytes. To read that is only dangerous where
 * others' requests share a connection; each of these has its own.
 */
export const lenientHttp = { insecureHTTPParser: true, maxHeaderSize: 128 * 1024 } as const;
