// commit: ./document.e2e.spec.ts
import { describeEpochs } from './document-epochs.cases.js';
import { DocumentReplicas } from './document-replicas.js';

let replicas: DocumentReplicas;
beforeAll(async () => {
  replicas = await DocumentReplicas.start();
});
beforeEach(() => replicas.next());
afterAll(() => replicas?.stop());

describeEpochs(() => replicas, { writersMax: 4_096, joins: 5_000 });
