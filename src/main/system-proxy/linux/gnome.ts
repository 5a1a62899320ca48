import type { OwnValue, ProxySettings } from '../proxy-settings.ts';
import type { RunProgram } from '../../run-program.ts';

const schema = 'org.gnome.system.proxy';
/** The path of its keys in dconf, as declared by the schema. */
const dconfPath = '/system/proxy';
const keys = { address: 'autoconfig-url', mode: 'mode' } as const;

/** The proxy settings of GNOME, and of desktops that share them. Values are GVariant texts. */
export function createGnomeProxy(run: RunProgram): ProxySettings {
  async function readKey(key: string): Promise<{ own: OwnValue; effective: string }> {
    const [effective, schemaDefault, siteDefault, stored] = await Promise.all([
      run('gsettings', ['get', schema, key]),
      // With this backend, which starts empty, only the schema's default can answer.
      run('gsettings', ['get', schema, key], { GSETTINGS_BACKEND: 'memory' }),
      // The administrator's default, and the stored value, which overrides both defaults. Empty if there is none; the
      // tool of dconf is often not installed.
      run('dconf', ['read', '-d', `${dconfPath}/${key}`]),
      run('dconf', ['read', `${dconfPath}/${key}`]),
    ]);
    if (effective === undefined) throw new Error('gsettings is not installed any more');
    const isDefault = effective === siteDefault || (!stored && effective === schemaDefault);
    return { own: isDefault ? null : effective, effective };
  }

  return {
    async read() {
      const schemas = await run('gsettings', ['list-schemas']);
      if (!schemas?.split('\n').includes(schema)) return undefined;
      const [address, mode] = await Promise.all([readKey(keys.address), readKey(keys.mode)]);
      return {
        own: { address: address.own, mode: mode.own },
        effective: { address: address.effective, mode: mode.effective },
      };
    },
    async write(changes) {
      for (const [setting, value] of changes) {
        const key = [schema, keys[setting]];
        await run('gsettings', value === null ? ['reset', ...key] : ['set', ...key, value]);
      }
    },
    pointingAt: (pacUrl) => ({ address: `'${pacUrl}'`, mode: "'auto'" }),
  };
}
