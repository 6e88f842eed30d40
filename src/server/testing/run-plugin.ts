import { StatusError } from '../../api/status-error.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission/plugin.js';

/** Runs a plugin as the server does, when it handles the operation; the code and text of what it refuses with, or undefined when the request passes. */
export async function runPlugin(plugin: AdmissionPlugin, a: AdmissionAttributes): Promise<string | undefined> {
  if (!plugin.handles(a.operation)) return undefined;
  try {
    await plugin.admit?.(a);
    await plugin.validate?.(a);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}
