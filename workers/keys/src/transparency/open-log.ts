import { logConfigSchema, openLogName, readConfig } from '@svc/service'

/** The name of the log that takes leaves now, and of its object. */
export function openLog(env: Env): string {
  return openLogName(readConfig(logConfigSchema, env), 'transparency')
}
