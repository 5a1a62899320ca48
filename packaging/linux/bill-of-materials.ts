import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { lockedPackage } from '../runtime/locked-package.ts';
import { product } from './package-facts.ts';

/** Something that a package has in it: an npm package, or a program. */
export interface Material {
  name: string;
  version: string;
  /** The identifier or expression of its licence (https://spdx.org/licenses). */
  licence: string | undefined;
}

/**
 * What a package is made of, as CycloneDX 1.6 in JSON. Without a number and a time of its own: the same package has the
 * same bill, whoever makes it and when.
 */
export async function billOfMaterials(options: {
  /** The package's name. */
  name: string;
  /** The package file's hash, in hexadecimal digits. */
  sha256: string;
  materials: readonly Material[];
}): Promise<string> {
  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, options.name, {
    bomRef: options.name,
    version: product.version,
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-256'], options.sha256]]),
    licenses: licences(product.licence),
  });
  for (const { name, version, licence } of options.materials) {
    const { integrity } = await lockedPackage(name, version);
    const [group, rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const component = new Models.Component(Enums.ComponentType.Library, rest ?? name, {
      bomRef: purl,
      purl,
      version,
      hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-512'], hexadecimal(integrity)]]),
      licenses: licences(licence),
      ...(group === undefined ? {} : { group }),
    });
    bom.components.add(component);
    bom.metadata.component.dependencies.add(component.bomRef);
  }
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 });
  return `${text}\n`;
}

const licences = (licence: string | undefined) =>
  new Models.LicenseRepository(licence === undefined ? [] : [new Models.LicenseExpression(licence)]);

/** Of a hash as npm writes it (https://www.w3.org/TR/SRI): of the package as it was published. */
function hexadecimal(integrity: string): string {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (base64 === undefined) throw new Error(`no SHA-512: ${integrity}`);
  return Buffer.from(base64, 'base64').toString('hex');
}
