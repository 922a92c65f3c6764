import type { Field } from './field.js';

export type BaseFieldName = 'goldilocks' | 'm31';

/** A prime field that traces are written in. */
export interface BaseField extends Field<bigint> {
  readonly name: BaseFieldName;
  readonly modulus: bigint;
  /** Bytes of a serialised element. */
  readonly elementBytes: number;
}
