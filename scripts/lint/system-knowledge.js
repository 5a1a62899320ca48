import { mayKnowSystem, isWithin } from './houses.js';
import { repositoryPath } from './repository-path.js';

/**
 * Nothing outside a folder named after a system knows that system (docs/architecture.md): elsewhere, nobody asks which
 * one this is, compares with the name of one, has a table by their names, or names a path that only one has. The files
 * that choose between the folders are named in houses.js.
 */
const watched = ['src/main', 'src/node', 'src/service', 'src/preload', 'helper'];
const systemFolder = /\/(?:linux|macos|windows|posix)\//;
/** Node's names of them; the product's own are `macos`, `windows` and `linux`. */
const names = new Set(['win32', 'darwin', 'linux']);
/** `linux` is a word of the product, too. */
const unmistakable = new Set(['win32', 'darwin']);
const systemPath = /^(?:\/(?:proc|etc|sys)(?:\/|$)|\\\\[.?]\\pipe)/;
const comparisons = new Set(['===', '!==', '==', '!=']);

const isWatched = (file) =>
  watched.some((room) => isWithin(file, room)) && !systemFolder.test(file) && !(file in mayKnowSystem);

const isNameOfSystem = (node) => node?.type === 'Literal' && names.has(node.value);
const nameOfKey = (key) =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? key.value : undefined;
const isProcess = (node) => node?.type === 'Identifier' && node.name === 'process';

export const systemKnowledge = {
  create(context) {
    if (!isWatched(repositoryPath(context.filename))) return {};
    const report = (node, what) =>
      context.report({
        node,
        message: `${what}: put it into the folder of that system, and let one file choose`,
      });
    const checkText = (node, ...texts) => {
      if (texts.some((text) => typeof text === 'string' && systemPath.test(text)))
        report(node, 'this path is of one system');
    };
    return {
      MemberExpression(node) {
        if (isProcess(node.object) && nameOfKey(node.property) === 'platform')
          report(node, 'this asks which system this is');
      },
      VariableDeclarator(node) {
        if (!isProcess(node.init) || node.id.type !== 'ObjectPattern') return;
        for (const property of node.id.properties)
          if (property.type === 'Property' && nameOfKey(property.key) === 'platform')
            report(property, 'this asks which system this is');
      },
      BinaryExpression(node) {
        if (comparisons.has(node.operator) && (isNameOfSystem(node.left) || isNameOfSystem(node.right)))
          report(node, 'this compares with the name of a system');
      },
      SwitchCase(node) {
        if (isNameOfSystem(node.test)) report(node.test, 'this compares with the name of a system');
      },
      Property(node) {
        if (!node.computed && unmistakable.has(nameOfKey(node.key)))
          report(node.key, 'this is a table by the names of systems');
      },
      Literal(node) {
        checkText(node, node.value);
      },
      TemplateLiteral(node) {
        const [first] = node.quasis;
        checkText(node, first?.value.cooked, first?.value.raw);
      },
    };
  },
};
