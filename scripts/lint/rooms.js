import path from 'node:path';
import { houses, isWithin, systemChoosers } from './houses.js';
import { repositoryPath } from './repository-path.js';
import { systemKnowledge } from './system-knowledge.js';

/**
 * Which room may import which (docs/architecture.md): every room knows `shared`, which knows nobody; main, service and
 * helper also know `node`, which knows only `shared`. Tests and scripts may enter every room. Only src/main/electron
 * and the preload may touch 'electron'; the shared room and the renderer have no Node built-ins. Of the helper, only
 * its platform.ts knows the folders of the systems; of main, node and the engines, one file for each subject. Of main,
 * renderer, service and helper, every folder is a room, with the arrows of houses.js.
 */
const rooms = ['src/shared', 'src/node', 'src/renderer', 'src/preload', 'src/main', 'src/service', 'helper'];
/** The rooms that every other may enter, and those that Node programs may. */
const groundFloor = 'src/shared';
const nodeFloor = 'src/node';
const nodePrograms = ['src/main', 'src/service', 'helper'];
const aliases = { '#shared/': 'src/shared/', '#node/': 'src/node/' };
const mayTouchElectron = ['src/main/electron', 'src/preload', 'tests', 'scripts'];
const withoutNode = ['src/shared', 'src/renderer'];
/** What is for one system only, and the only file of the helper that asks which system this is. */
const systems = ['helper/linux', 'helper/macos', 'helper/windows'];
const platform = 'helper/platform.ts';

const roomOf = (file) => rooms.find((room) => isWithin(file, room));

function targetFile(specifier, file) {
  for (const [alias, folder] of Object.entries(aliases))
    if (specifier.startsWith(alias)) return specifier.replace(alias, folder);
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return undefined;
}

const mayEnter = (from, to) =>
  to === groundFloor || (to === nodeFloor && nodePrograms.some((room) => room === from));

function wrongHouseArrow(file, target) {
  const house = Object.keys(houses).find((name) => isWithin(file, name) && isWithin(target, name));
  if (house === undefined) return undefined;
  const room = /^(?:(?:features|linux|macos|windows)\/)?[^/]+(?=\/)/.exec(
    path.posix.relative(house, file),
  )?.[0];
  if (room === undefined) return undefined;
  const wanted = path.posix.relative(house, target);
  const known = [room, ...allowedOf(houses[house], room)].some((place) => isWithin(wanted, place));
  const isOthersPage =
    room.startsWith('features/') && !isWithin(wanted, room) && /^features\/.*-page\.tsx$/.test(wanted);
  return known && !isOthersPage ? undefined : `${house}/${room} may not import ${target}`;
}

function wrongSystemArrow(file, target) {
  const [, subject, system] =
    /^((?:src\/(?:main|node)|helper\/engine)(?:\/.+?)?)\/(linux|macos|windows)\//.exec(target) ?? [];
  if (subject === undefined || file.split('/').includes(system)) return undefined;
  const choosers = (systemChoosers[subject] ?? []).map((name) => `${subject}/${name}`);
  return choosers.includes(file)
    ? undefined
    : `only ${choosers.join(' and ') || 'what is for that system'} may import from ${subject}/${system}`;
}

function allowedOf({ rooms: arrows, ofEveryRoom }, room) {
  const ofItsKind = room.includes('/') ? arrows[path.posix.dirname(room)] : [];
  return [...(arrows[room] ?? []), ...ofItsKind, ...ofEveryRoom];
}

/** Why `file` may not import `specifier`, or undefined if it may. Paths are relative to the repository. */
function wrongArrow(file, specifier) {
  const from = roomOf(file);
  const target = targetFile(specifier, file);
  if (target !== undefined) {
    const to = roomOf(target);
    if (from && to !== from && !mayEnter(from, to)) return `${from} may not import from ${to ?? target}`;
    const system = systems.find((folder) => isWithin(target, folder));
    if (from && system && !isWithin(file, system) && file !== platform)
      return `only ${platform} may import from ${system}`;
    return (from && wrongSystemArrow(file, target)) ?? wrongHouseArrow(file, target);
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
    const file = repositoryPath(context.filename);
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

export default {
  meta: { name: 'waymaker' },
  rules: { 'import-arrows': importArrows, 'system-knowledge': systemKnowledge },
};
