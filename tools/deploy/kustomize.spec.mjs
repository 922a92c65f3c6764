import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SERVICES } from '@svc/contracts';
import { stringify } from 'yaml';
import { workspaceRoot } from '../setup/workspace.mjs';
import { kustomize } from './kustomize.mjs';
import { manifestFaults } from './manifests.mjs';

const overlays = readdirSync(join(workspaceRoot, 'k8s/overlays'));

describe('k8s/overlays', () => {
  for (const overlay of overlays) {
    const rendered = kustomize(join(workspaceRoot, 'k8s/overlays', overlay));

    it(`${overlay} follows the strict Kubernetes schemas`, () => {
      assert.deepEqual(rendered.flatMap(manifestFaults), []);
    });

    it(`${overlay} runs every service with an image of a release, in the namespace`, () => {
      for (const service of SERVICES) {
        const deployment = rendered.find(
          ({ kind, metadata }) => kind === 'Deployment' && metadata.name === service,
        );
        assert.match(deployment.spec.template.spec.containers[0].image, /^\S+:\d+\.\d+\.\d+$/);
      }
      const outside = rendered.filter(({ metadata }) => metadata.namespace !== 'svc');
      assert.deepEqual(
        outside.map(({ kind }) => kind),
        ['Namespace'],
      );
    });

    it(`${overlay} lets payments reach a Lightning node and public HTTPS, callbacks public HTTPS, the mesh public UDP, and nothing else reach out`, () => {
      const out = rendered.filter(
        ({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec.egress ?? []).includes('ipBlock'),
      );
      assert.deepEqual(
        out.map(({ spec }) => spec.podSelector.matchLabels['app.kubernetes.io/name']),
        ['payments', 'payments', 'department', 'mesh-signalling'],
      );
      const rules = out.flatMap(({ spec }) => spec.egress);
      assert.ok(rules.every(({ to, ports }) => to.length > 0 && ports.length > 0));
      const anywhere = rules.filter(({ to }) => to[0].ipBlock.cidr === '0.0.0.0/0');
      const ports = anywhere.map(rule => rule.ports.map(({ protocol, port }) => `${protocol} ${port}`));
      assert.deepEqual(ports, [['TCP 443'], ['TCP 443', 'TCP 8443'], ['UDP 1024']]);
      for (const range of [
        '10.0.0.0/8',
        '127.0.0.0/8',
        '169.254.0.0/16',
        '172.16.0.0/12',
        '192.168.0.0/16',
      ]) {
        for (const { to } of anywhere) assert.ok(to[0].ipBlock.except.includes(range), range);
      }
    });
  }
});

describe('kustomize', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-kustomize-'));
    cpSync(join(workspaceRoot, 'k8s'), folder, { recursive: true });
    mkdirSync(join(folder, 'overlays/tried'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const tried = more => {
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['../../base'],
      ...more,
    };
    writeFileSync(join(folder, 'overlays/tried/kustomization.yaml'), stringify(kustomization));
    return kustomize(join(folder, 'overlays/tried'));
  };
  const merging = spec => ({
    patches: [
      { patch: stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'snn' }, spec }) },
    ],
  });
  const operating = operation => ({
    patches: [{ target: { kind: 'Deployment', name: 'snn' }, patch: stringify([operation]) }],
  });

  const refusals = [
    ['an unknown key', { replica: 1 }, /additional properties replica/],
    ['an unknown key of an image', { images: [{ name: 'svc/snn', tag: '1' }] }, /additional properties tag/],
    ['a resource that is not there', { resources: ['../../bass'] }, /ENOENT.*bass/],
    ['a patch that is not there', { patches: [{ path: 'snn.yaml' }] }, /ENOENT.*snn\.yaml/],
    [
      'a patch without a target in the base',
      { patches: [{ target: { kind: 'Deployment', name: 'snm' }, patch: '[]' }] },
      /no target.*snm/,
    ],
    ['an image that nothing runs', { images: [{ name: 'svc/snm', newTag: '1' }] }, /no container.*svc\/snm/],
    [
      'an operation on what is not there',
      operating({ op: 'replace', path: '/spec/replicaz', value: 1 }),
      /meets nothing at \/spec\/replicaz/,
    ],
    ['an unknown operation', operating({ op: 'set', path: '/spec/replicas', value: 1 }), /unknown "set"/],
    ['a directive that it does not know', merging({ $patch: 'delete' }), /\$patch/],
  ];
  for (const [name, more, fault] of refusals) {
    it(`refuses ${name}`, () => assert.throws(() => tried(more), fault));
  }

  it('leaves a patch’s own unknown keys for the schemas to refuse', () => {
    const containers = [{ name: 'service', readynessProbe: {} }];
    assert.match(
      tried(merging({ template: { spec: { containers } } }))
        .flatMap(manifestFaults)
        .join(),
      /snn: \/spec\/template\/spec\/containers\/0 .*\(readynessProbe\)/,
    );
    const operation = { op: 'add', path: '/spec/replica', value: 1 };
    assert.match(tried(operating(operation)).flatMap(manifestFaults).join(), /snn: \/spec .*\(replica\)/);
  });

  it('merges named lists by name and keeps what a patch leaves out', () => {
    const env = [{ name: 'LOG_LEVEL', value: 'debug' }];
    const snn = tried(merging({ template: { spec: { containers: [{ name: 'service', env }] } } })).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'snn',
    );
    const [container] = snn.spec.template.spec.containers;
    const valueOf = name => container.env.find(variable => variable.name === name)?.value;
    assert.equal(valueOf('LOG_LEVEL'), 'debug');
    assert.equal(valueOf('NODE_ENV'), 'production');
    assert.equal(container.image, 'svc/snn');
  });
});
