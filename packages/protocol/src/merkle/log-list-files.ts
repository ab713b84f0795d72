/**
 * Where the signed lists of logs are in the bucket of a service that keeps a log: each list under its version, and a
 * pointer to the newest.
 *
 * @module
 */
import type { SignedLogList } from './log-list.ts'

export const LOG_LISTS_PREFIX = 'log-lists/'
export const NEWEST_LIST_KEY = `${LOG_LISTS_PREFIX}newest`

export function logListKey(version: number): string {
  return `${LOG_LISTS_PREFIX}${version}.json`
}

export interface LogListFile {
  readonly key: string
  readonly text: string
}

/** The files of a list, to be written in this order: the pointer last, so that it never names what is not there. */
export function logListFiles(list: SignedLogList): readonly [LogListFile, LogListFile] {
  const { version } = list.statement
  return [
    { key: logListKey(version), text: JSON.stringify(list) },
    { key: NEWEST_LIST_KEY, text: String(version) },
  ]
}
