/** The broker's program, see src/base/process/broker.ts. */
export function brokerSource(): Promise<string>;
/** The program of the thread for YAML, see src/server/yaml/yaml.ts. */
export function yamlThreadSource(): Promise<string>;
