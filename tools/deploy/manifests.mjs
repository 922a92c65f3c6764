import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { workspaceRoot } from '../setup/workspace.mjs';

const schema = name => JSON.parse(readFileSync(join(import.meta.dirname, 'schemas', name), 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const validateCompose = ajv.compile({ ...schema('compose-spec.json'), $schema: undefined });
const kubernetes = schema('kubernetes-1.37.json');
const validators = new Map();

/**
 * @param {unknown} document a parsed compose file
 * @returns {string[]} what the Compose Specification's schema refuses
 */
export function composeFaults(document) {
  return validateCompose(document) ? [] : validateCompose.errors.map(describe);
}

/**
 * @param {{ apiVersion: string; kind: string; metadata?: { name?: string } }} manifest
 * @returns {string[]} what the strict Kubernetes schema of its kind refuses
 */
export function manifestFaults(manifest) {
  const kind = `${manifest.apiVersion}/${manifest.kind}`;
  if (!kubernetes.kinds[kind]) return [`${kind} is no kind that the kept schemas know`];
  if (!validators.has(kind)) {
    validators.set(kind, ajv.compile({ ...kubernetes.kinds[kind], definitions: kubernetes.definitions }));
  }
  const validate = validators.get(kind);
  return validate(manifest)
    ? []
    : validate.errors.map(error => `${kind} ${manifest.metadata?.name}: ${describe(error)}`);
}

/** docker-compose.yml with its anchors merged. */
export function readCompose() {
  return parse(readFileSync(join(workspaceRoot, 'docker-compose.yml'), 'utf8'), { merge: true });
}

/** Manifests of k8s/base as they are written, the kustomization left out. */
export function readBase() {
  const folder = join(workspaceRoot, 'k8s/base');
  const { resources } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  return resources.flatMap(file => documents(readFileSync(join(folder, file), 'utf8')));
}

function documents(text) {
  return parseAllDocuments(text).map(document => document.toJS());
}

function describe({ instancePath, message, params }) {
  const key = params.additionalProperty ? ` (${params.additionalProperty})` : '';
  return `${instancePath || '/'} ${message}${key}`;
}
