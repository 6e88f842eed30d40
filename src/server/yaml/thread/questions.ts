/* What the thread for YAML is asked, and what it answers. */

/** To read YAML, or to write JSON as YAML. */
export type YamlQuestion = { readonly type: 'read'; readonly bytes: Uint8Array } | { readonly type: 'write'; readonly json: Uint8Array };

/** YAML as JSON, with the strict errors of its reader; or why it cannot be read, in upstream's words. */
export type ReadYaml = { readonly json: Uint8Array; readonly strictErrors?: readonly string[] } | { readonly wrong: string };

export type YamlAnswer = { readonly read: ReadYaml } | { readonly yaml: Uint8Array };
