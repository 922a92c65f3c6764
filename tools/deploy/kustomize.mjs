import { Ajv } from 'ajv';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const text = { type: 'string', minLength: 1 };
const list = items => ({ type: 'array', items, minItems: 1 });
const record = (properties, required = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

/** The part of Kustomization that is understood here: a key that is not in it is refused, not passed over. */
const validate = new Ajv({ allErrors: true }).compile(
  record(
    {
      apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' },
      kind: { const: 'Kustomization' },
      namespace: text,
      resources: list(text),
      images: list(record({ name: text, newName: text, newTag: text }, ['name'])),
      patches: list({
        ...record({ target: record({ kind: text, name: text }), patch: text, path: text }),
        oneOf: [{ required: ['patch'] }, { required: ['path'] }],
      }),
      configMapGenerator: list(record({ name: text, files: list(text) }, ['name', 'files'])),
    },
    ['apiVersion', 'kind', 'resources'],
  ),
);

/**
 * What `kubectl kustomize` makes of a folder, without kubectl; generated names get no hash.
 *
 * @param {string} folder
 * @returns {object[]} manifests
 * @throws {Error} naming the folder, for an unknown key, a file that is not there, or a patch or an image
 *   that meets nothing
 */
export function kustomize(folder) {
  try {
    return build(folder);
  } catch (error) {
    throw new Error(`${basename(folder)}: ${error.message}`, { cause: error });
  }
}

function build(folder) {
  const read = file => readFileSync(join(folder, file), 'utf8');
  const kustomization = parse(read('kustomization.yaml'));
  if (!validate(kustomization)) {
    const faults = validate.errors.map(
      ({ instancePath, message, params }) =>
        `${instancePath || '/'} ${message} ${params.additionalProperty ?? ''}`,
    );
    throw new Error(faults.join('; '));
  }
  const { namespace, resources, images = [], patches = [], configMapGenerator = [] } = kustomization;
  let manifests = resources.flatMap(resource =>
    statSync(join(folder, resource)).isDirectory()
      ? kustomize(join(folder, resource))
      : parseAllDocuments(read(resource)).map(document => document.toJS()),
  );
  for (const { name, files } of configMapGenerator) {
    const data = Object.fromEntries(files.map(file => [basename(file), read(file)]));
    manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  }
  for (const { target, patch, path } of patches) {
    manifests = patched(manifests, parse(patch ?? read(path)), target);
  }
  for (const image of images) rename(manifests, image);
  for (const { kind, metadata } of namespace ? manifests : []) {
    if (kind !== 'Namespace') metadata.namespace = namespace;
  }
  return manifests;
}

function patched(manifests, patch, target = { kind: patch.kind, name: patch.metadata?.name }) {
  const selected = ({ kind, metadata }) =>
    (target.kind ?? kind) === kind && new RegExp(`^(?:${target.name ?? '.*'})$`).test(metadata.name);
  if (!manifests.some(selected)) throw new Error(`a patch has no target: ${JSON.stringify(target)}`);
  const apply = Array.isArray(patch) ? operated : merged;
  return manifests.map(manifest => (selected(manifest) ? apply(manifest, patch) : manifest));
}

/** RFC 6902: `add`, `replace` and `remove`. */
function operated(manifest, operations) {
  const result = structuredClone(manifest);
  for (const { op, path, value } of operations) {
    const keys = path
      .split('/')
      .slice(1)
      .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    const parent = keys.reduce((node, key) => node?.[key], result);
    const isThere = parent !== undefined && Object.hasOwn(parent, last);
    if (parent === undefined || (op !== 'add' && !isThere))
      throw new Error(`a patch meets nothing at ${path}`);
    if (!['add', 'replace', 'remove'].includes(op)) throw new Error(`a patch asks for the unknown "${op}"`);
    if (!Array.isArray(parent)) {
      if (op === 'remove') delete parent[last];
      else parent[last] = value;
    } else if (op === 'add') parent.splice(last === '-' ? parent.length : Number(last), 0, value);
    else parent.splice(Number(last), 1, ...(op === 'remove' ? [] : [value]));
  }
  return result;
}

/** Strategic merge: maps key by key, a null removes, lists of named things by name, other lists whole. */
function merged(base, patch) {
  if (isMap(base) && isMap(patch)) {
    if ('$patch' in patch) throw new Error('a patch asks for a $patch directive, which is not known here');
    const result = { ...base };
    for (const [key, value] of Object.entries(patch)) {
      if (value === null) delete result[key];
      else result[key] = key in base ? merged(base[key], value) : value;
    }
    return result;
  }
  if (isNamedList(base) && isNamedList(patch)) {
    const byName = new Map(base.map(item => [item.name, item]));
    for (const item of patch) byName.set(item.name, merged(byName.get(item.name) ?? {}, item));
    return [...byName.values()];
  }
  return patch;
}

const isMap = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNamedList = value => Array.isArray(value) && value.every(item => isMap(item) && 'name' in item);

function rename(manifests, { name, newName = name, newTag }) {
  const containers = manifests
    .flatMap(({ spec }) => [
      ...(spec?.template?.spec?.initContainers ?? []),
      ...(spec?.template?.spec?.containers ?? []),
    ])
    .filter(({ image }) => image === name || image.startsWith(`${name}:`));
  if (containers.length === 0) throw new Error(`no container runs the image ${name}`);
  for (const container of containers) {
    const tag = newTag ?? container.image.slice(name.length + 1);
    container.image = tag ? `${newName}:${tag}` : newName;
  }
}
