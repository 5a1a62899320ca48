import keytar from 'keytar';

/** Prints the secrets that the app keeps in the keychain of this session, as JSON. */
const found = await keytar.findCredentials('Waymaker');
process.stdout.write(JSON.stringify(found.map(({ password }) => password)));
