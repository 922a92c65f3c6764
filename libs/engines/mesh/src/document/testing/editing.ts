import fc from 'fast-check';
import * as Y from 'yjs';

/** One change that a replica makes to what it has; numbers are taken modulo what there is. */
export interface Edit {
  readonly replica: number;
  readonly kind: 'set' | 'delete' | 'nest' | 'insert' | 'remove' | 'type' | 'erase';
  readonly key: string;
  readonly at: number;
  readonly value: fc.JsonValue;
}

/** I-JSON: no half surrogate pairs, and no key that objects do not keep. */
export const jsonValues = (maxDepth: number): fc.Arbitrary<fc.JsonValue> =>
  fc
    .jsonValue({ maxDepth, stringUnit: 'binary' })
    .filter(value => !JSON.stringify(value).includes('__proto__'));

/** Changes of every kind by so many replicas. */
export function edits(replicaCount: number, maxLength: number): fc.Arbitrary<Edit[]> {
  const kinds = ['set', 'delete', 'nest', 'insert', 'insert', 'remove', 'type', 'type', 'erase'] as const;
  const edit = fc.record({
    replica: fc.nat(replicaCount - 1),
    kind: fc.constantFrom(...kinds),
    key: fc.constantFrom('a', 'b', 'list', 'text', 'ä\u{1f600}'),
    at: fc.nat(20),
    value: jsonValues(2),
  });
  return fc.array(edit, { maxLength });
}

/** Makes a change, or none where there is nothing that it could be made to. */
export function makeEdit(document: Y.Doc, { kind, key, at, value }: Edit): void {
  const shared = document.getMap('shared');
  const list = shared.get('list');
  const text = shared.get('text');
  switch (kind) {
    case 'set':
      shared.set(key, value);
      break;
    case 'delete':
      shared.delete(key);
      break;
    case 'nest':
      if (key === 'list') shared.set(key, listOf(value));
      else if (key === 'text') shared.set(key, new Y.Text('one \u{1f600} two'));
      else shared.set(key, new Y.Map([['inner', value]]));
      break;
    case 'insert':
      if (list instanceof Y.Array)
        list.insert(at % (list.length + 1), at % 3 === 0 ? [new Y.Map([[key, value]])] : [value, at]);
      break;
    case 'remove':
      if (list instanceof Y.Array && list.length > 0) list.delete(at % list.length, 1);
      break;
    case 'type':
      if (text instanceof Y.Text) text.insert(at % (text.length + 1), key);
      break;
    case 'erase':
      if (text instanceof Y.Text && text.length > 0) text.delete(at % text.length, 1);
      break;
  }
}

function listOf(value: unknown): Y.Array<unknown> {
  const list = new Y.Array<unknown>();
  list.insert(0, [value]);
  return list;
}
