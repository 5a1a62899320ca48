import path from 'node:path';

/**
 * Which room may import which (README, "Rooms"): main, preload, renderer, service and helper know `shared`
 * only, and `shared` knows nobody. Tests and scripts may enter every room. Only src/main/electron and the
 * preload may touch 'electron'; the shared room and the renderer have no Node built-ins. Of the helper, only its
 * platform.ts knows the folders of the systems. Of the service, every folder is a room, with arrows of its own.
 */
const root = path.resolve(import.meta.dirname, '../..');
const rooms = ['src/shared', 'src/renderer', 'src/preload', 'src/main', 'src/service', 'helper'];
const mayTouchElectron = ['src/main/electron', 'src/preload', 'tests', 'scripts'];
const withoutNode = ['src/shared', 'src/renderer'];
/** What is for one system only, and the only file of the helper that asks which system this is. */
const systems = ['helper/linux', 'helper/macos', 'helper/windows'];
const platform = 'helper/platform.ts';
const service = 'src/service';
/**
 * What each of the service's rooms may import of it, as rooms or single files. No arrow goes up the list; the
 * database's two, to files that import nothing of the service, are the only ones that go back. The files at the
 * service's top put the rooms together and may import all of them.
 */
const serviceRooms = {
  store: ['billing', 'database', 'http'],
  billing: ['account', 'gateways', 'database', 'http'],
  group: ['account', 'gateways', 'database', 'http'],
  'sign-in': ['account', 'gateways', 'mail', 'database', 'http'],
  account: ['gateways', 'database', 'http'],
  gateways: ['database', 'http'],
  'route-lists': ['database', 'http'],
  mail: ['http'],
  console: ['http'],
  http: ['database'],
  database: ['http/token.ts', 'http/unix-socket.ts'],
};
/** Files at the service's top that its rooms may import, too. */
const ofEveryServiceRoom = ['config.ts', 'log.ts'];

const isWithin = (file, room) => file === room || file.startsWith(`${room}/`);
const roomOf = (file) => rooms.find((room) => isWithin(file, room));

function targetFile(specifier, file) {
  if (specifier.startsWith('#shared/')) return specifier.replace('#shared/', 'src/shared/');
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return undefined;
}

function wrongServiceArrow(file, target) {
  if (!isWithin(file, service) || !isWithin(target, service)) return undefined;
  const [room, ...inRoom] = path.posix.relative(service, file).split('/');
  if (inRoom.length === 0) return undefined;
  const allowed = [room, ...(serviceRooms[room] ?? []), ...ofEveryServiceRoom];
  const wanted = path.posix.relative(service, target);
  if (allowed.some((known) => isWithin(wanted, known))) return undefined;
  return `${service}/${room} may not import ${target}`;
}

/** Why `file` may not import `specifier`, or undefined if it may. Paths are relative to the repository. */
export function wrongArrow(file, specifier) {
  const from = roomOf(file);
  const target = targetFile(specifier, file);
  if (target !== undefined) {
    const to = roomOf(target);
    if (from && to !== from && to !== 'src/shared') return `${from} may not import from ${to ?? target}`;
    const system = systems.find((folder) => isWithin(target, folder));
    if (from && system && !isWithin(file, system) && file !== platform)
      return `only ${platform} may import from ${system}`;
    return wrongServiceArrow(file, target);
  }
  if (/^electron(\/|$)/.test(specifier) && !mayTouchElectron.some((room) => isWithin(file, room))) {
    return `only ${mayTouchElectron.slice(0, 2).join(' and ')} may import 'electron'`;
  }
  if (specifier.startsWith('node:') && withoutNode.some((room) => isWithin(file, room))) {
    return `${from} runs in a plain browser and may not import '${specifier}'`;
  }
  return undefined;
}

const importArrows = {
  create(context) {
    const file = path.relative(root, context.filename).split(path.sep).join('/');
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const message = wrongArrow(file, specifier);
      if (message) context.report({ node: node.source, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export default { meta: { name: 'waymaker' }, rules: { 'import-arrows': importArrows } };
