/**
 * What this browser remembers of the sheets of its identity: public keys, and when their words were checked. Nothing in it
 * is secret, so that the overview shows it while the root key is encrypted.
 *
 * @module
 */
import type { KeptRecovery } from '@svc/client'
import type { SheetRecord } from '@svc/client/recovery-words'
import { databaseOf } from '../kept/database.ts'

export interface KeptSheets {
  readonly did: string
  readonly sheets: readonly SheetRecord[]
  readonly recovery: KeptRecovery
}

const SHEETS = 'sheets'
const store = () => databaseOf('console-sheets')

export const keepSheets = (kept: KeptSheets): Promise<void> => store().set(SHEETS, kept)

/** Null if this browser has made none for that identity, and knows of none. */
export async function keptSheets(did: string): Promise<KeptSheets | null> {
  const kept = (await store().get(SHEETS)) as KeptSheets | undefined
  return kept?.did === did ? kept : null
}

export const forgetSheets = (): Promise<void> => store().delete(SHEETS)
