/** Windows names connections for people: "Wi-Fi", "WLAN", "Wireless Network Connection". */
export const isWifiName = (name: string): boolean => /wi-?fi|wlan|wireless/i.test(name);
