/**
 * The names of all objects in R2. Nothing else in this Worker spells a prefix.
 *
 * @module
 */
import { logPrefixes } from '@svc/log'
import { LOG_LISTS_PREFIX } from '@svc/protocol/merkle/log-list-files'

/** The page on retention has each of them. `{log}` is the name of a log: a bucket holds every period. */
export const OBJECT_PREFIXES = { ...logPrefixes('{log}'), logLists: LOG_LISTS_PREFIX } as const
