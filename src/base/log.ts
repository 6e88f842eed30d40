/** Values logged beside a message. Never put secrets here. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured log: the message is constant, what varies goes into fields:
 * `log.info('pod bound', { pod, node })`.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/** Drops everything. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
