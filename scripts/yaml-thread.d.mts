/** The program of the thread for YAML, see src/server/yaml/yaml.ts. */
export function yamlThreadSource(): Promise<string>;
