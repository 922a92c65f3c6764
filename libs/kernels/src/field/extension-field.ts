import type { BaseField } from './base-field.js';
import type { Field } from './field.js';

/** An element of an extension: its base-field coordinates, as many as the extension's degree. */
export type Ext = readonly bigint[];

/** An extension that challenges are drawn from, over the field that traces are written in. */
export interface ExtensionField extends Field<Ext> {
  readonly base: BaseField;
  /** Coordinates of an element. */
  readonly degree: number;
}
