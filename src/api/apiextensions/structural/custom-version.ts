import { atOnce, type Steps } from '../../../base/steps.js';
import type { V1CustomResourceDefinitionVersion, V1CustomResourceSubresourceScale, V1JSONSchemaProps } from '../../generated/types.js';
import { invalid, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import type { KubeObject } from '../../meta/object.js';
import { Correlation } from './compare-old.js';
import { coerceEmbedded, hasEmbedded, validateEmbedded, type MetadataCheck } from './embedded.js';
import { fillDefaults } from './fill-defaults.js';
import { isSettled } from './is-settled.js';
import { validateLists } from './list-rules.js';
import { fieldErrorOf, type Outcome } from './outcome.js';
import { Pace } from './pace.js';
import { prune, pruneNulls } from './prune.js';
import { isSurelyValid } from './quick-check.js';
import { scaleSpecErrors, scaleStatusErrors } from './scale-rules.js';
import { SchemaNode } from './schema-node.js';
import { SchemaValidator } from './schema-validator.js';

const STATUS = FieldPath.of('status');
const BLOCKING: ReadonlySet<string> = new Set(['FieldValueNotSupported', 'FieldValueRequired', 'FieldValueTooLong', 'FieldValueTooMany', 'FieldValueTypeInvalid']);

/** Everything that one version of a definition says about its objects. All of it is made when it is first needed. */
export class CustomVersion {
  private knownNode: SchemaNode | undefined;
  private knownValidator: SchemaValidator | undefined;
  private knownStatus: SchemaValidator | undefined;
  private embeds: boolean | undefined;

  constructor(
    readonly definition: V1CustomResourceDefinitionVersion,
    /** `spec.preserveUnknownFields` of the definition: nothing is pruned. */
    private readonly preserves: boolean,
  ) {}

  get schema(): V1JSONSchemaProps {
    return this.definition.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }

  get node(): SchemaNode {
    return (this.knownNode ??= new SchemaNode(this.schema, true));
  }

  /**
   * Brings, in place, a decoded object into the form of the version: metadata checked, unknown fields and nulls without meaning dropped. Returns the
   * unknown fields in upstream's words when `strict`. `keepsNulls`: all nulls stay, so that validation refuses them. Throws `KUBE_CANNOT_DECODE`.
   */
  coerce(object: Record<string, unknown>, strict: boolean, check: MetadataCheck, keepsNulls = false): string[] {
    return atOnce(this.coerceSteps(object, strict, check, keepsNulls));
  }

  /** {@link coerce} with pauses. */
  *coerceSteps(object: Record<string, unknown>, strict: boolean, check: MetadataCheck, keepsNulls = false): Steps<string[]> {
    let unknown: string[] = [];
    if (Object.hasOwn(object, 'metadata')) {
      const checked = check(object['metadata'], strict);
      object['metadata'] = checked.metadata;
      unknown = checked.unknown.map((name) => `metadata.${name}`);
      yield;
    }
    if (!this.preserves) {
      // There may be more of them than a call can have arguments.
      unknown = [...unknown, ...prune(object, this.node, strict).unknown];
      yield;
      if (!keepsNulls) pruneNulls(object, this.node);
      yield;
    }
    if (this.hasEmbedded) unknown = [...unknown, ...coerceEmbedded(object, this.node, check, strict)];
    return unknown.map((name) => `unknown field ${JSON.stringify(name)}`);
  }

  /** Fills in the defaults, in place. Throws `KUBE_STORE_TOO_LARGE` when they are more than can be stored. */
  fillDefaults(object: object): boolean {
    return fillDefaults(object, this.node);
  }

  /** Whether {@link settle} has nothing to do. */
  isSettled(object: object): boolean {
    return isSettled(object, this.node, !this.preserves);
  }

  /** Brings, in place, an object that is or was stored into the present form. Returns whether that changed anything. */
  settle(object: object): boolean {
    let changed = !this.preserves && prune(object, this.node, false).changed;
    if (!this.preserves && pruneNulls(object, this.node)) changed = true;
    return fillDefaults(object, this.node, true) || changed;
  }

  /** Drops, in place, what a converted object has and this version has not, and nulls without meaning. */
  tidy(object: object): void {
    if (this.preserves) return;
    prune(object, this.node, false);
    pruneNulls(object, this.node);
  }

  /** Drops, in place, what other versions have and this one has not. */
  prune(object: object): void {
    if (!this.preserves) prune(object, this.node, false);
  }

  /** The rules of a new object, step by step. */
  *validate(object: KubeObject): Steps<FieldError[]> {
    const fine = isSurelyValid(object, this.validator);
    const errors = fine ? [] : yield* this.schemaErrors(this.validator.validateSteps(object), undefined);
    errors.push(...scaleSpecErrors(object, this.scale), ...scaleStatusErrors(object, this.scale));
    return this.finish([...errors, ...this.embeddedErrors(object), ...(fine ? [] : yield* validateLists(object, this.node))]);
  }

  /** The rules of a change, step by step. */
  *validateUpdate(object: KubeObject, old: KubeObject): Steps<FieldError[]> {
    const fine = isSurelyValid(object, this.validator);
    const errors = fine ? [] : yield* this.schemaErrors(this.validator.validateSteps(object, '', new Correlation(object, old, this.node)), undefined);
    errors.push(...scaleSpecErrors(object, this.scale), ...scaleStatusErrors(object, this.scale));
    return this.finish([...errors, ...this.embeddedErrors(object), ...(fine ? [] : yield* this.listErrors(object, old))]);
  }

  /** Only the status is looked at, step by step. */
  *validateStatus(object: KubeObject, old: KubeObject): Steps<FieldError[]> {
    const errors: FieldError[][] = [];
    const { status } = object as { readonly status?: unknown };
    const property = this.schema.properties?.['status'];
    if (status !== undefined && property) {
      this.knownStatus ??= new SchemaValidator(property);
      const before = (old as { readonly status?: unknown }).status;
      const correlation = before === undefined ? undefined : new Correlation(status, before, this.node.property('status'));
      errors.push(yield* this.schemaErrors(this.knownStatus.validateSteps(status, '', correlation), STATUS));
    }
    return this.finish([...errors.flat(), ...scaleStatusErrors(object, this.scale), ...(yield* this.listErrors(object, old))]);
  }

  private get validator(): SchemaValidator {
    return (this.knownValidator ??= new SchemaValidator(this.schema));
  }

  private get scale(): V1CustomResourceSubresourceScale | undefined {
    return this.definition.subresources?.scale;
  }

  private get hasEmbedded(): boolean {
    return (this.embeds ??= hasEmbedded(this.schema));
  }

  private *schemaErrors(validation: Steps<Outcome>, base: FieldPath | undefined): Steps<FieldError[]> {
    const { problems } = yield* validation;
    const pace = new Pace();
    const errors: FieldError[] = [];
    for (const problem of problems) {
      if (pace.due()) yield;
      errors.push(fieldErrorOf(problem, base));
    }
    return errors;
  }

  private embeddedErrors(object: KubeObject): FieldError[] {
    return this.hasEmbedded ? validateEmbedded(object, this.node) : [];
  }

  /** What was there twice before may stay. */
  private *listErrors(object: KubeObject, old: KubeObject): Steps<FieldError[]> {
    const errors = yield* validateLists(object, this.node);
    return errors.length > 0 && (yield* validateLists(old, this.node)).length > 0 ? [] : errors;
  }

  /** Upstream says that it did not come to the rules of `x-kubernetes-validations`, whether there are any or not. */
  private finish(errors: FieldError[]): FieldError[] {
    if (!errors.some(({ type }) => BLOCKING.has(type)) || !this.definition.schema?.openAPIV3Schema) return errors;
    return hasRules(this.schema) ? [...errors, invalid(FieldPath.root, null, 'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation')] : errors;
  }
}

function hasRules(schema: V1JSONSchemaProps): boolean {
  if (schema['x-kubernetes-validations']) return true;
  const parts: unknown[] = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})];
  return parts.some((part) => typeof part === 'object' && part !== null && hasRules(part as V1JSONSchemaProps));
}
