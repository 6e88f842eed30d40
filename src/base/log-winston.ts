import winston from 'winston';
import type { LogFields, Logger } from './log.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface WinstonLogOptions {
  /** `text`: one line for people. `json`: one document a line. Default text. */
  readonly format?: 'text' | 'json';
  /** Least severe level that is written; default info. */
  readonly level?: LogLevel;
  /** A file to append to; default standard error. */
  readonly file?: string;
  /** Default: when standard error is a terminal and the format is text. Never in files. */
  readonly colors?: boolean;
}

const COLORS: Readonly<Record<LogLevel, string>> = { debug: '\u001b[90m', info: '\u001b[36m', warn: '\u001b[33m', error: '\u001b[31m' };

/** A log over winston; each call makes one of its own, so that several clusters in a process do not share one. */
export function createWinstonLog(options: WinstonLogOptions = {}): Logger & { close(): Promise<void> } {
  const colors = options.file === undefined && options.format !== 'json' && (options.colors ?? process.stderr.isTTY);
  const line = winston.format.printf((info) => (options.format === 'json' ? jsonLine(info) : textLine(info, colors)));
  const transport = options.file === undefined ? new winston.transports.Stream({ stream: process.stderr, eol: '\n' }) : new winston.transports.File({ filename: options.file, eol: '\n' });
  const logger = winston.createLogger({ level: options.level ?? 'info', levels: { error: 0, warn: 1, info: 2, debug: 3 }, format: winston.format.combine(winston.format.timestamp(), line), transports: [transport] });
  return Object.assign(new WinstonLog(logger, {}), {
    close: (): Promise<void> =>
      new Promise((resolve) => {
        logger.once('finish', () => resolve());
        logger.end();
      }),
  });
}

class WinstonLog implements Logger {
  constructor(
    private readonly logger: winston.Logger,
    private readonly fields: LogFields,
  ) {}

  debug(message: string, fields?: LogFields): void {
    this.write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new WinstonLog(this.logger, { ...this.fields, ...fields });
  }

  private write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (this.logger.isLevelEnabled(level)) this.logger.log({ level, message, fields: { ...this.fields, ...fields } });
  }
}

function jsonLine(info: winston.Logform.TransformableInfo): string {
  const { level, message, timestamp, fields } = info as { level: string; message: string; timestamp?: string; fields?: LogFields };
  return JSON.stringify({ time: timestamp, level, message, ...printable(fields) });
}

function textLine(info: winston.Logform.TransformableInfo, colors: boolean): string {
  const { level, message, timestamp, fields } = info as { level: LogLevel; message: string; timestamp?: string; fields?: LogFields };
  const label = level.toUpperCase().padEnd(5);
  const values = Object.entries(printable(fields)).map(([key, value]) => ` ${key}=${typeof value === 'string' && !/[\s"=]/.test(value) && value !== '' ? value : JSON.stringify(value)}`);
  return `${timestamp ?? ''} ${colors ? `${COLORS[level]}${label}\u001b[0m` : label} ${message}${values.join('')}`;
}

/** Errors as text; everything else as JSON can hold it. */
function printable(fields: LogFields | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields ?? {})) values[key] = value instanceof Error ? (value.stack ?? value.message) : typeof value === 'bigint' ? String(value) : value;
  return values;
}
