import type { KubeObject } from '../meta/object.js';

/** Conversion between versions that must ask somebody and takes its time: conversion webhooks of custom resources. */
export interface LateConversion {
  /**
   * The objects in the version `apiVersion`, in their order; those that are of it already come back as they are. Never changes its arguments. Throws a 500
   * `StatusError` when any of them cannot be converted.
   */
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]>;
  /** Runs `work`, which may use {@link converted}, as often as it takes until everything that it needs has been converted. It must give the same each time. */
  settle<T>(work: () => T): Promise<T>;
  /** An object in the version `apiVersion`, within {@link settle}. */
  converted(object: KubeObject, apiVersion: string): KubeObject;
}

/** Thrown through work that needs a conversion first; whoever catches everything must let it pass. */
export class ConversionPending extends Error {
  override readonly name = 'ConversionPending';

  constructor(
    readonly object: KubeObject,
    readonly apiVersion: string,
    /** Of {@link object} and {@link apiVersion}. */
    readonly key: string,
    /** Who is to convert. */
    readonly by: LateConversion,
  ) {
    super(`waiting for a conversion to ${apiVersion}`);
  }
}
