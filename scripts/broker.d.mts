/** The broker's program, see src/base/process/broker.ts. */
export function brokerSource(): Promise<string>;
